/** Tests dashboard sessions: when they end, who ends them, and how expired records are deleted. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { deleteOldSignIns } from "../src/merchants/sign-in/delete-old-sign-ins.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { me, newBrowser, newVisitor, password } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());

describe("a session", () => {
  it("ends at sign-out, even if its cookie is sent again", async () => {
    const visitor = await newVisitor(service);
    const savedCookies = new Map(visitor.cookies);
    const response = await visitor.signOut();
    // Storage has the idempotency keys of payment actions whose outcome is unknown.
    expect(response.headers["clear-site-data"]).toBe('"cache"');
    for (const [name, value] of savedCookies) visitor.cookies.set(name, value);
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
  });

  it("ends after 15 minutes idle and after twelve hours in total", async () => {
    const visitor = await newVisitor(service);
    const session = service.context.db.updateTable("login_session");
    const own = ({ id }: { id: string }) => session.where("login_id", "=", id);
    const { login } = (await me(visitor)).body as unknown as { login: { id: string } };
    await own(login)
      .set({ created_at: new Date(Date.now() - 12 * 3_600_000 - 1000) })
      .execute();
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
    await visitor.signIn();
    await own(login)
      .set({ expires_at: new Date(Date.now() - 1000) })
      .execute();
    expect(refusalOf(await me(visitor))).toBe("401 sign_in_required");
    await visitor.signIn();
    const { expires_at } = await service.context.db
      .selectFrom("login_session")
      .select("expires_at")
      .where("login_id", "=", login.id)
      .orderBy("created_at", "desc")
      .executeTakeFirstOrThrow();
    expect(expires_at.getTime() - Date.now()).toBeLessThanOrEqual(15 * 60_000);
  });

  it("is extended only by reports of activity, not by polling, downloads or other requests", async () => {
    const visitor = await newVisitor(service);
    const { db } = service.context;
    const { id } = await db
      .selectFrom("login")
      .select("id")
      .where("email", "=", visitor.email)
      .executeTakeFirstOrThrow();
    const endsSoon = new Date(Date.now() + 60_000);
    await db.updateTable("login_session").set({ expires_at: endsSoon }).where("login_id", "=", id).execute();
    const end = async () => {
      const { expires_at } = await db
        .selectFrom("login_session")
        .select("expires_at")
        .where("login_id", "=", id)
        .executeTakeFirstOrThrow();
      return expires_at.getTime();
    };
    for (const [method, path] of [
      ["GET", "/auth/me"],
      ["GET", "/auth/security"],
      ["GET", `/data/${visitor.accountId}/test/attention/count`],
      ["GET", `/data/${visitor.accountId}/test/payments.csv`],
      ["POST", "/auth/sessions/revoke-others"],
    ] as const) {
      const response = await visitor.call(method, path);
      expect([path, response.status, response.headers["set-cookie"]]).toEqual([path, 200, undefined]);
    }
    expect(await end()).toBe(endsSoon.getTime());

    expect(refusalOf(await visitor.call("POST", "/auth/activity", undefined, { origin: "https://evil.example" }))).toBe(
      "403 cross_site",
    );
    expect(await end()).toBe(endsSoon.getTime());
    const reported = await visitor.call("POST", "/auth/activity");
    expect([reported.status, String(reported.headers["set-cookie"])]).toEqual([
      200,
      expect.stringContaining("Max-Age=900"),
    ]);
    const before = Date.now() + 15 * 60_000;
    expect(Math.abs((await end()) - before)).toBeLessThan(5000);
  });

  it("can be listed and ended from another session, by the same user only", async () => {
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
    expect(refusalOf(await stranger.call("POST", `/auth/sessions/${other?.id}/revoke`, {}))).toBe(
      "404 resource_missing",
    );
    expect((await me(phone)).status).toBe(200);
    expect((await visitor.call("POST", `/auth/sessions/${other?.id}/revoke`, {})).status).toBe(200);
    expect(refusalOf(await me(phone))).toBe("401 sign_in_required");
  });

  it("stays open after it changes the password, and all others end", async () => {
    const visitor = await newVisitor(service);
    const phone = newBrowser(service, visitor.email);
    await phone.call("POST", "/auth/sign-in", { email: visitor.email, password });
    await phone.call("POST", "/auth/second-factor", { code: visitor.code() });
    const body = { current: password, password: "a quite different phrase 8" };
    expect(refusalOf(await visitor.call("POST", "/auth/password", { ...body, current: "not my password" }))).toBe(
      "403 password_wrong current",
    );
    expect((await visitor.call("POST", "/auth/password", body)).status).toBe(200);
    expect(refusalOf(await me(phone))).toBe("401 sign_in_required");
    expect((await me(visitor)).status).toBe(200);
  });
});

describe("expired records", () => {
  it("are deleted: sessions, links, failures, codes and unconfirmed users", async () => {
    const { db, now } = service.context;
    const visitor = await newVisitor(service);
    await visitor.call("POST", "/auth/sign-in", { email: "nobody-12@shop.example", password: "wrong passphrase" });
    const unconfirmed = newBrowser(service, "never-confirmed@shop.example");
    await unconfirmed.call("POST", "/auth/sign-up", {
      name: "A B",
      email: unconfirmed.email,
      password,
      account_name: "Shop",
    });
    const emails = async () => (await db.selectFrom("login").select("email").execute()).map(({ email }) => email);
    // Sign-up continues after its response.
    await until("the user to be created", async () => ((await emails()).includes(unconfirmed.email) ? true : null));
    const tables = ["login_session", "sign_in_failure", "spent_code"] as const;
    const later = { db, now: () => new Date(now().getTime() + 8 * 24 * 3_600_000) };
    for (let taken = 100; taken === 100;) taken = await deleteOldSignIns(later, 100);
    for (const table of tables) expect(await db.selectFrom(table).selectAll().execute()).toEqual([]);
    expect(await emails()).toContain(visitor.email);
    expect(await emails()).not.toContain(unconfirmed.email);
  });
});
