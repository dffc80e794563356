/** Tests secret keys in the dashboard: team members create, roll and revoke them, each for one account and mode. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { auditOf, refusalOf } from "./setup/dashboard-errors.ts";
import { newVisitor } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const hourMs = 3_600_000;

const service = await openForTests(startTestService());
const visitor = await newVisitor(service);

const make = (more: object = {}) => visitor.inWorkspace("POST", "keys", { name: "Web shop", scope: "full", ...more });
const idOf = ({ body }: ApiResponse) => String(body["key"]?.["id"]);
const keyOf = ({ body }: ApiResponse) => String(body["secret_key"]);
// A list's data is an array.
const listed = async () => (await visitor.inWorkspace("GET", "keys?limit=100")).body["data"] as unknown as Json[];
/** Returns the API's status code for a request with this key. */
const opens = async (key: string) =>
  (await service.call("GET", "/api/v1/checkout_sessions", undefined, { authorization: `Bearer ${key}` })).status;
const approve = async (liveApprovedAt: Date | null) =>
  await service.context.db
    .updateTable("account")
    .set({ live_approved_at: liveApprovedAt })
    .where("id", "=", visitor.accountId)
    .execute();

describe("a secret key", () => {
  it("is shown on creation and never again", async () => {
    const made = await make({ name: "Till", scope: "checkout" });
    expect(made.status).toBe(200);
    expect(made.headers["cache-control"]).toBe("no-store");
    const secretKey = keyOf(made);
    expect(secretKey).toMatch(/^oriel_sk_test_\w{36}$/);
    expect(made.body["key"]).toEqual({
      id: expect.stringMatching(/^key_/),
      name: "Till",
      scope: "checkout",
      last4: secretKey.slice(-4),
      created: expect.any(Number),
      last_used: null,
      expires: null,
      revoked: null,
      state: "valid",
    });
    expect(await opens(secretKey)).toBe(200);
    const used = await until("the key's last use", async () => {
      const [latest] = await listed(); // recorded after the response
      return latest?.["last_used"] ? latest : null;
    });
    expect(used).toEqual({ ...made.body["key"], last_used: expect.any(Number) });

    const bare = secretKey.slice(15);
    expect(JSON.stringify(await listed())).not.toContain(bare);
    expect(await dumpDatabase(service.context.db)).not.toContain(bare);
    expect(service.log.join("")).not.toContain(bare);
    expect(await auditOf(service, visitor.accountId)).toContain(
      `api_key.created ${idOf(made)} by login ${visitor.email}`,
    );
  });

  it("keeps working during the overlap after it is rolled, and stops at once without an overlap", async () => {
    const old = await make();
    const rolled = await visitor.inWorkspace("POST", `keys/${idOf(old)}/roll`, { overlap: "1h" });
    expect(rolled.body["key"]).toMatchObject({ name: "Web shop", scope: "full", state: "valid" });
    for (const response of [old, rolled]) expect(await opens(keyOf(response))).toBe(200);
    const before = (await listed()).find(({ id }) => String(id) === idOf(old));
    expect(Number(before?.["expires"]) - Date.now() / 1000).toBeCloseTo(hourMs / 1000, -2);

    const again = await visitor.inWorkspace("POST", `keys/${idOf(rolled)}/roll`, { overlap: "now" });
    expect(await opens(keyOf(rolled))).toBe(401);
    expect(await opens(keyOf(again))).toBe(200);
    expect((await listed()).find(({ id }) => String(id) === idOf(rolled))).toMatchObject({ state: "revoked" });
    expect(await auditOf(service, visitor.accountId)).toContain(
      `api_key.rolled ${idOf(old)} by login ${visitor.email}`,
    );
  });

  it("stops working as soon as it is revoked, stays revoked and can't be rolled", async () => {
    const made = await make();
    const revoked = await visitor.inWorkspace("POST", `keys/${idOf(made)}/revoke`, {});
    expect(revoked.body).toMatchObject({ id: idOf(made), state: "revoked", revoked: expect.any(Number) });
    expect(await opens(keyOf(made))).toBe(401);
    expect((await visitor.inWorkspace("POST", `keys/${idOf(made)}/revoke`, {})).body).toEqual(revoked.body);
    expect(refusalOf(await visitor.inWorkspace("POST", `keys/${idOf(made)}/roll`, {}))).toBe("409 not_possible_now");
    const entry = `api_key.revoked ${idOf(made)} by login ${visitor.email}`;
    expect((await auditOf(service, visitor.accountId)).filter((line) => line === entry)).toEqual([entry]);
  });

  it("can't be rolled after it expired", async () => {
    const made = await make();
    const expiry = service.context.db.updateTable("api_key").set({ expires_at: new Date(Date.now() - 1000) });
    await expiry.where("id", "=", idOf(made)).execute();
    expect(refusalOf(await visitor.inWorkspace("POST", `keys/${idOf(made)}/roll`, {}))).toBe("409 not_possible_now");
    expect((await listed()).find(({ id }) => String(id) === idOf(made))).toMatchObject({ state: "expired" });
  });

  it("returns 404 for another account, the other mode or an unknown ID", async () => {
    const other = await newVisitor(service);
    const theirs = await other.inWorkspace("POST", "keys", { name: "Theirs", scope: "full" });
    const mine = await make();
    const inLive = (id: string) => `/data/${visitor.accountId}/live/keys/${id}`;
    for (const action of ["roll", "revoke"]) {
      for (const id of [idOf(theirs), "key_none"])
        expect(refusalOf(await visitor.inWorkspace("POST", `keys/${id}/${action}`, {}))).toBe("404 resource_missing");
      expect(refusalOf(await visitor.call("POST", `${inLive(idOf(mine))}/${action}`, {}))).toBe("404 resource_missing");
    }
    for (const key of [theirs, mine]) expect(await opens(keyOf(key))).toBe(200);
    expect((await visitor.call("GET", `/data/${visitor.accountId}/live/keys`)).body["data"]).toEqual([]);
  });
});

