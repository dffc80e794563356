/**
 * Tests signing up: what it creates, and how it responds to an email that is taken, a bad password and an extra field.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { me, linkToken, emailsTo, newBrowser, newVisitor, password } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

describe("signing up", () => {
  it("creates a user, an account and its owner once the email is confirmed", async () => {
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

  it("allows no sign-in before the email is confirmed, and sends the link again", async () => {
    const browser = newBrowser(service, "unconfirmed@shop.example");
    await browser.call("POST", "/auth/sign-up", { name: "A B", email: browser.email, password, account_name: "Shop" });
    await until("the first email", async () => emailsTo(service, browser.email)[0] ?? null);
    expect(refusalOf(await browser.signIn())).toBe("403 address_unverified");
    expect(browser.cookies.size).toBe(0);
    expect(await until("the second email", async () => emailsTo(service, browser.email)[1] ?? null)).toContain(
      "/verify-email#",
    );
  });

  it("doesn't sign in whoever opens the link, since someone else may have chosen the password", async () => {
    const browser = newBrowser(service, "link@shop.example");
    await browser.call("POST", "/auth/sign-up", { name: "A B", email: browser.email, password, account_name: "Shop" });
    const token = await linkToken(service, browser.email, "verify-email");
    expect((await browser.call("POST", "/auth/verify-email", { token })).status).toBe(200);
    expect(refusalOf(await me(browser))).toBe("401 sign_in_required");
    // Confirming twice is harmless and creates no second account.
    expect((await browser.call("POST", "/auth/verify-email", { token })).status).toBe(200);
    const made = service.context.db
      .selectFrom("member")
      .innerJoin("login", "login.id", "member.login_id")
      .select("account_no");
    expect(await made.where("login.email", "=", browser.email).execute()).toHaveLength(1);
  });

  it("gives the same response for an email that has a user, and notifies its owner", async () => {
    const owner = await newVisitor(service);
    const stranger = newBrowser(service, owner.email);
    const form = { name: "Eve", password: "another long passphrase", account_name: "Mine now" };
    const known = await stranger.call("POST", "/auth/sign-up", { ...form, email: owner.email });
    const unknown = await stranger.call("POST", "/auth/sign-up", { ...form, email: "nobody@shop.example" });
    expect({ status: known.status, text: known.text }).toEqual({ status: unknown.status, text: unknown.text });
    await until(
      "the owner's email",
      async () =>
        emailsTo(service, owner.email).find((email) => email.includes("You already have an Oriel user")) ?? null,
    );
    await owner.signOut();
    expect((await owner.signIn()).status).toBe(200);
  });

  it.each([
    ["short", "eleven char"],
    ["common", "password12345678"],
    ["a single repeated letter", "aaaaaaaaaaaaaaaa"],
    ["the email itself", "robin@shop.example1"],
  ])("refuses a password that is %s", async (_what, unsuitable) => {
    const browser = newBrowser(service, "robin@shop.example");
    const response = await browser.call("POST", "/auth/sign-up", {
      name: "Robin",
      email: browser.email,
      password: unsuitable,
      account_name: "Shop",
    });
    expect(refusalOf(response)).toBe("400 password_unsuitable password");
  });

  it("stores passwords as argon2id with 19 MiB and two passes, and never logs them", async () => {
    const real = await startTestService({ passwordCost: "full" });
    try {
      await newVisitor(real);
      const { password: hash } = await real.context.db
        .selectFrom("login_credential")
        .select("password")
        .executeTakeFirstOrThrow();
      expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
      expect(real.log.filter((line) => line.includes(password) || line.includes("verify-email#"))).toEqual([]);
    } finally {
      await real.close();
    }
  });

  it.each([
    ["name", "Robin\r\nBcc: all@shop.example"],
    ["account_name", "Shop\u0000"],
    ["account_name", "  "],
    ["account_name", "Kiln \u202EteertS"],
  ])("refuses a %s with more than plain text", async (param, text) => {
    const form = { name: "Eve", email: "eve@shop.example", password, account_name: "Mine", [param]: text };
    const response = await newBrowser(service, form.email).call("POST", "/auth/sign-up", form);
    expect(response.status).toBe(400);
    expect(response.body["error"]?.["code"]).toMatch(/^(parameter_invalid|body_malformed)$/);
  });

  it.each([
    ["name", "Robin, see www.evil.example"],
    ["account_name", "Your bank: https://evil.example"],
    ["account_name", "evil.example/pay"],
    ["name", "robin@evil.example"],
    ["name", "oriel_sk_test_1"],
    ["account_name", "whsec_1"],
    ["name", "4000 0012 3456 7899"],
  ])("refuses a %s that contains a link or invalid characters: %s", async (param, text) => {
    const form = { name: "Eve", email: "eve@shop.example", password, account_name: "Mine", [param]: text };
    const response = await newBrowser(service, form.email).call("POST", "/auth/sign-up", form);
    expect(refusalOf(response)).toBe(`400 parameter_invalid ${param}`);
    expect(response.text).not.toContain(text);
  });

  it("accepts no unknown fields", async () => {
    const form = { name: "Eve", email: "eve@shop.example", password, account_name: "Mine" };
    for (const more of [
      { emailVerified: true },
      { role: "owner" },
      { twoFactorEnabled: true },
      { is_operator: true },
    ]) {
      const response = await newBrowser(service, form.email).call("POST", "/auth/sign-up", { ...form, ...more });
      expect(refusalOf(response)).toBe(`400 parameter_unknown ${Object.keys(more)[0]}`);
    }
  });
});
