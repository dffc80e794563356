/**
 * Tests passkeys: one signs a user in, and anything other than a fresh response from a registered passkey is refused.
 * Also tests how an authenticator app coexists with them.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newAuthenticator, type Authenticator, type Forgery } from "./setup/authenticator.ts";
import { expireStepUp } from "./setup/dashboard-errors.ts";
import {
  emailsTo,
  newBrowser,
  newOperator,
  newVisitor,
  password,
  signUp,
  type Visitor,
} from "./setup/dashboard-visitor.ts";
import { startTestService, type ApiResponse } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

async function register(visitor: Visitor, device: Authenticator, forgery: Forgery = {}): Promise<ApiResponse> {
  const options = await visitor.call("POST", "/auth/passkeys/registration", { password });
  return await visitor.call("POST", "/auth/passkeys", {
    name: "My phone",
    response: device.create(options.body, forgery),
  });
}

async function signIn(browser: Visitor, device: Authenticator, forgery: Forgery = {}): Promise<ApiResponse> {
  const options = await browser.call("POST", "/auth/passkeys/authentication", {});
  return await browser.call("POST", "/auth/passkeys/sign-in", { response: device.get(options.body, forgery) });
}

const device = () => newAuthenticator(service.config.dashboardOrigin);
const codeOf = ({ status, body }: ApiResponse) => `${status} ${String(body["error"]?.["code"] ?? body["status"])}`;

describe("a passkey", () => {
  it("is a second factor for a user without one, and signs in without a password", async () => {
    const visitor = await signUp(service, "Kiln Street");
    await visitor.signIn();
    const phone = device();
    expect(codeOf(await register(visitor, phone))).toBe("200 added");
    expect((await visitor.call("GET", "/auth/me")).body["login"]).toMatchObject({ has_second_factor: true });
    const elsewhere = newBrowser(service, visitor.email);
    expect(codeOf(await signIn(elsewhere, phone))).toBe("200 signed_in");
    expect((await elsewhere.call("GET", "/auth/me")).body["login"]).toMatchObject({ email: visitor.email });
  });

  it("is required after the password when there is no authenticator app", async () => {
    const visitor = await signUp(service, "Kiln Street");
    await visitor.signIn();
    await register(visitor, device());
    await visitor.signOut();
    expect(codeOf(await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password }))).toBe("200 passkey");
    expect((await visitor.call("GET", "/auth/me")).status).toBe(401);
  });

  it("is listed, and can be removed only while another second factor remains", async () => {
    const visitor = await signUp(service, "Kiln Street");
    await visitor.signIn();
    await register(visitor, device());
    const { passkeys } = (await visitor.call("GET", "/auth/security")).body as unknown as {
      passkeys: { id: string; name: string }[];
    };
    expect(passkeys).toMatchObject([{ name: "My phone" }]);
    const remove = (id = "") => visitor.call("POST", `/auth/passkeys/${id}/remove`, { password });
    expect(codeOf(await remove(passkeys[0]?.id))).toBe("409 not_possible_now");
    await register(visitor, device());
    expect(codeOf(await remove(passkeys[0]?.id))).toBe("200 removed");
    expect(codeOf(await remove(passkeys[0]?.id))).toBe("404 resource_missing");
  });

  it("counts as a step-up", async () => {
    const visitor = await newVisitor(service);
    const phone = device();
    await register(visitor, phone);
    await expireStepUp(service, visitor);
    expect(codeOf(await visitor.call("POST", "/auth/passkeys/registration", { password }))).toBe(
      "403 step_up_required",
    );
    const options = await visitor.call("POST", "/auth/step-up/passkey-options", {});
    expect(codeOf(await visitor.call("POST", "/auth/step-up/passkey", { response: phone.get(options.body) }))).toBe(
      "200 stepped_up",
    );
    expect((await visitor.call("POST", "/auth/passkeys/registration", { password })).status).toBe(200);
  });

  it.each<[string, Forgery]>([
    ["comes from another origin", { origin: "https://evil.example" }],
    ["comes from another host", { rpId: "evil.example" }],
    ["lacks user verification", { userVerified: false }],
    ["signs a challenge that we did not create", { challenge: "bWFkZS11cA" }],
  ])("is not registered when it %s", async (_what, forgery) => {
    const visitor = await newVisitor(service);
    expect(codeOf(await register(visitor, device(), forgery))).toBe("401 code_invalid");
  });

  it.each<[string, Forgery]>([
    ["comes from another origin", { origin: "https://evil.example" }],
    ["comes from another host", { rpId: "evil.example" }],
    ["lacks user verification", { userVerified: false }],
    ["signs a challenge that we did not create", { challenge: "bWFkZS11cA" }],
    ["with a counter that stands still", { counter: 1 }],
    ["is signed with another key", { key: "another" }],
  ])("is refused when it %s", async (_what, forgery) => {
    const visitor = await newVisitor(service);
    const phone = device();
    await register(visitor, phone);
    const browser = newBrowser(service, "");
    expect(codeOf(await signIn(browser, phone, forgery))).toBe("401 code_invalid");
    expect(browser.cookies.size).toBe(0);
    expect(codeOf(await signIn(browser, phone))).toBe("200 signed_in");
  });

  it("signs a challenge once, for the purpose it was created for", async () => {
    const visitor = await newVisitor(service);
    const phone = device();
    await register(visitor, phone);
    const browser = newBrowser(service, "");
    const options = await browser.call("POST", "/auth/passkeys/authentication", {});
    const response = phone.get(options.body);
    expect(codeOf(await browser.call("POST", "/auth/passkeys/sign-in", { response }))).toBe("200 signed_in");
    expect(codeOf(await browser.call("POST", "/auth/passkeys/sign-in", { response }))).toBe("401 code_invalid");
    const forSignIn = await browser.call("POST", "/auth/passkeys/authentication", {});
    const steppingUp = await visitor.call("POST", "/auth/step-up/passkey", { response: phone.get(forSignIn.body) });
    expect(codeOf(steppingUp)).toBe("401 code_invalid");
  });

  it("can't step up another user", async () => {
    const visitor = await newVisitor(service);
    const stranger = await newVisitor(service);
    const phone = device();
    await register(stranger, phone);
    const options = await visitor.call("POST", "/auth/step-up/passkey-options", {});
    expect(codeOf(await visitor.call("POST", "/auth/step-up/passkey", { response: phone.get(options.body) }))).toBe(
      "401 code_invalid",
    );
  });

  it("is unavailable to operators and to users who become one", async () => {
    const operator = await newOperator(service);
    expect(codeOf(await operator.call("POST", "/auth/passkeys/registration", { password }))).toBe(
      "409 not_possible_now",
    );
    const visitor = await newVisitor(service);
    const phone = device();
    await register(visitor, phone);
    const { login_id } = await service.context.db
      .selectFrom("login_passkey")
      .select("login_id")
      .orderBy("created_at", "desc")
      .executeTakeFirstOrThrow();
    await service.context.db.insertInto("operator").values({ login_id, created_at: new Date() }).execute();
    expect(codeOf(await signIn(newBrowser(service, ""), phone))).toBe("401 code_invalid");
  });
});

describe("an authenticator app of a user with passkeys", () => {
  const remove = (visitor: Visitor, body = { password }) => visitor.call("POST", "/auth/totp/remove", body);
  const security = async (visitor: Visitor) => (await visitor.call("GET", "/auth/security")).body;

  it("exists only once its setup is complete", async () => {
    const visitor = await signUp(service, "Kiln Street");
    await visitor.signIn();
    await register(visitor, device());
    expect(await security(visitor)).toMatchObject({ has_authenticator: false, recovery_codes_left: 0 });
    await visitor.call("POST", "/auth/totp/begin", { password });
    expect(codeOf(await visitor.call("POST", "/auth/step-up", { password, code: visitor.code() }))).toBe(
      "401 code_invalid",
    );
    expect(await security(visitor)).toMatchObject({ has_authenticator: false, recovery_codes_left: 0 });
    await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() });
    expect(await security(visitor)).toMatchObject({ has_authenticator: true, recovery_codes_left: 10 });
    expect(codeOf(await visitor.call("POST", "/auth/totp/confirm", { code: visitor.code() }))).toBe(
      "409 not_possible_now",
    );
  });

  it("is removed with its recovery codes, which sends an email, and can be set up again", async () => {
    const visitor = await newVisitor(service);
    await register(visitor, device());
    expect(codeOf(await remove(visitor))).toBe("200 removed");
    expect(await security(visitor)).toMatchObject({ has_authenticator: false, recovery_codes_left: 0 });
    await until(
      "the email",
      async () =>
        emailsTo(service, visitor.email).find((email) => email.includes("the authenticator app was removed")) ?? null,
    );
    expect(codeOf(await visitor.call("POST", "/auth/step-up", { password, code: visitor.code() }))).toBe(
      "401 code_invalid",
    );
    expect(codeOf(await remove(visitor))).toBe("409 not_possible_now");
    const elsewhere = newBrowser(service, visitor.email);
    expect(codeOf(await elsewhere.call("POST", "/auth/sign-in", { email: visitor.email, password }))).toBe(
      "200 passkey",
    );
    expect((await visitor.call("POST", "/auth/totp/begin", { password })).status).toBe(200);
  });

  it("can't be removed as the only second factor, with a wrong password, without a step-up, or by operators", async () => {
    const visitor = await newVisitor(service);
    expect(codeOf(await remove(visitor))).toBe("409 not_possible_now");
    await register(visitor, device());
    expect(codeOf(await remove(visitor, { password: "not the right one" }))).toBe("403 password_wrong");
    await expireStepUp(service, visitor);
    expect(codeOf(await remove(visitor))).toBe("403 step_up_required");
    expect(await security(visitor)).toMatchObject({ has_authenticator: true });
    expect(codeOf(await remove(await newOperator(service)))).toBe("409 not_possible_now");
  });

  it("has no effect on another user's passkeys, which can't be removed by ID either", async () => {
    const [visitor, other] = [await newVisitor(service), await newVisitor(service)];
    await register(other, device());
    const { passkeys } = (await security(other)) as unknown as { passkeys: { id: string }[] };
    const theirs = await visitor.call("POST", `/auth/passkeys/${passkeys[0]?.id}/remove`, { password });
    expect(codeOf(theirs)).toBe("404 resource_missing");
    expect(await security(other)).toMatchObject({ passkeys: [{ id: passkeys[0]?.id }] });
  });

  it("can't be removed at the same time as the only passkey", async () => {
    const visitor = await newVisitor(service);
    await register(visitor, device());
    const { passkeys } = (await security(visitor)) as unknown as { passkeys: { id: string }[] };
    const both = await Promise.all([
      remove(visitor),
      visitor.call("POST", `/auth/passkeys/${passkeys[0]?.id}/remove`, { password }),
    ]);
    expect(both.map(codeOf).sort()).toEqual(["200 removed", "409 not_possible_now"]);
    expect((await visitor.call("GET", "/auth/me")).body["login"]).toMatchObject({ has_second_factor: true });
  });
});
