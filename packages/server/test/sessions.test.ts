/** Tests checkout sessions as the merchant's server sees them, their ownership, and how secrets are stored. */
import { createHash } from "node:crypto";
import { describe, expect, inject, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newSecretKey, tenantOfKey } from "../src/merchants/accounts/key-format.ts";
import { migrate } from "../src/platform/storage/migrate.ts";
import { storedFunctions } from "../src/stored-functions.ts";
import { sweep } from "../src/worker.ts";
import { cardNumbers, openCheckout } from "./setup/customer.ts";
import { countRows, dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());

const path = "/api/v1/checkout_sessions";
const order = { amount: 4900, currency: "eur" };

/** A separate merchant, so that lists contain only what this test created. */
async function newMerchant() {
  const { tenant, secretKey } = await service.addTenant(false);
  const headers = { authorization: `Bearer ${secretKey}` };
  const call = (method: "GET" | "POST", to: string, body?: unknown) => service.call(method, to, body, headers);
  return { ...tenant, call };
}

function idsOf(list: ApiResponse): string[] {
  const data = list.body["data"] as unknown as Json[]; // a list's data is an array
  return data.map(({ id }) => String(id));
}

describe("a checkout session", () => {
  it("is created with a URL for the iframe that has the secret in its fragment", async () => {
    const { status, headers, body } = await service.call("POST", path, order);
    expect(status).toBe(200);
    expect(headers["cache-control"]).toBe("no-store");
    expect(Object.keys(body).sort()).toEqual(["embed_url", "session"]);
    const session = body["session"];
    expect(session).toEqual({
      id: expect.stringMatching(/^cs_[0-9a-z]{33}$/),
      object: "checkout_session",
      livemode: false,
      created: expect.any(Number),
      status: "open",
      payment_status: "unpaid",
      mode: "payment",
      ...order,
      confirmation: "automatic",
      capture_method: "automatic",
      save_payment_method: false,
      submit_button: "built-in",
      version: 1,
      line_items: [],
      shipping_options: [],
      shipping_option: null,
      discounts: [],
      tax_amount: null,
      collect: { promotion_code: false },
      collected: { promotion_code: null },
      update_request: null,
      allowed_origins: [],
      return_url: null,
      cancel_url: null,
      description: null,
      customer: null,
      locale: null,
      appearance: null,
      attempts_left: 5,
      payment_method_id: null,
      decision_id: null,
      expires_at: Number(session?.["created"]) + 3600,
      metadata: {},
    });
    const address = new URL(String(body["embed_url"]));
    expect(address.origin).toBe(service.config.checkoutOrigin);
    expect(address.pathname).toBe(`/c/${session?.["id"]}`);
    expect(address.search).toBe("");
    expect(address.hash).toMatch(/^#[\w-]{43}$/); // 32 random bytes
  });

  it("stores its fields and returns them unchanged", async () => {
    const given = {
      ...order,
      confirmation: "server",
      allowed_origins: ["https://shop.example", "http://shop.localhost:4242"],
      return_url: "https://shop.example/thanks?order=7",
      cancel_url: "https://shop.example/cart",
      description: "Zwölf 'Becher'; drop table charge --",
      customer: { email: "ann@example.com", name: "Änn O'Neill", reference: "c-7" },
      locale: "pt-BR",
      appearance: { theme: "auto", labels: "floating", variables: { colorPrimary: "oklch(50% 0.1 180)" } },
      metadata: { order: "7", __proto: "x", "emoji 🎈": "" },
    };
    const created = await service.call("POST", path, { ...given, expires_after_minutes: 1440 });
    const session = created.body["session"];
    expect(session).toMatchObject(given);
    expect(Number(session?.["expires_at"]) - Number(session?.["created"])).toBe(86_400);
    expect((await service.call("GET", `${path}/${session?.["id"]}`)).body).toEqual(session);
  });

  it("returns every metadata key that it accepts, whatever its characters are", async () => {
    const metadata = Object.fromEntries(
      [`${"x".repeat(39)}🎈`, "🎈".repeat(40), "two\nlines", "\u2028", "a\\b/c", "constructor"].map((key) => [
        key,
        "kept",
      ]),
    );
    const created = await service.call("POST", path, { ...order, metadata });
    const id = String(created.body["session"]?.["id"]);
    expect((await service.call("GET", `${path}/${id}`)).body["metadata"]).toEqual(metadata);
    const { data } = (await service.call("GET", `${path}?limit=1`)).body;
    expect(data).toMatchObject([{ id, metadata }]);
    for (const key of ["x".repeat(41), `${"x".repeat(40)}🎈`, "a[b]", ""]) {
      const refused = await service.call("POST", path, { ...order, metadata: { [key]: "x" } });
      expectError(refused, invalid("parameter_invalid", "metadata"));
      expect(refused.body["error"]?.["message"]).toBe(
        `\`metadata\` contains the key ${JSON.stringify(key)}, but keys must have 1 to 40 characters and no square brackets.`,
      );
    }
  });

  it("is reported by its ID if it doesn't exist", async () => {
    const response = await service.call("GET", `${path}/cs_none`);
    expectError(response, missing);
    expect(response.body["error"]?.["message"]).toBe('No such checkout session: "cs_none".');
  });

  it("shows its secret on creation and never again", async () => {
    const checkout = await openCheckout(service);
    await checkout.pay(cardNumbers.declined);
    await checkout.pay(cardNumbers.approved);
    await checkout.session();
    for (const list of [path, "/api/v1/events", "/api/v1/charges"]) await service.call("GET", `${list}?limit=100`);
    expect(service.responses.filter((response) => response.includes(checkout.clientSecret))).toHaveLength(1);
    expect(
      service.responses
        .filter((response) => response.includes("embed_url"))
        .every((text) => text.startsWith('{"session"')),
    ).toBe(true);
    expect(service.log.join("")).not.toContain(checkout.clientSecret);
  });

  it("allows the account's origins by default, and can only restrict them further", async () => {
    const { accountNo, call } = await newMerchant();
    const allowed_origins = ["https://shop.example", "https://other.example"];
    await service.context.db
      .updateTable("account")
      .set({ allowed_origins })
      .where("account_no", "=", accountNo)
      .execute();
    expect((await call("POST", path, order)).body["session"]).toMatchObject({ allowed_origins });
    const narrowed = ["https://other.example"];
    const created = await call("POST", path, { ...order, allowed_origins: narrowed });
    expect(created.body["session"]).toMatchObject({ allowed_origins: narrowed });
    const widened = ["https://other.example", "https://third.example"];
    expectError(
      await call("POST", path, { ...order, allowed_origins: widened }),
      invalid("origin_not_allowed", "allowed_origins[1]"),
    );
  });

  it.each([
    [
      { allowed_origins: ["https://shop.example", "https://shop.example; script-src *"] },
      "origin_not_allowed",
      "allowed_origins[1]",
    ],
    [{ allowed_origins: ["https://shop.example\r\nX-Other: y"] }, "origin_not_allowed", "allowed_origins[0]"],
    [{ allowed_origins: ["*"] }, "origin_not_allowed", "allowed_origins[0]"],
    [{ return_url: "javascript:alert(1)" }, "url_not_allowed", "return_url"],
    [{ cancel_url: "//evil.example" }, "url_not_allowed", "cancel_url"],
  ] as const)("is refused with the URL %o", async (more, code, param) => {
    expectError(await service.call("POST", path, { ...order, ...more }), invalid(code, param));
  });
});

describe("a list", () => {
  it("is newest first and can be paged to the end and back", async () => {
    const { call } = await newMerchant();
    const made: string[] = [];
    for (let i = 0; i < 7; i++) {
      made.push(String((await call("POST", path, { ...order, amount: 100 + i })).body["session"]?.["id"]));
    }
    const all = made.sort().reverse();
    expect(idsOf(await call("GET", path))).toEqual(all);

    const first = await call("GET", `${path}?limit=3`);
    const second = await call("GET", `${path}?limit=3&starting_after=${all[2]}`);
    const third = await call("GET", `${path}?limit=3&starting_after=${all[5]}`);
    const none = await call("GET", `${path}?limit=3&starting_after=${all[6]}`);
    expect([first, second, third, none].map(idsOf)).toEqual([all.slice(0, 3), all.slice(3, 6), all.slice(6), []]);
    expect([first, second, third, none].map(({ body }) => body["has_more"])).toEqual([true, true, false, false]);

    const back = await call("GET", `${path}?limit=3&ending_before=${all[6]}`);
    const start = await call("GET", `${path}?limit=3&ending_before=${all[3]}`);
    const before = await call("GET", `${path}?limit=3&ending_before=${all[0]}`);
    expect([back, start, before].map(idsOf)).toEqual([all.slice(3, 6), all.slice(0, 3), []]);
    expect([back, start, before].map(({ body }) => body["has_more"])).toEqual([true, false, false]);
    expect(idsOf(await call("GET", `${path}?limit=100`))).toEqual(all);
    expect(idsOf(await call("GET", `${path}?limit=1`))).toEqual(all.slice(0, 1));
  });
});

describe("a secret key", () => {
  it("has a checksum that detects any single mistyped character", () => {
    for (let i = 0; i < 20; i++) {
      const key = newSecretKey({ accountNo: 2 ** 49 + i, livemode: false });
      expect(key).toMatch(/^oriel_sk_test_[0-9A-Za-z]{36}$/);
      expect(tenantOfKey(key)).toEqual({ accountNo: 2 ** 49 + i, livemode: false });
      for (let at = 0; at < key.length; at++) {
        const other = key[at] === "x" ? "y" : "x";
        expect(tenantOfKey(key.slice(0, at) + other + key.slice(at + 1))).toBeUndefined();
        const swapped = key.slice(0, at) + (key[at + 1] ?? "") + (key[at] ?? "") + key.slice(at + 2);
        expect(swapped === key || tenantOfKey(swapped) === undefined).toBe(true);
      }
      for (const text of [`${key}x`, ` ${key}`, `${key}\n`]) expect(tenantOfKey(text)).toBeUndefined();
    }
  });

  it("isn't in the database, nor is a client secret or a signing secret, so a copy grants no access", async () => {
    const checkout = await openCheckout(service);
    const endpoint = await service.call("POST", "/api/v1/webhook_endpoints", { url: "https://shop.example/hooks" });
    const signingSecret = String(endpoint.body["secret"]);
    expect(signingSecret).toMatch(/^whsec_[0-9A-Za-z+/]{43}=$/);
    const dump = await dumpDatabase(service.context.db);

    // Control: the dump contains the stored hash of the key, so it would also show the key itself.
    expect(dump).toContain(createHash("sha256").update(service.secretKey).digest("hex"));
    for (const secret of [
      service.secretKey,
      checkout.clientSecret,
      checkout.token,
      signingSecret.slice("whsec_".length),
    ]) {
      const raw = Buffer.from(secret);
      for (const form of [
        secret,
        secret.slice(-30),
        raw.toString("hex"),
        raw.toString("base64"),
        raw.toString("base64url"),
      ]) {
        expect(dump).not.toContain(form);
      }
      expect(dump).not.toContain(Buffer.from(secret, "base64").toString("hex"));
    }
  });
});

describe("the tables", () => {
  it("can be migrated twice safely", async () => {
    const before = await countRows(service.context.db);
    const databases = {
      db: service.context.db,
      vaultDb: null,
      choice: service.config.database,
      engine: inject("cluster") === null ? ("postgres" as const) : ("citus" as const),
    };
    await migrate(databases, storedFunctions);
    expect(await countRows(service.context.db)).toEqual(before);
  });
});

// The tests below move the clock.
describe("an expired session", () => {
  it("is expired for its page and its merchant at the same moment, with exactly one event", async () => {
    const { call } = await newMerchant();
    const created = await call("POST", path, { ...order, expires_after_minutes: 5, metadata: { order: "9" } });
    const session = created.body["session"];
    const [id, secret] = [String(session?.["id"]), String(created.body["embed_url"]).split("#")[1]];
    const open = () => service.frame("POST", `/frame/sessions/${id}/open`, { client_secret: secret });
    const before = await open();
    expect(before.body["session"]).toMatchObject({ status: "open" });
    const checkout = await openCheckout(service, { expires_after_minutes: 5 });
    const message = await checkout.encrypt(cardNumbers.approved);

    service.moveClock(5 * 60_000 - 5_000);
    await sweep(service.context);
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ status: "open" });
    service.moveClock(5_000);
    // No sweep has run yet.
    expect((await call("GET", `${path}/${id}`)).body).toMatchObject({ status: "expired", payment_status: "unpaid" });
    expect((await open()).body["session"]).toMatchObject({ status: "expired" });
    expectError(await checkout.pay(message), invalid("session_closed"));
    expect((await call("GET", "/api/v1/events")).body["data"]).toEqual([]);

    await Promise.all(Array.from({ length: 4 }, () => sweep(service.context)));
    await sweep(service.context);
    const events = await call("GET", "/api/v1/events?type=checkout_session.expired");
    expect(events.body["data"]).toEqual([
      {
        id: expect.stringMatching(/^evt_[0-9a-z]{33}$/),
        object: "event",
        type: "checkout_session.expired",
        created: expect.any(Number),
        api_version: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        livemode: false,
        object_sequence: 1,
        data: { object: { ...session, status: "expired" } },
        request: { id: null, idempotency_key: null },
      },
    ]);
    expectError(await checkout.pay(message), invalid("session_closed"));
  });
});
