/** Tests the operator console: access, the review queue, finding accounts, suspending them, and creating operators. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createAccount } from "../src/merchants/accounts/accounts.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { createOperator, listOperators, removeOperator, resetUser } from "../src/merchants/members/operators.ts";
import { newId } from "../src/platform/ids.ts";
import { applicationIn, decide, review } from "./setup/application.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import {
  linkToken,
  emailsTo,
  newBrowser,
  newColleague,
  newOperator,
  newVisitor,
  password,
  signUp,
  type Visitor,
} from "./setup/dashboard-visitor.ts";
import { startTestService, type Json, type Method } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const operator = await newOperator(service);
const owner = await newVisitor(service, { accountName: "Kiln Street" });

const listed = (response: { body: Json }) => response.body["data"] as unknown as Json[]; // a list's data is an array
const idsOf = (response: { body: Json }) => listed(response).map(({ id }) => String(id));
const queue = (query = "") => operator.call("GET", `/operator/applications${query}`);
const find = (search: string) => operator.call("GET", `/operator/accounts?search=${encodeURIComponent(search)}`);
const turn = (verb: "suspend" | "resume", id: string, reason = "Because.") =>
  operator.call("POST", `/operator/accounts/${id}/${verb}`, { reason });

describe("the console", () => {
  it("returns 404 for every request by anyone who isn't an operator", async () => {
    const id = await applicationIn("in_review", await newVisitor(service), operator);
    const paths: [Method, string, object?][] = [
      ["GET", "/operator/applications"],
      ["GET", `/operator/applications/${id}`],
      ["POST", `/operator/applications/${id}/review`, {}],
      ["POST", `/operator/applications/${id}/decision`, { decision: "approve", submitted: 0 }],
      ["GET", `/operator/applications/${id}/documents/doc_1`],
      ["GET", "/operator/accounts"],
      ["GET", `/operator/accounts/${owner.accountId}`],
      ["POST", `/operator/accounts/${owner.accountId}/suspend`, { reason: "a" }],
      ["POST", `/operator/accounts/${owner.accountId}/resume`, { reason: "a" }],
      ["POST", `/operator/accounts/${owner.accountId}/acquirer`, { merchant_id: "kiln-1" }],
    ];
    const nobody = newBrowser(service, "nobody@shop.example");
    const unfinished = await signUp(service, undefined);
    await unfinished.signIn();
    const { db, now } = service.context;
    const { id: login_id } = await db
      .selectFrom("login")
      .select("id")
      .where("email", "=", unfinished.email)
      .executeTakeFirstOrThrow();
    await db.insertInto("operator").values({ login_id, created_at: now() }).execute();
    for (const [method, path, body] of paths) {
      expect(refusalOf(await owner.call(method, path, body))).toBe("404 resource_missing");
      expect(refusalOf(await nobody.call(method, path, body))).toBe("401 sign_in_required");
      expect(refusalOf(await unfinished.call(method, path, body))).toBe("403 second_factor_required");
      const onTheApi = await service.call(method, path, body);
      expect([onTheApi.status, onTheApi.body["error"]?.["code"]]).toEqual([404, "route_unknown"]);
    }
    expect((await operator.call("GET", `/operator/applications/${id}`)).body["status"]).toBe("in_review");
  });

  it("refuses a removed operator from the next request on", async () => {
    const leaving = await newOperator(service);
    expect((await leaving.call("GET", "/operator/applications")).status).toBe(200);
    await removeOperator(service.context.db, leaving.email, service.context.now(), "cli test");
    expect(refusalOf(await leaving.call("GET", "/operator/applications"))).toBe("404 resource_missing");
  });

  it("returns 404 for objects that don't exist", async () => {
    const never = newId("app", service.context.now(), { accountNo: owner.accountNo, livemode: false });
    for (const id of [never, `app_${"0".repeat(33)}`, "x", owner.accountId, "%F0%9F%98%80"]) {
      expect(refusalOf(await operator.call("GET", `/operator/applications/${id}`))).toBe("404 resource_missing");
      expect(refusalOf(await review(operator, id))).toBe("404 resource_missing");
      expect(refusalOf(await decide(operator, id, "approve"))).toBe("404 resource_missing");
    }
    expect(refusalOf(await operator.call("GET", "/operator/accounts/acct_none"))).toBe("404 resource_missing");
    expect(refusalOf(await turn("suspend", "acct_none"))).toBe("404 resource_missing");
  });
});

describe("the queue", () => {
  it("lists submitted applications, the longest waiting first, page by page", async () => {
    const ids: string[] = [];
    for (const status of ["submitted", "submitted", "in_review", "submitted", "approved"] as const) {
      ids.push(await applicationIn(status, await newVisitor(service), operator));
      service.moveClock(1000);
    }
    const draft = await applicationIn("draft", await newVisitor(service), operator);
    const [first = "", second = "", reviewed = "", third = "", approved = ""] = ids;

    expect(idsOf(await queue("?status=submitted"))).toEqual([first, second, third]);
    const page = await queue("?status=submitted&limit=2");
    expect(page.body).toMatchObject({ has_more: true });
    expect(idsOf(page)).toEqual([first, second]);
    const rest = await queue(`?status=submitted&limit=2&starting_after=${second}`);
    expect(rest.body).toMatchObject({ has_more: false });
    expect(idsOf(rest)).toEqual([third]);
    expect(idsOf(await queue("?status=in_review"))).toContain(reviewed);
    const all = idsOf(await queue("?limit=100"));
    expect(all).not.toContain(draft);
    expect(all.filter((id) => ids.includes(id))).toEqual([first, second, reviewed, third, approved]);
    expect(idsOf(await queue("?starting_after=app_none"))).toEqual([]);
    expect(listed(await queue("?status=submitted"))[0]).toEqual({
      id: first,
      account: { id: expect.stringMatching(/^acct_/), name: "Kiln Street" },
      status: "submitted",
      created: expect.any(Number),
      submitted: expect.any(Number),
      decided: null,
    });
  });

  it.each(["?status=draft", "?limit=0", "?limit=101", "?limit=x", "?starting_after=", "?ending_before=app_1"])(
    "refuses %s",
    async (query) => {
      expect(refusalOf(await queue(query))).toMatch(/^400 parameter_(invalid|unknown) /);
    },
  );

  it("shows what is known about the account with each application", async () => {
    const visitor = await newVisitor(service, { accountName: "Loom Lane" });
    const support = await newColleague(service, visitor, "support");
    const id = await applicationIn("rejected", visitor, operator);
    const { merchant } = (await operator.call("GET", `/operator/applications/${id}`)).body;
    expect(merchant).toEqual({
      id: visitor.accountId,
      name: "Loom Lane",
      status: "active",
      is_live_approved: false,
      acquirer: { has_bank: false, merchant_id: null },
      created: expect.any(Number),
      members: [
        { name: "Robin Weaver", email: visitor.email, role: "owner", created: expect.any(Number) },
        { name: "Robin Weaver", email: support.email, role: "support", created: expect.any(Number) },
      ],
      applications: [{ id, status: "rejected", submitted: expect.any(Number) }],
    });
    expect((await operator.call("GET", `/operator/accounts/${visitor.accountId}`)).body).toEqual(merchant);
  });
});

describe("an account", () => {
  it("is found by its ID, an owner's email or the start of its name", async () => {
    const { db, now } = service.context;
    const names = ["Ärmel & Söhne", "ärmelhaus", "100%_Wool", "100 Yarns", "Zürich's \\ Loom"];
    const ids = new Map<string, string>();
    for (const name of names) ids.set(name, (await createAccount(db, name, now())).id);
    const is = async (search: string, ...expected: string[]) =>
      expect(idsOf(await find(search)).sort()).toEqual(expected.map((name) => ids.get(name) ?? name).sort());

    await is(ids.get("100 Yarns") ?? "", "100 Yarns");
    await is("100%", "100%_Wool");
    await is("100_");
    await is("100", "100%_Wool", "100 Yarns");
    await is("100 YARNS", "100 Yarns");
    await is("zürich's \\", "Zürich's \\ Loom");
    await is("Loom of nobody");
    await is(owner.email.toUpperCase(), owner.accountId);
    const colleague = await newColleague(service, owner, "developer");
    await is(colleague.email);
    await is("nobody@shop.example");
    await is("acct_none");
    await is("' or 1=1 --");
  });

  it("appears in a list of at most fifty, newest first unless there is a search", async () => {
    const { db, now } = service.context;
    for (let count = 0; count < 55; count++) await createAccount(db, `Crowd ${count}`, now());
    // IDs from the same millisecond are in no particular order.
    const { id: newest } = await createAccount(db, "The last one", new Date(now().getTime() + 1));
    expect(idsOf(await find("crowd"))).toHaveLength(50);
    const all = idsOf(await find("  "));
    expect([all.length, all[0]]).toEqual([50, newest]);
    expect(idsOf(await operator.call("GET", "/operator/accounts"))).toEqual(all);
    expect(refusalOf(await find("x".repeat(255)))).toBe("400 parameter_invalid search");
  });

  it("stops with the next request when it is suspended, works again when resumed, and its owners read why", async () => {
    const visitor = await newVisitor(service, { accountName: "Loom Lane" });
    const { accountId, accountNo } = visitor;
    const { db, now } = service.context;
    const { secretKey } = await createApiKey(db, { accountNo, livemode: false }, now());
    const read = async () =>
      (await service.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${secretKey}` })).status;
    expect(await read()).toBe(200);

    const suspended = await turn("suspend", accountId, "Cards were tested here.");
    expect(suspended.body).toMatchObject({ id: accountId, status: "suspended" });
    expect(await read()).toBe(401);
    expect(refusalOf(await visitor.inWorkspace("PUT", "application", {}))).toBe("403 permission_missing");
    expect((await visitor.inWorkspace("GET", "application")).status).toBe(200);
    const again = await turn("suspend", accountId, "Once more.");
    expect(again.status).toBe(200);
    expect((await turn("resume", accountId, "It was a mistake.")).body).toMatchObject({ status: "active" });
    expect(await read()).toBe(200);

    const joined = await until("two emails", () => {
      const found = emailsTo(service, visitor.email).filter((text) => text.includes("Your account was"));
      return found.length === 2 ? found.join("\n") : null;
    });
    expect(joined).toContain("suspended the account Loom Lane");
    expect(joined).toContain("\n\nCards were tested here.\n\n");
    expect(joined).toContain("\n\nIt was a mistake.");
    expect(joined).not.toContain("Once more");
    const by = `by login ${operator.email}`;
    const audited = await auditOf(service, accountId);
    expect(audited.filter((line) => line.endsWith(by))).toEqual([
      `account.suspended ${accountId} ${by}`,
      `account.resumed ${accountId} ${by}`,
    ]);
    const reasons = db
      .selectFrom("audit_log")
      .select("details")
      .where("account_id", "=", accountId)
      .where("action", "=", "account.suspended");
    expect(await reasons.execute()).toEqual([{ details: { address: "127.0.0.1", reason: "Cards were tested here." } }]);
  });

  it("can be suspended only with a reason and a step-up", async () => {
    for (const body of [{}, { reason: "" }, { reason: 1 }, { reason: "whsec_x" }, { reason: "a", status: "active" }])
      expect(refusalOf(await operator.call("POST", `/operator/accounts/${owner.accountId}/suspend`, body))).toMatch(
        /^400 parameter_/,
      );
    const stale = await newOperator(service);
    await expireStepUp(service, stale);
    for (const verb of ["suspend", "resume"]) {
      const response = await stale.call("POST", `/operator/accounts/${owner.accountId}/${verb}`, { reason: "a" });
      expect(refusalOf(response)).toBe("403 step_up_required");
    }
    expect((await operator.call("GET", `/operator/accounts/${owner.accountId}`)).body["status"]).toBe("active");
  });
});

describe("an operator", () => {
  const make = async (email: string) => {
    const { db, now } = service.context;
    return (await createOperator(db, { email, name: "Ann Lee" }, now(), "cli test")).linkToken;
  };
  const remove = async (email: string) =>
    await removeOperator(service.context.db, email, service.context.now(), "cli test");
  const signIn = (browser: Visitor) => browser.call("POST", "/auth/sign-in", { email: browser.email, password });
  const setPassword = (browser: Visitor, token: string | null) =>
    browser.call("POST", "/auth/reset", { token, password });
  /** Signs in with the password from the link and sets up the app. */
  const finish = async (browser: Visitor) => {
    expect((await signIn(browser)).body).toEqual({ status: "signed_in" });
    expect(refusalOf(await browser.call("GET", "/operator/applications"))).toBe("403 second_factor_required");
    await browser.call("POST", "/auth/totp/begin", { password });
    expect((await browser.call("POST", "/auth/totp/confirm", { code: browser.code() })).status).toBe(200);
  };

  it("who has no user yet chooses a password with a link that works once, and sets up an app before access", async () => {
    const browser = newBrowser(service, "ann@oriel.example");
    const token = await make(" Ann@Oriel.example ");
    expect(refusalOf(await signIn(browser))).toBe("401 sign_in_failed");
    expect(refusalOf(await setPassword(browser, `${token}x`))).toBe("400 link_invalid");
    expect((await setPassword(browser, token)).status).toBe(200);
    expect(refusalOf(await setPassword(browser, token))).toBe("400 link_invalid");
    await finish(browser);
    expect((await browser.call("GET", "/operator/applications")).status).toBe(200);
    expect((await browser.call("GET", "/auth/me")).body).toMatchObject({
      login: { name: "Ann Lee" },
      is_operator: true,
      memberships: [],
    });
    expect(await make(browser.email)).toBeNull();
    expect((await browser.call("GET", "/auth/me")).status).toBe(200);
  });

  it("gets a new link, which replaces the previous one, but none by email", async () => {
    const browser = newBrowser(service, "bea@oriel.example");
    const first = await make(browser.email);
    await browser.call("POST", "/auth/reset-request", { email: browser.email });
    const second = await make(browser.email);
    expect(refusalOf(await setPassword(browser, first))).toBe("400 link_invalid");
    const expired = service.context.db.updateTable("login_verification").set({ expires_at: new Date() });
    await expired.where("identifier", "=", `reset-password:${second}`).execute();
    expect(refusalOf(await setPassword(browser, second))).toBe("400 link_invalid");
    const third = await make(browser.email);
    await remove(browser.email);
    expect(refusalOf(await setPassword(browser, third))).toBe("400 link_invalid");
    expect(emailsTo(service, browser.email)).toEqual([]);
  });

  it("who had a user before keeps it after the removal, but their link doesn't work anymore", async () => {
    const visitor = await signUp(service, undefined);
    const token = await make(visitor.email);
    expect(await remove(visitor.email)).toEqual({ needsReset: true });
    expect(refusalOf(await setPassword(visitor, token))).toBe("400 link_invalid");
    const { db, now } = service.context;
    const next = await resetUser(db, visitor.email, now(), "cli test", null);
    expect((await setPassword(visitor, next)).status).toBe(200);
    expect((await signIn(visitor)).body).toEqual({ status: "signed_in" });
  });

  it("isn't someone who signed up with the email address but never confirmed it", async () => {
    const stranger = newBrowser(service, "unverified@oriel.example");
    await stranger.call("POST", "/auth/sign-up", { name: "Robin Weaver", email: stranger.email, password });
    const verification = await linkToken(service, stranger.email, "verify-email");
    const token = await make(stranger.email);
    await stranger.call("POST", "/auth/verify-email", { token: verification });
    expect(refusalOf(await signIn(stranger))).toBe("401 sign_in_failed");
    expect((await setPassword(newBrowser(service, stranger.email), token)).status).toBe(200);
  });

  it("who has a user without an app has to choose a new password, so that knowing the old one isn't enough", async () => {
    const visitor = await signUp(service, undefined);
    await visitor.signIn();
    const token = await make(visitor.email);
    expect((await visitor.call("GET", "/auth/me")).status).toBe(401);
    expect(refusalOf(await visitor.signIn())).toBe("401 sign_in_failed");
    expect((await setPassword(visitor, token)).status).toBe(200);
    await finish(visitor);
  });

  it("who has a user with an app signs in as before, can't be on a team, and is audited", async () => {
    const { db } = service.context;
    await expect(make(owner.email)).rejects.toThrow(`is on the team of the account ${owner.accountId}`);
    const visitor = await signUp(service, undefined);
    const { email } = visitor;
    await visitor.signIn();
    await visitor.call("POST", "/auth/totp/begin", { password });
    await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expect(await make(` ${email.toUpperCase()} `)).toBeNull();
    expect(await make(email)).toBeNull();
    expect((await visitor.call("GET", "/auth/me")).status).toBe(401);
    const operators = await listOperators(db);
    expect(operators.map((each) => each.email)).not.toContain(owner.email);
    expect(operators).toContainEqual({
      email,
      name: "Robin Weaver",
      hasSecondFactor: true,
      created_at: expect.any(Date),
    });
    await remove(email);
    await expect(remove(email)).rejects.toThrow("isn't an operator");
    await expect(remove("nobody@shop.example")).rejects.toThrow("isn't an operator");
    const rows = db
      .selectFrom("audit_log")
      .select(["actor", "action", "details"])
      .where("action", "like", "operator.%");
    const own = (await rows.orderBy("id").execute()).filter(({ details }) => details["email"] === email);
    expect(own).toEqual([
      { actor: "cli test", action: "operator.created", details: { email } },
      { actor: "cli test", action: "operator.removed", details: { email } },
    ]);
  });

  it("can't see a merchant's drafts", async () => {
    const id = await applicationIn("draft", await newVisitor(service), operator);
    expect(refusalOf(await operator.call("GET", `/operator/applications/${id}`))).toBe("404 resource_missing");
  });
});

