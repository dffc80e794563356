/**
 * Tests signing in to the dashboard: who gets a session, and how far an attacker with only some of the credentials
 * gets.
 */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { me, linkToken, emailsTo, newBrowser, newVisitor, password, signUp } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

describe("signing in", () => {
  it("gives the same response for a wrong password and an unknown email", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, "x@shop.example");
    const wrong = await stranger.call("POST", "/auth/sign-in", { email: visitor.email, password: "not the right one" });
    const unknown = await stranger.call("POST", "/auth/sign-in", {
      email: "nobody-9@shop.example",
      password: "not the right one",
    });
    expect(refusalOf(wrong)).toBe("401 sign_in_failed");
    expect(unknown.text).toBe(wrong.text);
    expect(stranger.cookies.size).toBe(0);
  });

  it("gives no session before the second factor, and a different one each time after it", async () => {
    const visitor = await newVisitor(service);
    const first = visitor.cookies.get("oriel.session_token");
    await visitor.signOut();
    const half = await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    expect(half.body).toEqual({ status: "second_factor" });
    expect(visitor.cookies.has("oriel.session_token")).toBe(false);
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
    expect((await visitor.call("POST", "/auth/second-factor", { code: visitor.code() })).body).toEqual({
      status: "signed_in",
    });
    expect(visitor.cookies.get("oriel.session_token")).not.toBe(first);
    expect((await me(visitor)).status).toBe(200);
  });

  it("accepts no session that an attacker planted, even after sign-in", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    const planted = "planted-by-somebody.c2lnbmF0dXJl";
    visitor.cookies.set("oriel.session_token", planted);
    await visitor.signIn();
    expect(visitor.cookies.get("oriel.session_token")).not.toBe(planted);
    const attacker = newBrowser(service, "");
    attacker.cookies.set("oriel.session_token", planted);
    expect(refusalOf(await me(attacker))).toBe("401 sign_in_required");
  });

  it("sets a cookie that scripts can't read and other sites can't send", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    const response = await visitor.call("POST", "/auth/second-factor", { code: visitor.code() });
    expect(String(response.headers["set-cookie"])).toMatch(/oriel\.session_token=[^;]+;.*HttpOnly.*SameSite=Strict/i);
    expect(String(response.headers["set-cookie"])).not.toMatch(/Domain=/i);
  });
});

