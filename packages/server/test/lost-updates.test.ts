/** Tests that two people who change the same thing at the same time don't undo each other's changes unnoticed. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Team } from "@oriel/protocol/dashboard/setup";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { completeApplication, save, submission, upload } from "./setup/application.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { newColleague, newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
let ann: Visitor;
let jo: Visitor;
beforeEach(async () => {
  ann = await newVisitor(service);
  jo = await newColleague(service, ann, "owner");
});

describe("an application that two owners edit", () => {
  const current = async () => (await ann.inWorkspace("GET", "application")).body["application"] ?? {};
  const put = (visitor: Visitor, draft: object, version: unknown) =>
    visitor.inWorkspace("PUT", "application", { ...draft, version });

  it("keeps what the first one saved, and tells the second one who saved it", async () => {
    await save(ann, { business: "Cups" });
    const { version } = await current();
    expect((await put(jo, { business: "Cups and bowls" }, version)).status).toBe(200);
    const refused = await put(ann, { business: "Cups", mcc: "5950" }, version);
    expect(refusalOf(refused)).toBe("409 changed_meanwhile");
    expect(refused.body["error"]?.["message"]).toContain(`${jo.email} has changed this application`);
    expect(await current()).toMatchObject({ details: { business: "Cups and bowls" } });
    const seen = await current();
    expect((await put(ann, { business: "Cups", mcc: "5950" }, seen["version"])).status).toBe(200);
    expect(await current()).toMatchObject({ details: { business: "Cups", mcc: "5950" } });
  });

  it("accepts a retry of what it has saved, but not after another change", async () => {
    const { version } = (await save(ann, { business: "Cups" })).body["application"] ?? {};
    const retried = () => put(ann, completeApplication, version);
    const [first, second] = [await retried(), await retried()];
    expect(second.body).toEqual(first.body);
    await save(jo, { business: "Bowls" });
    expect(refusalOf(await retried())).toBe("409 changed_meanwhile");
  });

  it("keeps a draft that a colleague has just started", async () => {
    expect((await put(jo, completeApplication, null)).status).toBe(200);
    expect(refusalOf(await put(ann, {}, null))).toBe("409 changed_meanwhile");
    expect(await current()).toMatchObject({ details: { mcc: completeApplication.mcc } });
  });

  it("can be saved from a page that was loaded before an upgrade, and submitted once the page is reloaded", async () => {
    await save(ann, { business: "Cups" });
    expect((await ann.inWorkspace("PUT", "application", completeApplication)).status).toBe(200);
    await upload(ann);
    const refused = await ann.inWorkspace("POST", "application/submit", {});
    expect(refusalOf(refused)).toBe("409 not_possible_now");
    expect(refused.body["error"]?.["message"]).toContain("reload the page");
    expect((await ann.inWorkspace("POST", "application/submit", await submission(ann))).status).toBe(200);
  });

  it("is submitted only with the values and documents that the owner saw", async () => {
    await save(ann);
    await upload(ann);
    const submit = (seen: object) => ann.inWorkspace("POST", "application/submit", seen);
    const before = await submission(ann);
    await save(jo, { ...completeApplication, mcc: "5999" });
    expect(refusalOf(await submit(before))).toBe("409 changed_meanwhile");
    const withoutDocument = await submission(ann);
    await upload(jo, "Extract.pdf");
    expect(refusalOf(await submit(withoutDocument))).toBe("409 changed_meanwhile");
    expect(await current()).toMatchObject({ status: "draft" });
    const seen = await submission(ann);
    expect((await submit(seen)).body["application"]).toMatchObject({ status: "submitted" });
    // A retry whose first response was lost
    expect((await submit(seen)).body["application"]).toMatchObject({ status: "submitted" });
    expect(refusalOf(await submit(await submission(ann)))).toBe("409 not_possible_now");
  });
});

describe("settings that two members change", () => {
  const first = { allowed_origins: ["https://shop.example"] };
  const second = { allowed_origins: ["https://kiln.example"] };

  it("keep the first one's list, and tell the second one who changed it", async () => {
    const seen = { allowed_origins: [] };
    expect((await jo.inWorkspace("PATCH", "settings", { ...first, seen })).status).toBe(200);
    // A change of another setting isn't what is reported.
    await ann.inWorkspace("PATCH", "settings", { appearance: { theme: "dark" }, seen: { appearance: null } });
    const refused = await ann.inWorkspace("PATCH", "settings", { ...second, seen });
    expect(refusalOf(refused)).toBe("409 changed_meanwhile");
    expect(refused.body["error"]?.["message"]).toContain(`${jo.email} has changed the allowed origins`);
    expect((await ann.inWorkspace("GET", "settings")).body).toMatchObject(first);
    expect((await ann.inWorkspace("PATCH", "settings", { ...second, seen: first })).body).toMatchObject(second);
  });

  it("keep the first one's list when the second one changes another, and accept a retry", async () => {
    const seen = { allowed_origins: [], return_url_hosts: [], appearance: null };
    await jo.inWorkspace("PATCH", "settings", { ...first, seen });
    const hosts = { return_url_hosts: ["shop.example"] };
    for (let tries = 0; tries < 2; tries++)
      expect((await ann.inWorkspace("PATCH", "settings", { ...hosts, seen })).body).toMatchObject({
        ...first,
        ...hosts,
      });
  });

  it.each<[string, object, object, object]>([
    ["settings", { appearance: { theme: "dark" } }, { appearance: { labels: "hidden" } }, { appearance: null }],
    ["settings/name", { name: "Kiln Lane" }, { name: "Kiln Road" }, { seen: "Kiln Street" }],
  ])("refuse the second change of %s: %j, then %j", async (path, one, other, before) => {
    const method = path === "settings" ? "PATCH" : "PUT";
    const seen = method === "PUT" ? before : { seen: before };
    expect(refusalOf(await jo.inWorkspace(method, path, { ...one, ...seen }))).toBe("200");
    expect(refusalOf(await ann.inWorkspace(method, path, { ...other, ...seen }))).toBe("409 changed_meanwhile");
    expect(refusalOf(await jo.inWorkspace(method, path, { ...one, ...seen }))).toBe("200");
    expect((await ann.inWorkspace("GET", "settings")).body).toMatchObject(one);
  });
});

it("a webhook endpoint keeps the URL and events that a colleague has changed meanwhile", async () => {
  const created = await ann.inWorkspace("POST", "webhook_endpoints", { url: "https://shop.example/a" });
  const path = `webhook_endpoints/${String(created.body["id"])}`;
  const { url, enabled_events, description } = created.body as Record<string, unknown>;
  const change = (who: Visitor, what: object) =>
    who.inWorkspace("PATCH", path, { ...what, seen: { url, enabled_events, description } });
  expect(refusalOf(await change(jo, { enabled_events: ["payment.succeeded"] }))).toBe("200");
  expect(refusalOf(await change(ann, { enabled_events: ["refund.succeeded"] }))).toBe("409 changed_meanwhile");
  expect(refusalOf(await change(ann, { url: "https://shop.example/b", description: "Orders" }))).toBe("200");
  expect(refusalOf(await change(jo, { url: "https://shop.example/c" }))).toBe("409 changed_meanwhile");
  expect((await ann.inWorkspace("GET", path)).body).toMatchObject({
    url: "https://shop.example/b",
    enabled_events: ["payment.succeeded"],
    description: "Orders",
  });
});

it("a webhook endpoint is still signed with the secret from before a rotation whose response was lost", async () => {
  const created = await ann.inWorkspace("POST", "webhook_endpoints", { url: "https://shop.example/c" });
  const path = `webhook_endpoints/${String(created.body["id"])}`;
  const rotate = (who: Visitor, seen: unknown) =>
    who.inWorkspace("POST", `${path}/rotate_secret`, { overlap: "1h", seen: { previous_secret_expires_at: seen } });
  const { body, status } = await rotate(ann, null);
  expect(status).toBe(200);
  expect(refusalOf(await rotate(ann, null))).toBe("409 changed_meanwhile");
  expect(refusalOf(await rotate(jo, null))).toBe("409 changed_meanwhile");
  expect((await ann.inWorkspace("POST", `${path}/reveal`, {})).body).toEqual({ secret: body["secret"] });
  expect(refusalOf(await rotate(jo, body["previous_secret_expires_at"]))).toBe("200");
});

it("a member keeps the role that a colleague has chosen meanwhile", async () => {
  await newColleague(service, ann, "developer");
  const team = (await ann.inWorkspace("GET", "team")).body as unknown as Team;
  const { login_id: id } = team.members.find(({ role }) => role === "developer") ?? { login_id: "" };
  const change = (who: Visitor, role: string, seen: string) =>
    who.inWorkspace("PATCH", `team/members/${id}`, { role, seen });
  expect(refusalOf(await change(jo, "read_only", "developer"))).toBe("200");
  expect(refusalOf(await change(ann, "owner", "developer"))).toBe("409 changed_meanwhile");
  expect(refusalOf(await change(jo, "read_only", "developer"))).toBe("200");
  expect(refusalOf(await change(ann, "support", "read_only"))).toBe("200");
});

it("a merchant ID is only replaced by an operator who has seen it", async () => {
  const operator = await newOperator(service);
  const set = (merchant_id: string, seen: string | null) =>
    operator.call("POST", `/operator/accounts/${ann.accountId}/acquirer`, { merchant_id, seen });
  expect(refusalOf(await set("kiln-1", null))).toBe("200");
  expect(refusalOf(await set("kiln-2", null))).toBe("409 changed_meanwhile");
  expect(refusalOf(await set("kiln-1", null))).toBe("200");
  expect(refusalOf(await set("kiln-2", "kiln-1"))).toBe("200");
});
