/**
 * Tests an account's team: invitations, role changes and removals. At least one owner remains, even with concurrent
 * changes.
 */
import { describe, expect, it } from "vitest";
import type { Role } from "@oriel/protocol/dashboard/roles";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { ownerTag, tagLength } from "../src/platform/ids.ts";
import { auditOf, refusalOf } from "./setup/dashboard-errors.ts";
import {
  linkToken,
  emailsTo,
  newBrowser,
  newColleague,
  newOperator,
  newVisitor,
  password,
  type Visitor,
} from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

const invite = (owner: Visitor, email: string, role: Role = "developer") =>
  owner.inWorkspace("POST", "team/invitations", { email, role });
const accept = (visitor: Visitor, token: string) => visitor.call("POST", "/auth/invitations/accept", { token });
const teamOf = async (visitor: Visitor) =>
  // Both are arrays according to the contract.
  (await visitor.inWorkspace("GET", "team")).body as unknown as Record<"members" | "invitations", Json[]>;
const idOf = async (visitor: Visitor, of = visitor) =>
  String((await teamOf(visitor)).members.find(({ email }) => String(email) === of.email)?.["login_id"]);
const rolesOf = async (visitor: Visitor) =>
  (await teamOf(visitor)).members.map(({ email, role }) => `${email} ${role}`);

/** Sends an invitation and returns the token from the email. */
async function tokenFor(owner: Visitor, email: string, role: Role = "developer"): Promise<string> {
  const before = emailsTo(service, email).length;
  expect((await invite(owner, email, role)).status).toBe(200);
  await until("the invitation", () => (emailsTo(service, email).length > before ? true : null));
  return await linkToken(service, email, "invitation");
}

