/**
 * Tests brute-force protection for passwords and codes: how many guesses are checked, and whom a lock must not block.
 */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { knownSeconds, attemptKeyOf } from "../src/merchants/sign-in/known-device.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { me, linkToken, newBrowser, newVisitor, password, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

describe("a user", () => {
  it("is locked after ten wrong passwords until a reset by email, whether or not the user exists", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    const phone = newBrowser(service, visitor.email);
    for (const browser of [phone, visitor]) {
      for (const email of [visitor.email, "nobody-10@shop.example"]) {
        for (let n = 0; n < 10; n++)
          expect(
            refusalOf(await browser.call("POST", "/auth/sign-in", { email, password: `wrong ${n} password` })),
          ).toBe("401 sign_in_failed");
        expect(refusalOf(await browser.call("POST", "/auth/sign-in", { email, password }))).toBe("401 sign_in_failed");
      }
    }
    expect((await visitor.call("POST", "/auth/reset-request", { email: visitor.email })).status).toBe(200);
    const token = await linkToken(service, visitor.email, "reset-password");
    expect((await visitor.call("POST", "/auth/reset", { token, password })).status).toBe(200);
    expect((await visitor.signIn()).status).toBe(200);
    expect((await phone.call("POST", "/auth/sign-in", { email: visitor.email, password })).status).toBe(200);
  });

  it("can still sign in from a known browser after a stranger caused a lock", async () => {
    const visitor = await newVisitor(service);
    const other = await newVisitor(service);
    await visitor.signOut();
    const stranger = newBrowser(service, visitor.email);
    const signIn = (browser: Visitor) => browser.call("POST", "/auth/sign-in", { email: visitor.email, password });
    for (let n = 0; n < 11; n++)
      await stranger.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });

    const [name, cookie = ""] = [...visitor.cookies].find(([each]) => each.endsWith("known_device")) ?? [""];
    const [device, since, signature] = cookie.split(".");
    const theirs = [...other.cookies].find(([each]) => each.endsWith("known_device"))?.[1] ?? "";
    const forged = [
      `${device}x.${since}.${signature}`,
      `${device}.${Number(since) + 1}.${signature}`,
      `${device}.${since}.`,
      "",
      theirs,
    ];
    for (const value of forged) {
      const browser = newBrowser(service, visitor.email);
      browser.cookies.set(name, value);
      expect({ value, refusal: refusalOf(await signIn(browser)) }).toEqual({ value, refusal: "401 sign_in_failed" });
    }
    expect((await visitor.signIn()).status).toBe(200);
    // The user stays locked in all other browsers.
    expect(refusalOf(await signIn(newBrowser(service, visitor.email)))).toBe("401 sign_in_failed");
  });

  it("is locked in a known browser after ten wrong passwords there, and a browser is known for 90 days", async () => {
    const visitor = await newVisitor(service);
    const guess = (n: number) =>
      visitor.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });
    for (let n = 0; n < 10; n++) await guess(n);
    expect(refusalOf(await visitor.signIn())).toBe("401 sign_in_failed");
    const phone = newBrowser(service, visitor.email);
    expect((await phone.call("POST", "/auth/sign-in", { email: visitor.email, password })).status).toBe(200);

    const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const at = (seconds: number) => ({
      ...service.context,
      now: () => new Date(service.context.now().getTime() + seconds * 1000),
    });
    expect(attemptKeyOf(at(knownSeconds - 60), cookie, visitor.email.toUpperCase())).toMatch(/^device /);
    expect(attemptKeyOf(at(knownSeconds), cookie, visitor.email)).toBe(visitor.email);
    expect(attemptKeyOf(at(0), undefined, visitor.email)).toBe(visitor.email);
  });

  it("is unlocked after half an hour", async () => {
    const visitor = await newVisitor(service);
    visitor.cookies.clear();
    for (let n = 0; n < 10; n++)
      await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });
    expect(refusalOf(await visitor.signIn())).toBe("401 sign_in_failed");
    const moved = service.context.db.updateTable("sign_in_failure").set({ locked_until: new Date(Date.now() - 1000) });
    await moved.where("email", "=", visitor.email).execute();
    expect((await visitor.signIn()).status).toBe(200);
  });
});

