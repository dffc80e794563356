/**
 * Tests webhook endpoints in the dashboard. They work as in the API, but a user manages them: secrets and URLs need a
 * recent step-up, and owners are notified.
 */
import { Webhook } from "standardwebhooks";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { emailsTo, newColleague, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
const owner = await newVisitor(service, { accountName: "Kiln Street" });
const developer = await newColleague(service, owner, "developer");

let made = 0;
const newPath = () => `/hooks/by-hand-${++made}`;
const create = (path = newPath(), more: object = {}) =>
  developer.inWorkspace("POST", "webhook_endpoints", { url: `${receiver.url}${path}`, ...more });
const idOf = ({ body }: ApiResponse) => String(body["id"]);
const emailsAbout = (visitor: Visitor, id: string) =>
  emailsTo(service, visitor.email).filter((text) => text.includes(id));
const verified = ({ body, headers }: { body: string; headers: Record<string, string> }, secret: string) =>
  new Webhook(secret).verify(body, headers) as Json; // throws when the signature doesn't match

// First, because further emails within an hour are collected.
describe("a new URL", () => {
  it("is announced by email to every owner and nobody else, by hostname only", async () => {
    const second = await newColleague(service, owner, "owner");
    const path = newPath();
    const id = idOf(await create(`${path}?token=as-good-as-a-secret`));
    for (const visitor of [owner, second]) {
      const email = await until("the email", () => emailsAbout(visitor, id)[0] ?? null);
      expect(email).toContain(
        `A webhook endpoint at ${new URL(receiver.url).host} was added to the account Kiln Street, in test mode`,
      );
      expect(email).toContain(developer.email);
      expect(email).not.toContain(path);
      expect(email).not.toContain("as-good-as");
    }
    await developer.inWorkspace("PATCH", `webhook_endpoints/${id}`, { description: "The till" });
    await developer.inWorkspace("PATCH", `webhook_endpoints/${id}`, {
      url: `${receiver.url}${path}?token=as-good-as-a-secret`,
    });
    await developer.inWorkspace("PATCH", `webhook_endpoints/${id}`, { url: "https://other.example/hooks" });
    const moved = await until("the second email", () => emailsAbout(owner, id)[1] ?? null);
    expect(moved).toContain("The URL of a webhook endpoint of the account Kiln Street was changed to other.example");
    expect(emailsAbout(owner, id)).toHaveLength(2);
    expect(emailsAbout(developer, id)).toEqual([]);
  });

  it("requires a recent step-up, unlike other endpoint changes", async () => {
    const path = `webhook_endpoints/${idOf(await create())}`;
    const stale = await newColleague(service, owner, "developer");
    await expireStepUp(service, stale);
    expect(refusalOf(await stale.inWorkspace("PATCH", path, { url: "https://other.example/" }))).toBe(
      "403 step_up_required",
    );
    expect((await stale.inWorkspace("PATCH", path, { description: "The till", status: "disabled" })).status).toBe(200);
    expect((await stale.inWorkspace("GET", path)).body).toMatchObject({
      description: "The till",
      url: expect.stringContaining(receiver.url),
    });
  });
});

describe("a webhook endpoint", () => {
  it("shows its secret on creation and after that only on request, which is audited", async () => {
    const created = await create();
    const secret = String(created.body["secret"]);
    expect(secret).toMatch(/^whsec_/);
    const path = `webhook_endpoints/${idOf(created)}`;
    const { secret: _shown, ...rest } = created.body;
    expect((await developer.inWorkspace("GET", path)).body).toEqual({ ...rest, last_attempt: null });
    expect((await developer.inWorkspace("GET", "webhook_endpoints")).text).not.toContain("whsec_");

    expect((await developer.inWorkspace("POST", `${path}/reveal`, {})).body).toEqual({ secret });
    const rotated = await developer.inWorkspace("POST", `${path}/rotate_secret`, { overlap: "1h" });
    expect(rotated.body["secret"]).not.toBe(secret);
    expect((await developer.inWorkspace("POST", `${path}/reveal`, {})).body).toEqual({
      secret: rotated.body["secret"],
    });

    const audited = (await auditOf(service, owner.accountId)).filter((line) => line.includes(idOf(created)));
    expect(audited.map((line) => line.replace(` ${idOf(created)} by login ${developer.email}`, ""))).toEqual([
      "webhook_endpoint.created",
      "webhook_endpoint.secret_revealed",
      "webhook_endpoint.secret_rotated",
      "webhook_endpoint.secret_revealed",
    ]);
    expect(service.log.join("")).not.toContain(secret.slice(6));
  });

  it("receives a signed test event, and its delivery is visible", async () => {
    const path = newPath();
    const created = await create(path, { enabled_events: ["payment.succeeded"] });
    const response = await developer.inWorkspace("POST", `webhook_endpoints/${idOf(created)}/test`, {});
    expect(response.body).toMatchObject({ type: "ping", data: { object: { id: idOf(created) } } });
    const [webhook] = await receiver.at(path, 1);
    if (webhook === undefined) throw new Error("No webhook");
    expect(verified(webhook, String(created.body["secret"]))).toMatchObject({ id: response.body["id"], type: "ping" });
    const delivered = await until("the delivery", async () => {
      const { body } = await developer.inWorkspace(
        "GET",
        `webhook_endpoints/${idOf(created)}/deliveries?status=succeeded`,
      );
      const [delivery] = body["data"] as unknown as Json[]; // a list's data is an array
      return delivery ?? null;
    });
    expect(delivered).toMatchObject({ event_id: response.body["id"], tries: 1, last_try: { response_status: 200 } });
    const audited = `webhook_endpoint.tested ${idOf(created)} by login ${developer.email}`;
    expect(await auditOf(service, owner.accountId)).toContain(audited);
  });

  it("reports its latest attempt, even if it failed", async () => {
    const path = newPath();
    const id = idOf(await create(path));
    const attemptOf = async () => {
      const { body } = await developer.inWorkspace("GET", "webhook_endpoints");
      const endpoints = body["data"] as unknown as Json[]; // a list's data is an array
      return endpoints.find((endpoint) => String(endpoint["id"]) === id)?.["last_attempt"] ?? null;
    };
    expect(await attemptOf()).toBe(null);
    const react = receiver.react;
    receiver.react = (webhook, response) =>
      webhook.path === path ? void response.writeHead(500).end("out of memory") : react(webhook, response);
    await developer.inWorkspace("POST", `webhook_endpoints/${id}/test`, {});
    const failed = {
      status: "pending",
      response_status: 500,
      failure: "response_status",
      response_body: "out of memory",
    };
    expect(await until("the attempt", attemptOf)).toMatchObject(failed);
    receiver.react = react;
    expect((await developer.inWorkspace("GET", `webhook_endpoints/${id}`)).body).toMatchObject({
      failing_since: expect.any(Number),
      last_attempt: failed,
    });
  });

  it("isn't sent test events when disabled and returns 404 when deleted", async () => {
    const path = `webhook_endpoints/${idOf(await create())}`;
    expect((await developer.inWorkspace("PATCH", path, { status: "disabled" })).body).toMatchObject({
      status: "disabled",
    });
    expect(refusalOf(await developer.inWorkspace("POST", `${path}/test`, {}))).toBe("400 webhook_endpoint_disabled");
    expect((await developer.inWorkspace("DELETE", path)).body).toMatchObject({ deleted: true });
    for (const [method, below, body] of [
      ["GET", "", undefined],
      ["GET", "/deliveries", undefined],
      ["PATCH", "", {}],
      ["DELETE", "", undefined],
      ["POST", "/rotate_secret", {}],
      ["POST", "/reveal", {}],
      ["POST", "/test", {}],
    ] as const) {
      expect(refusalOf(await developer.inWorkspace(method, `${path}${below}`, body))).toBe("404 resource_missing");
    }
  });

  it.each([
    ["https://user:password@shop.example/hooks", "400 url_not_allowed url"],
    ["https://shop.example/hooks#x", "400 url_not_allowed url"],
    ["https://10.0.0.1/hooks", "400 url_not_allowed url"],
    ["ftp://shop.example/", "400 url_not_allowed url"],
    ["", "400 parameter_invalid url"],
  ])("refuses the URL %j on create and update", async (url, refused) => {
    expect(refusalOf(await developer.inWorkspace("POST", "webhook_endpoints", { url }))).toBe(refused);
    const created = await create();
    expect(refusalOf(await developer.inWorkspace("PATCH", `webhook_endpoints/${idOf(created)}`, { url }))).toBe(
      refused,
    );
  });

  it("shows its normalized URL", async () => {
    const created = await developer.inWorkspace("POST", "webhook_endpoints", {
      url: "https://BÜCHER.example:443/a/../hooks",
    });
    expect(created.body["url"]).toBe("https://xn--bcher-kva.example/hooks");
    await developer.inWorkspace("DELETE", `webhook_endpoints/${idOf(created)}`);
  });
});