describe("an invitation", () => {
  it("makes the user with that email a member with its role, and is audited", async () => {
    const owner = await newVisitor(service, { accountName: "Kiln Street" });
    const guest = await newVisitor(service);
    const token = await tokenFor(owner, guest.email, "support");
    const email = emailsTo(service, guest.email).at(-1);
    expect(email).toContain(`${owner.email} invited you to join the team of Kiln Street`);
    expect((await teamOf(owner)).invitations).toEqual([
      {
        id: expect.stringMatching(/^inv_/),
        email: guest.email,
        role: "support",
        invited_by: owner.email,
        created: expect.any(Number),
        expires: expect.any(Number),
      },
    ]);
    expect(await dumpDatabase(service.context.db)).not.toContain(token);
    expect(service.log.join("")).not.toContain(token);

    expect((await accept(guest, token)).body).toEqual({ account_id: owner.accountId });
    expect((await teamOf(owner)).invitations).toEqual([]);
    expect(await rolesOf(owner)).toEqual([`${owner.email} owner`, `${guest.email} support`]);
    const workspace = `/data/${owner.accountId}/test`;
    expect((await guest.call("GET", `${workspace}/team`)).status).toBe(200);
    expect(refusalOf(await guest.call("GET", `${workspace}/keys`))).toBe("403 permission_missing");
    expect(
      (await auditOf(service, owner.accountId)).slice(-2).map((line) => line.replace(/inv_\w+|login_\w+/, "ID")),
    ).toEqual([`member.invited ID by login ${owner.email}`, `member.added ID by login ${guest.email}`]);
  });

  it("shows the account's ID if its name predates the rules for names", async () => {
    const owner = await newVisitor(service);
    const named = service.context.db.updateTable("account").set({ name: "Win at www.evil.example" });
    await named.where("id", "=", owner.accountId).execute();
    const token = await tokenFor(owner, "stranger@shop.example");
    const read = await newBrowser(service, "").call("POST", "/auth/invitations/read", { token });
    expect(read.body["account_name"]).toBe(owner.accountId);
    const email = emailsTo(service, "stranger@shop.example").at(-1);
    expect(email).toContain(`invited you to join the team of ${owner.accountId} on Oriel`);
    expect(email).not.toContain("evil");
  });

  it("gets the same response whether or not a user has that email", async () => {
    const owner = await newVisitor(service);
    const known = await newVisitor(service);
    const responses = [
      await invite(owner, known.email),
      await invite(owner, "nobody-yet@shop.example"),
      await invite(owner, "whsec_x@shop.example"),
    ];
    for (const { status, body } of responses) {
      expect(status).toBe(200);
      expect(body).toEqual({ id: expect.stringMatching(/^inv_/), status: "mail_sent" });
    }
  });

  it("is found by a user who signs up with the email later", async () => {
    const owner = await newVisitor(service);
    const email = "comes-later@shop.example";
    const token = await tokenFor(owner, email, "read_only");
    const browser = newBrowser(service, email);
    await browser.call("POST", "/auth/sign-up", { name: "Robin Weaver", email, password });
    await browser.call("POST", "/auth/verify-email", { token: await linkToken(service, email, "verify-email") });
    await browser.signIn();
    expect(refusalOf(await accept(browser, token))).toBe("403 second_factor_required");
    await browser.call("POST", "/auth/totp/begin", { password });
    await browser.call("POST", "/auth/totp/confirm", { code: browser.code() });
    expect((await accept(browser, token)).body).toEqual({ account_id: owner.accountId });
  });

  it("is listed for the user with the email, who can accept it without the link", async () => {
    const owner = await newVisitor(service, { accountName: "Kiln Street" });
    const [guest, other] = [await newVisitor(service), await newVisitor(service)];
    await tokenFor(owner, guest.email.toUpperCase(), "support");
    const listed = async (visitor: Visitor) =>
      (await visitor.call("GET", "/auth/invitations")).body["data"] as unknown as Json[]; // an array
    const [invitation] = await listed(guest);
    expect(invitation).toEqual({
      id: expect.stringMatching(/^inv_/),
      account_name: "Kiln Street",
      role: "support",
      invited_by: owner.email,
      expires: expect.any(Number),
    });
    expect(await listed(other)).toEqual([]);
    const acceptById = (visitor: Visitor, id = String(invitation?.["id"])) =>
      visitor.call("POST", "/auth/invitations/accept", { id });
    for (const id of ["inv_0", owner.accountId, "x"])
      expect(refusalOf(await acceptById(guest, id))).toBe("400 link_invalid");
    expect(refusalOf(await acceptById(other))).toBe("400 link_invalid");
    expect(refusalOf(await guest.call("POST", "/auth/invitations/accept", {}))).toBe("400 parameter_missing token");
    expect((await acceptById(guest)).body).toEqual({ account_id: owner.accountId });
    expect(await listed(guest)).toEqual([]);
    expect(refusalOf(await acceptById(guest))).toBe("400 link_invalid");
  });

  it("tells whoever has the link who it is for and whether it still works", async () => {
    const owner = await newVisitor(service, { accountName: "Kiln Street" });
    const guest = await newVisitor(service);
    const nobody = newBrowser(service, "nobody@shop.example");
    const read = (token: string) => nobody.call("POST", "/auth/invitations/read", { token });
    const revoked = await tokenFor(owner, guest.email);
    const token = await tokenFor(owner, guest.email);
    const invitation = { email: guest.email, account_name: "Kiln Street", invited_by: owner.email };
    expect((await read(token)).body).toEqual({ status: "open", ...invitation });
    expect((await read(revoked)).body).toEqual({ status: "revoked", ...invitation });
    expect(refusalOf(await read(`${token}x`))).toBe("400 link_invalid");
    await accept(guest, token);
    expect((await read(token)).body).toEqual({ status: "accepted", ...invitation });
    const late = await tokenFor(owner, "late@shop.example");
    const expired = service.context.db.updateTable("invitation").set({ expires_at: service.context.now() });
    await expired.where("email", "=", "late@shop.example").execute();
    expect((await read(late)).body).toMatchObject({ status: "expired" });
  });

  it("works once, even with concurrent requests", async () => {
    const owner = await newVisitor(service);
    const guest = await newVisitor(service);
    const token = await tokenFor(owner, guest.email);
    const responses = await Promise.all(Array.from({ length: 5 }, () => accept(guest, token)));
    expect(responses.map(refusalOf).sort()).toEqual(["200", ...Array<string>(4).fill("400 link_invalid")]);
    await owner.inWorkspace("DELETE", `team/members/${await idOf(owner, guest)}`);
    expect(refusalOf(await accept(guest, token))).toBe("400 link_invalid");
  });

  it("works only for its email and stays valid after someone else tries it", async () => {
    const owner = await newVisitor(service);
    const [guest, other] = [await newVisitor(service), await newVisitor(service)];
    const token = await tokenFor(owner, guest.email.toUpperCase());
    expect(refusalOf(await accept(other, token))).toBe("400 link_invalid");
    const madeUp = ["a-token-that-never-was", `${token.slice(0, tagLength)}${"x".repeat(43)}`];
    const elsewhere = ownerTag({ accountNo: other.accountNo, livemode: false }) + token.slice(tagLength);
    for (const wrong of [...madeUp, elsewhere]) expect(refusalOf(await accept(guest, wrong))).toBe("400 link_invalid");
    expect(refusalOf(await accept(newBrowser(service, "x@shop.example"), token))).toBe("401 sign_in_required");
    expect((await accept(guest, token)).status).toBe(200);
  });

  it("expires after seven days and when it is withdrawn", async () => {
    const owner = await newVisitor(service);
    const guest = await newVisitor(service);
    const late = await tokenFor(owner, guest.email);
    const [invitation] = (await teamOf(owner)).invitations;
    expect(Number(invitation?.["expires"]) - Number(invitation?.["created"])).toBe(7 * 24 * 3600);
    const expired = service.context.db.updateTable("invitation").set({ expires_at: new Date() });
    await expired.where("id", "=", String(invitation?.["id"])).execute();
    expect(refusalOf(await accept(guest, late))).toBe("400 link_invalid");
    expect((await teamOf(owner)).invitations).toEqual([]);

    const token = await tokenFor(owner, guest.email);
    const [open] = (await teamOf(owner)).invitations;
    const takeBack = () => owner.inWorkspace("DELETE", `team/invitations/${open?.["id"]}`);
    expect((await takeBack()).status).toBe(200);
    expect(refusalOf(await takeBack())).toBe("404 resource_missing");
    expect(refusalOf(await accept(guest, token))).toBe("400 link_invalid");
  });

  it("replaces the previous one, so a removed member can't return with an older invitation", async () => {
    const owner = await newVisitor(service);
    const guest = await newVisitor(service);
    const first = await tokenFor(owner, guest.email, "owner");
    const second = await tokenFor(owner, guest.email, "read_only");
    expect((await teamOf(owner)).invitations).toHaveLength(1);
    expect(refusalOf(await accept(guest, first))).toBe("400 link_invalid");
    expect((await accept(guest, second)).status).toBe(200);
    await owner.inWorkspace("DELETE", `team/members/${await idOf(owner, guest)}`);
    for (const token of [first, second]) expect(refusalOf(await accept(guest, token))).toBe("400 link_invalid");
  });

  it("gets the usual response for an operator but can't be accepted, because operators can't join teams", async () => {
    const owner = await newVisitor(service);
    const operator = await newOperator(service);
    const token = await tokenFor(owner, operator.email);
    expect(refusalOf(await accept(operator, token))).toBe("409 not_possible_now");
    expect(await rolesOf(owner)).toHaveLength(1);
  });

  it("is refused for a current member and can't be accepted while the account is suspended", async () => {
    const owner = await newVisitor(service);
    const guest = await newVisitor(service);
    const { db, now } = service.context;
    const token = await tokenFor(owner, guest.email);
    await setAccountStatus(db, owner.accountId, "suspended", now(), "cli test");
    expect(refusalOf(await accept(guest, token))).toBe("409 not_possible_now");
    await setAccountStatus(db, owner.accountId, "active", now(), "cli test");
    expect((await accept(guest, token)).status).toBe(200);
    for (const { email } of [guest, owner]) expect(refusalOf(await invite(owner, email))).toBe("409 not_possible_now");
  });

  it("is refused when members and invitations total a hundred, and after thirty sent in a row", async () => {
    const owner = await newVisitor(service);
    const now = service.context.now();
    const open = Array.from({ length: 99 }, (_, i) => ({
      id: `inv_full_${i}_${owner.accountId}`,
      account_no: owner.accountNo,
      email: `guest-${i}@shop.example`,
      role: "read_only" as const,
      token_hash: Buffer.from(`${owner.accountId} ${i}`),
      invited_by: owner.email,
      created_at: now,
      expires_at: new Date(now.getTime() + 60_000),
    }));
    await service.context.db.insertInto("invitation").values(open).execute();
    expect(refusalOf(await invite(owner, "one-more@shop.example"))).toBe("409 not_possible_now");
    expect((await invite(owner, "guest-7@shop.example")).status).toBe(200); // replaces the pending one
    const responses = [];
    for (let i = 0; i < 30; i++) responses.push(refusalOf(await invite(owner, `guest-${i}@shop.example`)));
    expect(responses.at(0)).toBe("200");
    expect(responses.at(-1)).toBe("429 rate_limited");
  });

  it.each([
    [{ email: "a@shop.example", role: "operator" }, "400 parameter_invalid role"],
    [{ email: "no address", role: "owner" }, "400 parameter_invalid email"],
    [{ email: "a@shop.example\nbcc: b@shop.example", role: "owner" }, "400 parameter_invalid email"],
    [{ role: "owner" }, "400 parameter_missing email"],
    [{ email: "a@shop.example", role: "owner", account_id: "acct_other" }, "400 parameter_unknown account_id"],
  ])("is refused when it is %j", async (body, refused) => {
    once ??= newVisitor(service);
    expect(refusalOf(await (await once).inWorkspace("POST", "team/invitations", body))).toBe(refused);
  });
});