describe("a user who has lost the app and the recovery codes", () => {
  it("sets up signing in again with a link from the command line, and nothing from before works", async () => {
    const { db, now } = service.context;
    const phone = await newVisitor(service);
    for (let n = 0; n < 10; n++)
      await phone.call("POST", "/auth/step-up", { password: "a wrong passphrase", code: "123456" });
    await expect(resetUser(db, "nobody@shop.example", now(), "cli test", null)).rejects.toThrow("No user has");
    const token = await resetUser(db, phone.email, now(), "cli test", service.context);
    const email = await until(
      "the email",
      () => emailsTo(service, phone.email).find((text) => text.includes("Your sign-in was reset")) ?? null,
    );
    expect(email).not.toContain(token);
    expect((await phone.call("GET", "/auth/me")).status).toBe(401);
    const computer = newBrowser(service, phone.email);
    const signIn = () => computer.call("POST", "/auth/sign-in", { email: phone.email, password });
    expect(refusalOf(await signIn())).toBe("401 sign_in_failed");
    await computer.call("POST", "/auth/reset", { token, password });
    expect((await signIn()).body).toEqual({ status: "signed_in" });
    expect((await computer.call("GET", "/auth/me")).body).toMatchObject({ login: { has_second_factor: false } });
    expect((await computer.call("POST", "/auth/totp/begin", { password })).status).toBe(200);
    await computer.call("POST", "/auth/totp/confirm", { code: computer.code() });
    expect((await computer.call("GET", `/data/${phone.accountId}/test/team`)).status).toBe(200);
    const reset = db.selectFrom("audit_log").select(["actor", "details"]).where("action", "=", "login.reset");
    const own = (await reset.execute()).filter(({ details }) => details["email"] === phone.email);
    expect(own).toEqual([{ actor: "cli test", details: { email: phone.email } }]);
  });
});