describe("a second factor", () => {
  it("ends a challenge after five wrong codes", async () => {
    const visitor = await newVisitor(service);
    await visitor.signOut();
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password });
    for (const code of ["000000", "111111", "222222", "333333", "444444"])
      expect(refusalOf(await visitor.call("POST", "/auth/second-factor", { code }))).toBe("401 code_invalid code");
    expect(refusalOf(await visitor.call("POST", "/auth/second-factor", { code: visitor.code() }))).toBe(
      "401 code_invalid code",
    );
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
  });

  it("is locked after ten wrong codes, even with a session and the password", async () => {
    const visitor = await newVisitor(service);
    const stepUp = (code: string) => visitor.call("POST", "/auth/step-up", { password, code });
    for (let n = 0; n < 10; n++) expect(refusalOf(await stepUp(`00000${n}`))).toBe("401 code_invalid code");
    expect(refusalOf(await stepUp(visitor.code()))).toBe("401 code_invalid code");
    const { login } = (await me(visitor)).body as unknown as { login: { id: string } };
    await service.context.db.deleteFrom("sign_in_failure").where("email", "=", `codes of ${login.id}`).execute();
    expect((await stepUp(visitor.code())).status).toBe(200);
  });

  it("stays available to a signed-in user despite wrong passwords at sign-in", async () => {
    const visitor = await newVisitor(service);
    const stranger = newBrowser(service, visitor.email);
    for (let n = 0; n < 11; n++)
      await stranger.call("POST", "/auth/sign-in", { email: visitor.email, password: `wrong ${n} password` });
    expect((await visitor.call("POST", "/auth/step-up", { password, code: visitor.code() })).status).toBe(200);
  });

  it("checks at most ten of many concurrent guesses", async () => {
    const visitor = await newVisitor(service);
    const { id } = await service.context.db
      .selectFrom("login")
      .select("id")
      .where("email", "=", visitor.email)
      .executeTakeFirstOrThrow();
    const checkedCount = async () =>
      (await service.context.db.selectFrom("spent_code").select("code").where("login_id", "=", id).execute()).length;
    const before = await checkedCount();
    const phone = newBrowser(service, visitor.email);
    await phone.call("POST", "/auth/sign-in", { email: visitor.email, password });
    const guess = (code: string) => phone.call("POST", "/auth/second-factor", { code });
    const responses = await Promise.all(Array.from({ length: 20 }, (_, n) => guess(`1111${n + 10}`)));
    expect(responses.filter(({ status }) => status !== 401)).toEqual([]);
    expect(await checkedCount()).toBe(before + 10);
    expect(refusalOf(await guess(visitor.code()))).toBe("401 code_invalid code");
  });
});

describe("the password of a signed-in user", () => {
  it("is locked after ten wrong ones until a reset by email", async () => {
    const visitor = await newVisitor(service);
    for (let n = 0; n < 10; n++) await visitor.call("POST", "/auth/totp/begin", { password: "a wrong passphrase" });
    expect(refusalOf(await visitor.call("POST", "/auth/totp/begin", { password }))).toBe("403 password_wrong password");
    await visitor.call("POST", "/auth/reset-request", { email: visitor.email });
    const token = await linkToken(service, visitor.email, "reset-password");
    const next = "a quite different phrase 11";
    expect((await visitor.call("POST", "/auth/reset", { token, password: next })).status).toBe(200);
    await visitor.call("POST", "/auth/sign-in", { email: visitor.email, password: next });
    await visitor.call("POST", "/auth/second-factor", { code: visitor.code() });
    expect((await visitor.call("POST", "/auth/totp/begin", { password: next })).status).toBe(200);
  });
});

describe("an IP address", () => {
  it("is rate limited, even if it tries a different email each time", async () => {
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

  it("can use the whole limit on one route, even if it has used others", async () => {
    const limited = await startTestService({ rateLimits: { signIn: { perSecond: 0.001, burst: 60 } } });
    try {
      const browser = newBrowser(limited, "nobody@shop.example");
      const isAllowed = async (path: string, body: object) => (await browser.call("POST", path, body)).status !== 429;
      const token = "x".repeat(40);
      const allowed = [
        await isAllowed("/auth/invitations/read", { token }),
        await isAllowed("/auth/reset", { token, password }),
      ];
      for (let n = 0; n < 70; n++) allowed.push(await isAllowed("/auth/second-factor", { code: "000000" }));
      expect(allowed.filter(Boolean)).toHaveLength(60);
    } finally {
      await limited.close();
    }
  });

  it("isn't limited by reports that people there are using the dashboard", async () => {
    const limited = await startTestService({ rateLimits: { signIn: { perSecond: 0.001, burst: 20 } } });
    try {
      const visitor = await newVisitor(limited);
      for (let n = 0; n < 20; n++) expect((await visitor.call("POST", "/auth/activity")).status).toBe(200);
      await visitor.signOut();
      expect((await visitor.signIn()).status).toBe(200);
    } finally {
      await limited.close();
    }
  });
});