let once: Promise<Visitor> | undefined;

describe("a member", () => {
  it.each<[string, (owner: Visitor, path: string) => Promise<unknown>]>([
    ["removed", (owner, path) => owner.inWorkspace("DELETE", path)],
    ["made a developer", (owner, path) => owner.inWorkspace("PATCH", path, { role: "developer" })],
  ])("loses the pending invitations it sent as an owner when it is %s", async (_name, demote) => {
    const owner = await newVisitor(service);
    const other = await newColleague(service, owner, "owner");
    const second = await newVisitor(service);
    const third = await newVisitor(service);
    const token = await tokenFor(other, second.email, "owner");
    const otherToken = await tokenFor(owner, third.email, "owner");

    await demote(owner, `team/members/${await idOf(owner, other)}`);

    expect((await teamOf(owner)).invitations).toMatchObject([{ email: third.email }]);
    expect(refusalOf(await accept(second, token))).toBe("400 link_invalid");
    expect(refusalOf(await accept(third, otherToken))).toBe("200");
  });

  it("has the permissions of a new role from the next request on, and none once removed", async () => {
    const owner = await newVisitor(service);
    const colleague = await newColleague(service, owner, "read_only");
    const path = `team/members/${await idOf(owner, colleague)}`;
    const keys = async () => refusalOf(await colleague.inWorkspace("GET", "keys"));
    expect(await keys()).toBe("403 permission_missing");
    expect((await owner.inWorkspace("PATCH", path, { role: "developer" })).status).toBe(200);
    expect(await keys()).toBe("200");
    expect((await owner.inWorkspace("PATCH", path, { role: "developer" })).status).toBe(200); // unchanged
    expect((await owner.inWorkspace("DELETE", path)).status).toBe(200);
    expect(await keys()).toBe("404 resource_missing");
    for (const again of [
      await owner.inWorkspace("DELETE", path),
      await owner.inWorkspace("PATCH", path, { role: "owner" }),
    ])
      expect(refusalOf(again)).toBe("404 resource_missing");
    const audited = (await auditOf(service, owner.accountId)).filter((line) => /role_changed|removed/.test(line));
    expect(audited.map((line) => line.split(" ")[0])).toEqual(["member.role_changed", "member.removed"]);
  });

  it("can't be changed or removed by another team", async () => {
    const [owner, other] = [await newVisitor(service), await newVisitor(service)];
    const path = `team/members/${await idOf(other)}`;
    expect(refusalOf(await owner.inWorkspace("PATCH", path, { role: "read_only" }))).toBe("404 resource_missing");
    expect(refusalOf(await owner.inWorkspace("DELETE", path))).toBe("404 resource_missing");
    expect(await rolesOf(other)).toEqual([`${other.email} owner`]);
  });
});