describe("the audit log", () => {
  it("has the IP address of every change by a user, and shows the team those of its members, but not the operator's", async () => {
    const visitor = await newVisitor(service);
    await visitor.inWorkspace("PUT", "settings/name", { name: "Loom Lane" });
    await turn("suspend", visitor.accountId, "Because.");
    const shown = listed(await visitor.inWorkspace("GET", "audit")).map(({ action, actor, address, details }) => ({
      action,
      actor,
      address,
      details,
    }));
    const own = { actor: `login ${visitor.email}`, address: "127.0.0.1" };
    const expected = [
      { action: "account.suspended", actor: "operator", address: null, details: { reason: "Because." } },
      { action: "account.renamed", ...own, details: { name: "Loom Lane" } },
      { action: "member.added", ...own, details: { role: "owner", email: visitor.email } },
      { action: "account.created", ...own, details: {} },
    ];
    // Entries of the same millisecond are in no particular order.
    expect(shown).toHaveLength(expected.length);
    expect(shown).toEqual(expect.arrayContaining(expected));
    const rows = await service.context.db
      .selectFrom("audit_log")
      .select(["action", "details"])
      .where("actor", "like", "login %")
      .execute();
    expect(rows.filter(({ details }) => details["address"] === undefined)).toEqual([]);
  });
});
