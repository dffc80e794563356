/** Signing in to the dashboard: who gets a session, for how long, and what an attacker with half of what it takes gets. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { forgetSignIns } from "../src/sign-in/forget-sign-ins.ts";
import { linkToken, mailsTo, newBrowser, newVisitor, password, signUp, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService, type Answer, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.close());

function expectNo({ status, body }: Answer, [expectedStatus, code]: [number, string]): void {
  expect({ status, code: body["error"]?.["code"] }).toEqual({ status: expectedStatus, code });
}

const me = (visitor: Visitor) => visitor.call("GET", "/auth/me");
const signedOut: [number, string] = [401, "sign_in_required"];
const failed: [number, string] = [401, "sign_in_failed"];

describe("signing up", () => {
  it("makes a login, an account and its owner once the address is confirmed", async () => {
    const visitor = await newVisitor(service, { accountName: "Loom & Daughters" });
    const { body } = await me(visitor);
    expect(body["login"]).toMatchObject({ name: "Robin Weaver", email: visitor.email, has_second_factor: true });
    expect(body["memberships"]).toEqual([
      {
        account_id: visitor.accountId,
        account_name: "Loom & Daughters",
        role: "owner",
        status: "active",
        is_live_approved: false,
      },
    ]);
    expect(body["is_operator"]).toBe(false);
  });

  it("lets nobody in before the address is confirmed, and sends the link again", async () => {
    const browser = newBrowser(service, "unconfirmed@shop.example");
    await browser.call("POST", "/auth/sign-up", { name: "A B", email: browser.email, password, account_name: "Shop" });
    await until("the first mail", async () => mailsTo(service, browser.email)[0] ?? null);
    expectNo(await browser.signIn(), [403, "address_unverified"]);
    expect(browser.cookies.size).toBe(0);
    expect(await until("the second mail", async () => mailsTo(service, browser.email)[1] ?? null)).toContain("/verify-email#");
  });

  it("signs nobody in by the link: it may be read by somebody else than who chose the password", async () => {
    const browser = newBrowser(service, "link@shop.example");
    await browser.call("POST", "/auth/sign-up", { name: "A B", email: browser.email, password, account_name: "Shop" });
    const token = await linkToken(service, browser.email, "verify-email");
    expect((await browser.call("POST", "/auth/verify-email", { token })).status).toBe(200);
    expectNo(await me(browser), signedOut);
    // Twice does no harm, and makes no second account.
    expect((await browser.call("POST", "/auth/verify-email", { token })).status).toBe(200);
    const made = service.context.db.selectFrom("member").innerJoin("login", "login.id", "member.login_id").select("account_id");
    expect(await made.where("login.email", "=", browser.email).execute()).toHaveLength(1);
  });

  it("answers the same for an address that has a login, and tells its owner", async () => {
    const owner = await newVisitor(service);
    const stranger = newBrowser(service, owner.email);
    const form = { name: "Eve", password: "another long passphrase", account_name: "Mine now" };
    const known = await stranger.call("POST", "/auth/sign-up", { ...form, email: owner.email });
    const unknown = await stranger.call("POST", "/auth/sign-up", { ...form, email: "nobody@shop.example" });
    expect({ status: known.status, text: known.text }).toEqual({ status: unknown.status, text: unknown.text });
    await until(
      "the owner's mail",
      async () => mailsTo(service, owner.email).find((mail) => mail.includes("You have a login already")) ?? null,
    );
    await owner.signOut();
    expect((await owner.signIn()).status).toBe(200);
  });

  it.each([
    ["short", "eleven char"],
    ["common", "password12345678"],
    ["of one letter", "aaaaaaaaaaaaaaaa"],
    ["the address itself", "robin@shop.example1"],
  ])("refuses a password that is %s", async (_what, unsuitable) => {
    const browser = newBrowser(service, "robin@shop.example");
    const answer = await browser.call("POST", "/auth/sign-up", {
      name: "Robin",
      email: browser.email,
      password: unsuitable,
      account_name: "Shop",
    });
    expectNo(answer, [400, "password_unsuitable"]);
    expect(answer.body["error"]?.["param"]).toBe("password");
  });

  it("keeps passwords as argon2id with at least 19 MiB and two passes, and nothing in the log", async () => {
    await newVisitor(service);
    const rows = await service.context.db.selectFrom("login_credential").select("password").execute();
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) {
      const [, memory = 0, passes = 0] = (/^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(row.password ?? "") ?? []).map(Number);
      expect(memory).toBeGreaterThanOrEqual(19_456);
      expect(passes).toBeGreaterThanOrEqual(2);
    }
    expect(service.log.filter((line) => line.includes(password) || line.includes("verify-email#"))).toEqual([]);
  });

  it.each([
    ["name", "Robin\r\nBcc: all@shop.example"],
    ["account_name", "Shop\u0000"],
    ["account_name", "  "],
    ["account_name", "Kiln \u202EteertS"],
  ])("refuses a %s with more than text in it", async (param, text) => {
    const form = { name: "Eve", email: "eve@shop.example", password, account_name: "Mine", [param]: text };
    const answer = await newBrowser(service, form.email).call("POST", "/auth/sign-up", form);
    expect(answer.status).toBe(400);
    expect(answer.body["error"]?.["code"]).toMatch(/^(parameter_invalid|body_malformed)$/);
  });

  it("takes no field that is not asked for", async () => {
    const form = { name: "Eve", email: "eve@shop.example", password, account_name: "Mine" };
    for (const more of [{ emailVerified: true }, { role: "owner" }, { twoFactorEnabled: true }, { is_operator: true }]) {
      const answer = await newBrowser(service, form.email).call("POST", "/auth/sign-up", { ...form, ...more });
      expectNo(answer, [400, "parameter_unknown"]);
    }
  });
});

describe("signing in", () => {
  it("answers a wrong password and an unknown address alike", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, "x@shop.example");
    const wrong = await stranger.call("POST", "/auth/sign-in", { email: visitor.email, password: "not the right one" });
    const unknown = await stranger.call("POST", "/auth/sign-in", {
      email: "nobody-9@shop.example",
      password: "not the right one",
    });
    expectNo(wrong, failed);
    expect(unknown.text).toBe(wrong.text);
    expect(stranger.cookies.size).toBe(0);
  });

  it("locks a login after ten wrong passwords, the right one too, known or not, until a new password is set by mail", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    for (const email of [visitor.email, "nobody-10@shop.example"]) {
      for (let n = 0; n < 10; n++)
        expectNo(await visitor.call("POST", "/auth/sign-in", { email, password: `wrong ${n} password` }), failed);
      expectNo(await visitor.call("POST", "/auth/sign-in", { email, password }), failed);
    }
    expect((await visitor.call("POST", "/auth/reset-request", { email: visitor.email })).status).toBe(200);
    const token = await linkToken(service, visitor.email, "reset-password");
    expect((await visitor.call("POST", "/auth/reset", { token, password })).status).toBe(200);
    expect((await visitor.signIn()).status).toBe(200);
  });

  it("opens again after half an hour", async () => {
    const visitor = await newVisitor(service);
    for (let n = 0; n < 10; n++)
      await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });
    expectNo(await visitor.signIn(), failed);
    const moved = service.context.db.updateTable("sign_in_failure").set({ locked_until: new Date(Date.now() - 1000) });
    await moved.where("email", "=", visitor.email).execute();
    expect((await visitor.signIn()).status).toBe(200);
  });

  it("gives no session before the second factor, and each time another one after it", async () => {
    const visitor = await newVisitor(service);
    const first = visitor.cookies.get("oriel.session_token");
    await visitor.signOut();
    const half = await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    expect(half.body).toEqual({ status: "second_factor" });
    expect(visitor.cookies.has("oriel.session_token")).toBe(false);
    expectNo(await me(visitor), signedOut);
    expect((await visitor.call("POST", "/auth/second-factor", { code: visitor.code() })).body).toEqual({ status: "signed_in" });
    expect(visitor.cookies.get("oriel.session_token")).not.toBe(first);
    expect((await me(visitor)).status).toBe(200);
  });

  it("takes no session from outside: one that was planted stays worthless after signing in", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    const planted = "planted-by-somebody.c2lnbmF0dXJl";
    visitor.cookies.set("oriel.session_token", planted);
    await visitor.signIn();
    expect(visitor.cookies.get("oriel.session_token")).not.toBe(planted);
    const attacker = newBrowser(service, "");
    attacker.cookies.set("oriel.session_token", planted);
    expectNo(await me(attacker), signedOut);
  });

  it("sets a cookie that no script reads and no other site sends", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    const answer = await visitor.call("POST", "/auth/second-factor", { code: visitor.code() });
    expect(String(answer.headers["set-cookie"])).toMatch(/oriel\.session_token=[^;]+;.*HttpOnly.*SameSite=Strict/i);
    expect(String(answer.headers["set-cookie"])).not.toMatch(/Domain=/i);
  });
});

describe("the second factor", () => {
  it("is asked for before anything else can be reached", async () => {
    const browser = await signUp(service, "Kiln Street");
    expect((await browser.signIn()).body).toEqual({ status: "signed_in" });
    expect((await me(browser)).body["login"]).toMatchObject({ has_second_factor: false });
    expect((await me(browser)).body["memberships"]).toEqual([]);
  });

  it("looks at a code once, right or wrong", async () => {
    const visitor = await newVisitor(service);
    const code = visitor.code();
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    const second = newBrowser(service, visitor.email);
    await second.call("POST", "/auth/sign-in", { email: visitor.email, password });
    expect((await visitor.call("POST", "/auth/second-factor", { code })).status).toBe(200);
    expectNo(await second.call("POST", "/auth/second-factor", { code }), [401, "code_invalid"]);
    expectNo(await me(second), signedOut);
  });

  it("lets one of many win who bring the same code at once", async () => {
    const visitor = await newVisitor(service);
    const code = visitor.code();
    const browsers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = newBrowser(service, visitor.email);
        await browser.call("POST", "/auth/sign-in", { email: visitor.email, password });
        return browser;
      }),
    );
    const answers = await Promise.all(browsers.map((browser) => browser.call("POST", "/auth/second-factor", { code })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it("takes each recovery code once, and tells by mail", async () => {
    const visitor = await signUp(service, "Kiln Street");
    await visitor.signIn();
    const setup = await visitor.call("POST", "/auth/totp/begin", { password });
    const codes = setup.body["recovery_codes"] as unknown as string[];
    expect(codes).toHaveLength(10);
    expect(new Set(codes).size).toBe(10);
    await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expect((await visitor.call("GET", "/auth/security")).body["recovery_codes_left"]).toBe(10);
    await visitor.signOut();
    for (const status of [200, 401]) {
      await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
      const answer = await visitor.call("POST", "/auth/second-factor", { recovery_code: codes[0] });
      expect(answer.status).toBe(status);
      await visitor.signOut();
    }
    await until("the mail", async () => mailsTo(service, visitor.email).find((mail) => mail.includes("recovery code")) ?? null);
  });

  it("gives up on a challenge after five wrong codes", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    for (const code of ["000000", "111111", "222222", "333333", "444444"])
      expectNo(await visitor.call("POST", "/auth/second-factor", { code }), [401, "code_invalid"]);
    expectNo(await visitor.call("POST", "/auth/second-factor", { code: visitor.code() }), [401, "code_invalid"]);
    expectNo(await me(visitor), signedOut);
  });

  it("is still asked for after a new password was set by mail, and all sessions have ended", async () => {
    const visitor = await newVisitor(service);
    const other = newBrowser(service, visitor.email);
    await other.call("POST", "/auth/reset-request", { email: visitor.email });
    const token = await linkToken(service, visitor.email, "reset-password");
    const changed = "a quite different phrase 7";
    expect((await other.call("POST", "/auth/reset", { token, password: changed })).status).toBe(200);
    expectNo(await me(visitor), signedOut);
    expectNo(await other.call("POST", "/auth/reset", { token, password: changed }), [400, "link_invalid"]);
    expect((await other.call("POST", "/auth/sign-in", { email: visitor.email, password: changed })).body).toEqual({
      status: "second_factor",
    });
    expectNo(await me(other), signedOut);
  });

  it("is not to be guessed by who has a session and the password: ten wrong codes lock it", async () => {
    const visitor = await newVisitor(service);
    const stepUp = (code: string) => visitor.call("POST", "/auth/step-up", { password, code });
    for (let n = 0; n < 10; n++) expectNo(await stepUp(`00000${n}`), [401, "code_invalid"]);
    expectNo(await stepUp(visitor.code()), [401, "code_invalid"]);
    const { login } = (await me(visitor)).body as unknown as { login: { id: string } };
    await service.context.db.deleteFrom("sign_in_failure").where("email", "=", `codes of ${login.id}`).execute();
    expect((await stepUp(visitor.code())).status).toBe(200);
  });

  it("cannot be passed by with a session that is no longer fresh: not by a new password, nor by another factor", async () => {
    const visitor = await newVisitor(service);
    await service.context.db
      .updateTable("login_session")
      .set({ stepped_up_at: new Date(Date.now() - 11 * 60_000) })
      .execute();
    for (const [path, body] of [
      ["/auth/password", { current: password, password: "a quite different phrase 9" }],
      ["/auth/recovery-codes", { password }],
      ["/auth/totp/begin", { password }],
      ["/auth/passkeys/registration", { password }],
    ] as const)
      expectNo(await visitor.call("POST", path, body), [403, "step_up_required"]);
  });

  it("ends what the password alone has opened before there was one", async () => {
    const visitor = await signUp(service, "Kiln Street");
    const thief = newBrowser(service, visitor.email);
    await visitor.signIn();
    expect((await thief.signIn()).body).toEqual({ status: "signed_in" });
    expect((await me(thief)).status).toBe(200);
    await visitor.call("POST", "/auth/totp/begin", { password });
    await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expectNo(await me(thief), signedOut);
    expect((await me(visitor)).status).toBe(200);
  });

  it("is not given twice by a new password: what needs a fresh session still asks", async () => {
    const visitor = await newVisitor(service);
    const sessions = service.context.db.updateTable("login_session");
    await sessions.set({ stepped_up_at: new Date(Date.now() - 9 * 60_000) }).execute();
    const changed = { current: password, password: "a quite different phrase 10" };
    expect((await visitor.call("POST", "/auth/password", changed)).status).toBe(200);
    const { stepped_up_at } = await service.context.db
      .selectFrom("login_session")
      .innerJoin("login", "login.id", "login_session.login_id")
      .select("stepped_up_at")
      .where("login.email", "=", visitor.email)
      .executeTakeFirstOrThrow();
    expect(Date.now() - (stepped_up_at?.getTime() ?? 0)).toBeGreaterThan(8 * 60_000);
  });

  it("is nothing to ask of who is signed in already", async () => {
    const visitor = await newVisitor(service);
    expectNo(await visitor.call("POST", "/auth/second-factor", { code: visitor.code() }), [409, "not_possible_now"]);
  });

  it("cannot be kept from who is signed in by wrong passwords at the front door", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, visitor.email);
    for (let n = 0; n < 11; n++)
      await stranger.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });
    expect((await visitor.call("POST", "/auth/step-up", { password, code: visitor.code() })).status).toBe(200);
  });

  it("is not to be guessed by many at once: ten are looked at", async () => {
    const visitor = await newVisitor(service);
    const confirm = (code: string) => visitor.call("POST", "/auth/totp/confirm", { code });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => confirm(`1111${n + 10}`)));
    expect(answers.filter(({ status }) => status !== 401)).toEqual([]);
    expectNo(await confirm(visitor.code()), [401, "code_invalid"]);
  });

  it("cannot be replaced by who has a session and the password", async () => {
    const visitor = await newVisitor(service);
    expectNo(await visitor.call("POST", "/auth/totp/begin", { password }), [409, "not_possible_now"]);
  });
});

describe("a new password by mail", () => {
  it("answers the same for an address that nobody has", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, "");
    const known = await stranger.call("POST", "/auth/reset-request", { email: visitor.email });
    const unknown = await stranger.call("POST", "/auth/reset-request", { email: "nobody-11@shop.example" });
    expect({ status: known.status, text: known.text }).toEqual({ status: unknown.status, text: unknown.text });
  });

  it("needs a link that was sent", async () => {
    const stranger = newBrowser(service, "");
    expectNo(await stranger.call("POST", "/auth/reset", { token: "a-token-that-was-made-up", password }), [400, "link_invalid"]);
  });
});

describe("a session", () => {
  it("ends where it is signed out, whatever cookie is brought back", async () => {
    const visitor = await newVisitor(service);
    const kept = new Map(visitor.cookies);
    const answer = await visitor.signOut();
    expect(answer.headers["clear-site-data"]).toContain("storage");
    for (const [name, value] of kept) visitor.cookies.set(name, value);
    expectNo(await me(visitor), signedOut);
  });

  it("ends after a quarter of an hour without use, and after twelve hours of use", async () => {
    const visitor = await newVisitor(service);
    const session = service.context.db.updateTable("login_session");
    const own = ({ id }: { id: string }) => session.where("login_id", "=", id);
    const { login } = (await me(visitor)).body as unknown as { login: { id: string } };
    await own(login)
      .set({ created_at: new Date(Date.now() - 12 * 3_600_000 - 1000) })
      .execute();
    expectNo(await me(visitor), signedOut);
    await visitor.signIn();
    await own(login)
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute();
    expectNo(await me(visitor), signedOut);
    await visitor.signIn();
    const { expires_at } = await service.context.db
      .selectFrom("login_session")
      .select("expires_at")
      .where("login_id", "=", login.id)
      .orderBy("created_at", "desc")
      .executeTakeFirstOrThrow();
    expect(expires_at.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  });

  it("is listed and ended from another one, by its own login only", async () => {
    const visitor = await newVisitor(service);
    const phone = newBrowser(service, visitor.email);
    await phone.call("POST", "/auth/sign-in", { email: visitor.email, password });
    await phone.call("POST", "/auth/second-factor", { code: visitor.code() });
    const { sessions } = (await visitor.call("GET", "/auth/security")).body as unknown as {
      sessions: { id: string; is_this_one: boolean }[];
    };
    expect(sessions.map(({ is_this_one }) => is_this_one)).toEqual(expect.arrayContaining([false, true]));
    const other = sessions.find(({ is_this_one }) => !is_this_one);
    const stranger = await newVisitor(service);
    expectNo(await stranger.call("POST", `/auth/sessions/${other?.id}/revoke`, {}), [404, "resource_missing"]);
    expect((await me(phone)).status).toBe(200);
    expect((await visitor.call("POST", `/auth/sessions/${other?.id}/revoke`, {})).status).toBe(200);
    expectNo(await me(phone), signedOut);
  });

  it("is the only one left after the password was changed", async () => {
    const visitor = await newVisitor(service);
    const phone = newBrowser(service, visitor.email);
    await phone.call("POST", "/auth/sign-in", { email: visitor.email, password });
    await phone.call("POST", "/auth/second-factor", { code: visitor.code() });
    const body = { current: password, password: "a quite different phrase 8" };
    expectNo(await visitor.call("POST", "/auth/password", { ...body, current: "not my password" }), [403, "password_wrong"]);
    expect((await visitor.call("POST", "/auth/password", body)).status).toBe(200);
    expectNo(await me(phone), signedOut);
    expect((await me(visitor)).status).toBe(200);
  });
});

describe("what is over", () => {
  it("is forgotten: sessions, links, failures, codes, and logins that nobody confirmed", async () => {
    const { db, now } = service.context;
    const visitor = await newVisitor(service);
    await visitor.call("POST", "/auth/sign-in", { email: "nobody-12@shop.example", password: "wrong passphrase" });
    const unconfirmed = newBrowser(service, "never-confirmed@shop.example");
    await unconfirmed.call("POST", "/auth/sign-up", { name: "A B", email: unconfirmed.email, password, account_name: "Shop" });
    const tables = ["login_session", "sign_in_failure", "spent_code"] as const;
    const later = { db, now: () => new Date(now().getTime() + 8 * 24 * 3_600_000) };
    for (let taken = 100; taken === 100;) taken = await forgetSignIns(later, 100);
    for (const table of tables) expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
    const logins = await db.selectFrom("login").select("email").execute();
    expect(logins.map(({ email }) => email)).toContain(visitor.email);
    expect(logins.map(({ email }) => email)).not.toContain(unconfirmed.email);
  });
});

describe("one address", () => {
  it("is limited, whatever it tries", async () => {
    const limited = await startTestService({ rateLimits: { signIn: { perSecond: 0.001, burst: 5 } } });
    try {
      const statuses: number[] = [];
      for (let n = 0; n < 7; n++) {
        const browser = newBrowser(limited, `nobody-${n}@shop.example`);
        statuses.push((await browser.call("POST", "/auth/sign-in", { email: browser.email, password })).status);
      }
      expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
    } finally {
      await limited.close();
    }
  });
});

describe("another site", () => {
  it.each([
    ["a form", { origin: "https://evil.example", "sec-fetch-site": "cross-site" }],
    ["a page of a sister host", { origin: "http://pay.localhost:4000", "sec-fetch-site": "same-site" }],
    ["a sandboxed frame", { origin: "null" }],
    ["no page at all", { origin: "" }],
    ["a page that writes our origin, told by the browser", { "sec-fetch-site": "cross-site" }],
  ])("changes nothing: %s", async (_what, headers) => {
    const visitor = await newVisitor(service);
    expectNo(await visitor.call("POST", "/auth/sessions/revoke-others", {}, headers), [403, "cross_site"]);
    expectNo(await visitor.call("POST", "/auth/sign-out", {}, headers), [403, "cross_site"]);
    expect((await me(visitor)).status).toBe(200);
  });

  it("changes nothing by what a form can send", async () => {
    const visitor = await newVisitor(service);
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const answer = await visitor.call("POST", "/auth/sessions/revoke-others", new TextEncoder().encode("{}"), {
        "content-type": type,
      });
      expectNo(answer, [400, "content_type_unsupported"]);
    }
  });

  it("changes nothing by asking for an address", async () => {
    const visitor = await newVisitor(service);
    for (const path of ["/auth/sign-out", "/auth/sessions/revoke-others", "/auth/totp/begin"])
      expect([400, 404]).toContain((await visitor.call("GET", path)).status);
    expect((await me(visitor)).status).toBe(200);
  });
});

describe("the dashboard's host", () => {
  it("has nothing of the API, and no other host has anything of it", async () => {
    const visitor = await newVisitor(service);
    expectNo(await visitor.call("GET", "/api/v1/charges"), [404, "route_unknown"]);
    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const elsewhere = await service.call("GET", "/auth/me", undefined, { cookie });
    expectNo(elsewhere, [404, "route_unknown"]);
    expectNo(await service.frame("GET", "/auth/me"), [404, "route_unknown"]);
  });
});