describe("the last owner", () => {
  it("must remain an owner until another one exists, and can then leave", async () => {
    const owner = await newVisitor(service);
    const colleague = await newColleague(service, owner, "developer");
    const [own, theirs] = [await idOf(owner), await idOf(owner, colleague)];
    expect(refusalOf(await owner.inWorkspace("DELETE", `team/members/${own}`))).toBe("409 not_possible_now");
    expect(refusalOf(await owner.inWorkspace("PATCH", `team/members/${own}`, { role: "developer" }))).toBe(
      "409 not_possible_now",
    );
    expect((await owner.inWorkspace("PATCH", `team/members/${theirs}`, { role: "owner" })).status).toBe(200);
    expect((await owner.inWorkspace("DELETE", `team/members/${own}`)).status).toBe(200);
    expect(refusalOf(await owner.inWorkspace("GET", "team"))).toBe("404 resource_missing");
    expect(await rolesOf(colleague)).toEqual([`${colleague.email} owner`]);
  });

  it("remains when two owners remove or demote each other at once", async () => {
    for (const [method, body] of [
      ["DELETE", undefined],
      ["PATCH", { role: "read_only" }],
    ] as const) {
      const owner = await newVisitor(service);
      const second = await newColleague(service, owner, "owner");
      const [own, theirs] = [await idOf(owner), await idOf(owner, second)];
      const responses = await Promise.all([
        owner.inWorkspace(method, `team/members/${theirs}`, body),
        second.inWorkspace(method, `team/members/${own}`, body),
      ]);
      expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
      const left = service.context.db.selectFrom("member").select("login_id").where("account_no", "=", owner.accountNo);
      expect(await left.where("role", "=", "owner").execute()).toHaveLength(1);
    }
  });
});