describe("the second factor", () => {
  it("is required before anything else is reachable", async () => {
    const browser = await signUp(service, "Kiln Street");
    expect((await browser.signIn()).body).toEqual({ status: "signed_in" });
    expect((await me(browser)).body["login"]).toMatchObject({ has_second_factor: false });
    expect((await me(browser)).body["memberships"]).toEqual([]);
  });

  it("checks each code only once, whether it is right or wrong", async () => {
    const visitor = await newVisitor(service);
    const code = visitor.code();
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    const second = newBrowser(service, visitor.email);
    await second.call("POST", "/auth/sign-in", { email: visitor.email, password });
    expect((await visitor.call("POST", "/auth/second-factor", { code })).status).toBe(200);
    expect(refusalOf(await second.call("POST", "/auth/second-factor", { code }))).toBe("401 code_invalid code");
    expect(refusalOf(await me(second))).toBe("401 sign_in_required");
  });

  it("lets only one of many concurrent requests use the same code", async () => {
    const visitor = await newVisitor(service);
    const code = visitor.code();
    const browsers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const browser = newBrowser(service, visitor.email);
        await browser.call("POST", "/auth/sign-in", { email: visitor.email, password });
        return browser;
      }),
    );
    const responses = await Promise.all(
      browsers.map((browser) => browser.call("POST", "/auth/second-factor", { code })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 401)).toHaveLength(5);
  });

  it("accepts each recovery code once and sends an email", async () => {
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
      const response = await visitor.call("POST", "/auth/second-factor", { recovery_code: codes[0] });
      expect(response.status).toBe(status);
      await visitor.signOut();
    }
    await until(
      "the email",
      async () =>
        emailsTo(service, visitor.email).find((email) => email.includes("\nSubject: A recovery code was used")) ?? null,
    );
  });

  it("is still required after a password reset by email, which ends all sessions", async () => {
    const visitor = await newVisitor(service);
    const other = newBrowser(service, visitor.email);
    await other.call("POST", "/auth/reset-request", { email: visitor.email });
    const token = await linkToken(service, visitor.email, "reset-password");
    const changed = "a quite different phrase 7";
    expect((await other.call("POST", "/auth/reset", { token, password: changed })).status).toBe(200);
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
    expect(refusalOf(await other.call("POST", "/auth/reset", { token, password: changed }))).toBe("400 link_invalid");
    expect((await other.call("POST", "/auth/sign-in", { email: visitor.email, password: changed })).body).toEqual({
      status: "second_factor",
    });
    expect(refusalOf(await me(other))).toBe("401 sign_in_required");
  });

  it("can't be bypassed with a session that is too old, by a new password or by another factor", async () => {
    const visitor = await newVisitor(service);
    await expireStepUp(service, visitor);
    for (const [path, body] of [
      ["/auth/password", { current: password, password: "a quite different phrase 9" }],
      ["/auth/recovery-codes", { password }],
      ["/auth/totp/begin", { password }],
      ["/auth/passkeys/registration", { password }],
    ] as const)
      expect(refusalOf(await visitor.call("POST", path, body))).toBe("403 step_up_required");
  });

  it("can be replaced after signing in with a recovery code, and until then the lost app works", async () => {
    const lost = await signUp(service, "Kiln Street");
    await lost.signIn();
    const setup = await lost.call("POST", "/auth/totp/begin", { password });
    await lost.call("POST", "/auth/totp/confirm", { code: lost.code() });
    const [recovery_code] = setup.body["recovery_codes"] as unknown as string[];
    const { email } = lost;
    const computer = newBrowser(service, email);
    await computer.call("POST", "/auth/sign-in", { email, password });
    expect((await computer.call("POST", "/auth/second-factor", { recovery_code })).status).toBe(200);
    expect((await computer.call("POST", "/auth/totp/begin", { password })).body).toEqual({
      uri: expect.stringMatching(/^otpauth:\/\/totp\/Oriel/),
      recovery_codes: [],
    });
    expect(refusalOf(await computer.call("POST", "/auth/totp/confirm", { code: lost.code() }))).toBe(
      "401 code_invalid code",
    );
    const thief = newBrowser(service, email);
    await thief.call("POST", "/auth/sign-in", { email, password });
    expect((await thief.call("POST", "/auth/second-factor", { code: lost.code() })).status).toBe(200);

    expect((await computer.call("POST", "/auth/totp/confirm", { code: computer.code() })).status).toBe(200);
    for (const other of [lost, thief]) expect(refusalOf(await me(other))).toBe("401 sign_in_required");
    expect((await me(computer)).status).toBe(200);
    // A retry whose first response was lost
    expect(refusalOf(await computer.call("POST", "/auth/totp/confirm", { code: computer.code() }))).toBe(
      "409 not_possible_now",
    );
    await computer.signOut();
    expect((await computer.signIn()).status).toBe(200);
  });

  it("is replaced only together with the end of other sessions and the audit entry", async () => {
    const { db } = service.context;
    const visitor = await newVisitor(service);
    const phone = newBrowser(service, visitor.email);
    await phone.call("POST", "/auth/sign-in", { email: visitor.email, password });
    await phone.call("POST", "/auth/second-factor", { code: visitor.code() });
    const { login } = (await me(visitor)).body as unknown as { login: { id: string } };
    const secret = async () =>
      await db.selectFrom("login_second_factor").select("secret").where("login_id", "=", login.id).executeTakeFirst();
    const before = await secret();
    await visitor.call("POST", "/auth/totp/begin", { password });
    const confirm = async (code: string) => (await visitor.call("POST", "/auth/totp/confirm", { code })).status;
    const code = visitor.code();
    await sql`create function refuse_replacement() returns trigger language plpgsql as $$ begin
      raise exception 'the process ends here'; end $$`.execute(db);
    await sql`create trigger refuse_replacement before insert on audit_log for each row
      when (new.action = 'login.second_factor_replaced') execute function refuse_replacement()`.execute(db);
    try {
      expect(await confirm(code)).toBe(500);
    } finally {
      await sql`drop function refuse_replacement cascade`.execute(db);
    }
    expect(await secret()).toEqual(before);
    expect((await me(phone)).status).toBe(200);
    await db.deleteFrom("spent_code").where("login_id", "=", login.id).execute(); // three codes aren't enough
    expect(await confirm(code)).toBe(200);
    expect(await secret()).not.toEqual(before);
    expect(refusalOf(await me(phone))).toBe("401 sign_in_required");
    const entry = db.selectFrom("audit_log").select("id").where("action", "=", "login.second_factor_replaced");
    expect(await entry.where("actor", "=", `login ${visitor.email}`).execute()).toHaveLength(1);
  });

  it("can't be replaced anymore once the setup has expired", async () => {
    const visitor = await newVisitor(service);
    await visitor.call("POST", "/auth/totp/begin", { password });
    const setups = service.context.db
      .updateTable("login_verification")
      .set({ expires_at: new Date(Date.now() - 1000) });
    await setups.where("identifier", "like", "replace-app:%").execute();
    const refused = await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expect(refusalOf(refused)).toBe("409 not_possible_now");
    expect(refused.body["error"]?.["message"]).toContain("expired");
  });

  it("ends earlier sessions that used only the password when it is set up", async () => {
    const visitor = await signUp(service, "Kiln Street");
    const thief = newBrowser(service, visitor.email);
    await visitor.signIn();
    expect((await thief.signIn()).body).toEqual({ status: "signed_in" });
    expect((await me(thief)).status).toBe(200);
    await visitor.call("POST", "/auth/totp/begin", { password });
    await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expect(refusalOf(await me(thief))).toBe("401 sign_in_required");
    expect((await me(visitor)).status).toBe(200);
  });

  it("is still required for sensitive routes after the password is changed", async () => {
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

  it("isn't requested from a user who is already signed in", async () => {
    const visitor = await newVisitor(service);
    expect(refusalOf(await visitor.call("POST", "/auth/second-factor", { code: visitor.code() }))).toBe(
      "409 not_possible_now",
    );
  });
});

describe("a password reset by email", () => {
  it("gives the same response for an unknown email", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, "");
    const known = await stranger.call("POST", "/auth/reset-request", { email: visitor.email });
    const unknown = await stranger.call("POST", "/auth/reset-request", { email: "nobody-11@shop.example" });
    expect({ status: known.status, text: known.text }).toEqual({ status: unknown.status, text: unknown.text });
  });

  it("requires a link that the service has sent", async () => {
    const stranger = newBrowser(service, "");
    expect(refusalOf(await stranger.call("POST", "/auth/reset", { token: "a-token-that-was-made-up", password }))).toBe(
      "400 link_invalid",
    );
  });
});