describe("a live key", () => {
  const live = () => `/data/${visitor.accountId}/live/keys`;

  it("requires an approved account, both to create and to roll", async () => {
    const wanted = { name: "Web shop", scope: "full" };
    expect(refusalOf(await visitor.call("POST", live(), wanted))).toBe("409 not_possible_now");
    await approve(new Date());
    const made = await visitor.call("POST", live(), wanted);
    expect(keyOf(made)).toMatch(/^oriel_sk_live_/);
    const roll = async () => await visitor.call("POST", `${live()}/${idOf(made)}/roll`, { overlap: "24h" });
    expect((await roll()).status).toBe(200);
    await approve(null);
    expect(refusalOf(await roll())).toBe("409 not_possible_now");
  });
});

describe("a key's name", () => {
  it.each([
    "<script>alert(1)</script>",
    "=cmd|' /C calc'!A0",
    "שלום abc",
    "🔑",
    "x".repeat(100),
    "a'\"; drop table api_key; --",
  ])("may be %j and is returned unchanged", async (name) => {
    const made = await make({ name });
    expect(made.body["key"]).toMatchObject({ name });
    expect((await listed())[0]).toMatchObject({ name });
  });

  it.each(["", "   ", "two\nlines", "tab\tbed", "bell\u0007", "del\u007f", "x".repeat(101)])(
    "is refused when it is %j",
    async (name) => {
      expect(refusalOf(await make({ name }))).toBe("400 parameter_invalid name");
    },
  );

  it("can't contain a secret, because everyone on the team can read names", async () => {
    const secretKey = keyOf(await make());
    for (const name of [secretKey, `mine: ${secretKey}`, "whsec_abc"])
      expect(refusalOf(await make({ name }))).toBe("400 parameter_invalid name");
  });
});

it("refuses invalid and unknown fields when a key is created, rolled or revoked", async () => {
  expect(refusalOf(await make({ scope: "everything" }))).toBe("400 parameter_invalid scope");
  for (const extra of ["livemode", "account_id", "expires_at", "last4", "hash"])
    expect(refusalOf(await make({ [extra]: "x" }))).toBe(`400 parameter_unknown ${extra}`);
  const made = await make();
  expect(refusalOf(await visitor.inWorkspace("POST", `keys/${idOf(made)}/roll`, { overlap: "1y" }))).toBe(
    "400 parameter_invalid overlap",
  );
  expect(refusalOf(await visitor.inWorkspace("POST", `keys/${idOf(made)}/revoke`, { now: true }))).toBe(
    "400 parameter_unknown now",
  );
});
