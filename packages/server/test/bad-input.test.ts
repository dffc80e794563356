/** Tests the API's responses to invalid requests. Each one gets an error envelope and changes nothing. */
import { brotliCompressSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { countRows } from "./setup/dump-database.ts";
import { expectError, invalid, type Refusal } from "./setup/expect-error.ts";
import { rawRequest } from "./setup/raw-request.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const rowsBefore = await rows();

/** Counts rows, except those that rate limits and the audit log add on their own. */
async function rows() {
  const counts = await countRows(service.context.db);
  const isCompared = ([name]: [string, number]) => !["public.audit_log", "public.rate_bucket"].includes(name);
  return Object.fromEntries(Object.entries(counts).filter(isCompared));
}

const order = { amount: 4900, currency: "eur" };
const charge = { ...order, payment_method_id: "pm_card_visa", decision_id: "dec_00000000000000000000000000" };
const decision = { ...order, payment_method_id: "pm_card_visa" };
const routes = [
  ["/api/v1/checkout_sessions", order],
  ["/api/v1/charges", charge],
  ["/api/v1/decisions", decision],
] as const;

describe("amounts and currencies", () => {
  const amounts: [string, unknown][] = [
    ["a float", 49.5],
    ["a float so close to an integer that only its text shows the difference", 4900.0000001],
    ["a string", "4900"],
    ["an empty string", ""],
    ["null", null],
    ["true", true],
    ["a list", [100]],
    ["an object", { value: 100 }],
    ["negative", -100],
    ["longer than twelve digits", 1_000_000_000_000],
    ["beyond JavaScript's safe integers", 1e300],
  ];
  const currencies: [string, unknown, Refusal][] = [
    ["uppercase", "EUR", invalid("currency_unknown", "currency")],
    ["three letters that aren't a currency", "zzz", invalid("currency_unknown", "currency")],
    ["a metal", "xau", invalid("currency_unknown", "currency")],
    ["two letters", "eu", invalid("currency_unknown", "currency")],
    ["empty", "", invalid("currency_unknown", "currency")],
    ["with a line feed after it", "eur\n", invalid("currency_unknown", "currency")],
    ["a number", 978, invalid("parameter_invalid", "currency")],
    ["null", null, invalid("parameter_invalid", "currency")],
    ["a list", ["eur"], invalid("parameter_invalid", "currency")],
  ];

  describe.each(routes)("POST %s", (path, body) => {
    it.each(amounts)("refuses an amount that is %s", async (_name, amount) => {
      expectError(await service.call("POST", path, { ...body, amount }), invalid("amount_invalid", "amount"));
    });
    it.each<[string, Refusal]>([
      ["-1", invalid("amount_invalid", "amount")],
      ["1e999", invalid("body_malformed")],
      ["0.1e1000", invalid("body_malformed")],
    ])("refuses an amount written as %s", async (amount, refusal) => {
      const text = JSON.stringify({ ...body, amount: 4900 }).replace("4900", amount);
      expectError(await service.call("POST", path, text), refusal);
    });
    it.each(currencies)("refuses a currency that is %s", async (_name, currency, refusal) => {
      expectError(await service.call("POST", path, { ...body, currency }), refusal);
    });
    it.each(Object.keys(body))("requires %s", async (name) => {
      const { [name]: _left, ...rest } = body as Record<string, unknown>;
      expectError(await service.call("POST", path, rest), invalid("parameter_missing", name));
    });
    it.each(["capture", "Amount", "livemode", "account_id", "constructor", "toString"])(
      "refuses the unknown field %s",
      async (name) => {
        expectError(await service.call("POST", path, { ...body, [name]: "x" }), invalid("parameter_unknown", name));
      },
    );
  });

  it.each([
    ["/api/v1/charges", charge],
    ["/api/v1/decisions", decision],
  ])("POST %s refuses zero, also with a minus sign", async (path, body) => {
    for (const zero of ["0", "-0"]) {
      const text = JSON.stringify(body).replace("4900", zero);
      expectError(await service.call("POST", path, text), invalid("amount_invalid", "amount"));
    }
  });

  it.each([
    [0, "`amount` must be at least 1 (€0.01)."],
    [1_000_000_000_000, "`amount` must be at most 999999999999 (€9,999,999,999.99)."],
  ])(
    "refuses the amount %s with a message that states the limit in the request's currency",
    async (amount, message) => {
      const { body } = await service.call("POST", "/api/v1/decisions", { ...decision, amount });
      expect(body).toMatchObject({ error: { message: expect.stringContaining(message) } });
    },
  );
});

describe("a request body", () => {
  const path = "/api/v1/checkout_sessions";
  const json = JSON.stringify(order);

  it.each([
    ["is truncated", '{"amount": 4900,'],
    ["has a trailing comma", '{"amount": 4900, "currency": "eur",}'],
    ["has a comment", '{"amount": 4900 /* cents */, "currency": "eur"}'],
    ["is form data", "amount=4900&currency=eur"],
    ["is an array", `[${json}]`],
    ["is a string", JSON.stringify(json)],
    ["is null", "null"],
    ["is a number", "4900"],
    ["repeats a field", '{"amount": 4900, "currency": "eur", "amount": 1}'],
    ["repeats a field in escaped form", '{"amount": 4900, "currency": "eur", "\\u0061mount": 1}'],
    ["repeats a nested field", '{"amount": 4900, "currency": "eur", "metadata": {"a": "1", "b": "2", "a": "3"}}'],
    ["is deeply nested", `{"amount": 4900, "currency": "eur", "metadata": ${"[".repeat(20_000)}${"]".repeat(20_000)}}`],
    ["sets the prototype", '{"amount": 4900, "currency": "eur", "__proto__": {"isAdmin": true}}'],
    ["sets the constructor's prototype", '{"amount": 4900, "currency": "eur", "constructor": {"prototype": {"x": 1}}}'],
    ["contains a null character", '{"amount": 4900, "currency": "eur", "description": "a\\u0000b"}'],
    ["contains a null character in a name", '{"amount": 4900, "currency": "eur", "metadata": {"a\\u0000b": "c"}}'],
    ["contains half a surrogate pair", '{"amount": 4900, "currency": "eur", "description": "\\ud83d"}'],
    [
      "contains half a surrogate pair in metadata",
      '{"amount": 4900, "currency": "eur", "metadata": {"order": "\\ude00"}}',
    ],
  ])("is refused when it %s", async (_name, body) => {
    expectError(await service.call("POST", path, body), invalid("body_malformed"));
  });

  it("may use the same name in different objects", async () => {
    // Control for the tests above: the error is about the amount, not about repeated names.
    const body =
      '{"amount": -1, "currency": "eur", "metadata": {"amount": "1"}, "customer": {"name": "{\\"a\\":1,\\"a\\":2}"}}';
    expectError(await service.call("POST", path, body), invalid("amount_invalid", "amount"));
  });

  it("is treated as empty when it is missing, and the error names the missing fields", async () => {
    expectError(await service.call("POST", path), invalid("parameter_missing", "amount"));
    expectError(await service.call("POST", "/api/v1/charges"), invalid("parameter_missing", "amount"));
    const announced = { "content-type": "application/json" };
    expectError(await service.call("POST", path, "", announced), invalid("parameter_missing", "amount"));
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "text/json",
  ])("is refused with the content type %s, even if it is valid JSON", async (type) => {
    const response = await service.call("POST", path, json, { "content-type": type });
    expectError(response, invalid("content_type_unsupported"));
  });

  it.each([
    ["gzip, with", gzipSync(json), { "content-encoding": "gzip" }],
    ["gzip, without", gzipSync(json), {}],
    ["Brotli, with", brotliCompressSync(json), { "content-encoding": "br" }],
  ])("is refused when it's compressed (%s a header that says so)", async (_name, body, headers) => {
    const response = await fetch(`${service.config.apiUrl}${path}`, {
      method: "POST",
      body,
      headers: { authorization: `Bearer ${service.secretKey}`, "content-type": "application/json", ...headers },
    });
    expect(response.status).toBe(400);
    const message = expect.stringContaining("Send the body uncompressed") as string;
    expect(await response.json()).toMatchObject({ error: { code: "content_type_unsupported", message } });
  });

  it.each(["", "utf-8", "gzip"])("is read if it's plain, even if its encoding is said to be %j", async (encoding) => {
    const response = await service.call("POST", path, { ...order, amount: -1 }, { "content-encoding": encoding });
    expectError(response, invalid("amount_invalid", "amount"));
  });

  it("is refused without a content type", async () => {
    expectError(await rawRequest(service, { path, body: json }), invalid("content_type_unsupported"));
  });

  it("is refused before parsing when it is larger than 64 kB", async () => {
    const response = await service.call("POST", path, { ...order, description: "x".repeat(70_000) });
    expectError(response, invalid("body_too_large"));
  });

  it.each<[string, object, Refusal]>([
    [
      "an unknown field in a nested object",
      { customer: { phone: "1" } },
      invalid("parameter_unknown", "customer.phone"),
    ],
    ["a nested object of the wrong type", { customer: "Ann" }, invalid("parameter_invalid", "customer")],
    ["a number in metadata", { metadata: { table: 7 } }, invalid("parameter_invalid", "metadata.table")],
    ["an object in metadata", { metadata: { a: { b: "c" } } }, invalid("parameter_invalid", "metadata.a")],
    ["a metadata name with brackets", { metadata: { "a[b]": { c: 1 } } }, invalid("parameter_invalid", "metadata")],
    ["an empty metadata name", { metadata: { "": "x" } }, invalid("parameter_invalid", "metadata")],
    ["a metadata name of 41 characters", { metadata: { [longName]: "x" } }, invalid("parameter_invalid", "metadata")],
    ["metadata with 51 entries", { metadata: entries(51) }, invalid("parameter_invalid", "metadata")],
    [
      "a metadata value of 501 characters",
      { metadata: { a: "x".repeat(501) } },
      invalid("parameter_invalid", "metadata.a"),
    ],
    ["a value outside the enum", { confirmation: "manual" }, invalid("parameter_invalid", "confirmation")],
    ["an expiry too soon to pay", { expires_after_minutes: 4 }, invalid("parameter_invalid", "expires_after_minutes")],
    [
      "an expiry more than a day away",
      { expires_after_minutes: 1441 },
      invalid("parameter_invalid", "expires_after_minutes"),
    ],
    [
      "a repeated origin",
      { allowed_origins: ["https://a.example", "https://a.example"] },
      invalid("parameter_invalid", "allowed_origins"),
    ],
    ["21 origins", { allowed_origins: origins(21) }, invalid("parameter_invalid", "allowed_origins")],
    [
      "an origin that isn't a string",
      { allowed_origins: ["https://a.example", 7] },
      invalid("parameter_invalid", "allowed_origins[1]"),
    ],
  ])("is refused with the error's path when it contains %s", async (_name, more, refusal) => {
    expectError(await service.call("POST", path, { ...order, ...more }), refusal);
  });
});

const longName = "n".repeat(41);
function entries(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, "v"]));
}
function origins(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `https://shop${i}.example`);
}

describe("a webhook endpoint", () => {
  it.each<[string, unknown, Refusal]>([
    ["no url", {}, invalid("parameter_missing", "url")],
    ["an empty URL", { url: "" }, invalid("parameter_invalid", "url")],
    ["an invalid URL", { url: "shop.example/hooks" }, invalid("url_not_allowed", "url")],
    ["another scheme", { url: "ftp://shop.example/hooks" }, invalid("url_not_allowed", "url")],
    ["a username in the URL", { url: "https://ann@shop.example/hooks" }, invalid("url_not_allowed", "url")],
    ["a private IP address", { url: "https://10.0.0.8/hooks" }, invalid("url_not_allowed", "url")],
    [
      "a private IP address written as one number",
      { url: "https://167772168/hooks" },
      invalid("url_not_allowed", "url"),
    ],
    [
      "the address of a cloud's metadata service",
      { url: "http://[::ffff:169.254.169.254]/" },
      invalid("url_not_allowed", "url"),
    ],
    [
      "a secret chosen by the merchant",
      { url: "https://shop.example/", secret: "whsec_x" },
      invalid("parameter_unknown", "secret"),
    ],
    [
      "an unknown event type",
      { url: "https://shop.example/", enabled_events: ["x"] },
      invalid("parameter_invalid", "enabled_events[0]"),
    ],
    [
      "an empty list of events",
      { url: "https://shop.example/", enabled_events: [] },
      invalid("parameter_invalid", "enabled_events"),
    ],
  ])("is refused with %s", async (_name, body, refusal) => {
    expectError(await service.call("POST", "/api/v1/webhook_endpoints", body), refusal);
  });
});

describe("lists", () => {
  it.each(["checkout_sessions", "charges", "refunds", "webhook_endpoints", "events"].map((list) => `/api/v1/${list}`))(
    "GET %s refuses an invalid page",
    async (path) => {
      const refusals: [string, Refusal][] = [
        ["limit=0", invalid("parameter_invalid", "limit")],
        ["limit=101", invalid("parameter_invalid", "limit")],
        ["limit=-1", invalid("parameter_invalid", "limit")],
        ["limit=1.5", invalid("parameter_invalid", "limit")],
        ["limit=ten", invalid("parameter_invalid", "limit")],
        ["limit=", invalid("parameter_invalid", "limit")],
        ["limit=1&limit=2", invalid("parameter_invalid", "limit")],
        ["starting_after=", invalid("parameter_invalid", "starting_after")],
        ["page=2", invalid("parameter_unknown", "page")],
        ["Limit=2", invalid("parameter_unknown", "Limit")],
        ["__proto__=1", invalid("parameter_unknown", "__proto__")],
      ];
      for (const [query, refusal] of refusals) expectError(await service.call("GET", `${path}?${query}`), refusal);
    },
  );

  it.each(["events?limit=1&limit=2", "events?type=ping&type=ping", "charges?decision_id=dec_1&decision_id=dec_1"])(
    "GET %s says that a parameter is repeated",
    async (path) => {
      const param = /\?(\w+)/.exec(path)?.[1] ?? "";
      const response = await service.call("GET", `/api/v1/${path}`);
      expectError(response, invalid("parameter_invalid", param));
      expect(response.body["error"]?.["message"]).toBe(`\`${param}\` was sent more than once. Send it once.`);
    },
  );

  it("GET /api/v1/events refuses an unknown type", async () => {
    expectError(await service.call("GET", "/api/v1/events?type=charge.paid"), invalid("parameter_invalid", "type"));
  });

  it.each<[string, Refusal]>([
    ["after=", invalid("parameter_invalid", "after")],
    ["after=yesterday", invalid("parameter_invalid", "after")],
    ["after=1-", invalid("parameter_invalid", "after")],
    ["after=-1-1", invalid("parameter_invalid", "after")],
    ["after=9999999999999999-1", invalid("parameter_invalid", "after")],
    ["after=ch_00000000000000000000000000", invalid("parameter_invalid", "after")],
    ["after=evt_", invalid("parameter_invalid", "after")],
    ["after=evt_00000000000000000000000000", invalid("resource_missing", "after")],
    ["after=start&after=now", invalid("parameter_invalid", "after")],
    ["after=start&starting_after=evt_1", invalid("parameter_invalid", "starting_after")],
    ["after=start&ending_before=evt_1", invalid("parameter_invalid", "ending_before")],
    ["after=start&limit=101", invalid("parameter_invalid", "limit")],
    ["after=start&type=charge.paid", invalid("parameter_invalid", "type")],
    ["cursor=start", invalid("parameter_unknown", "cursor")],
  ])("the event feed refuses ?%s", async (query, refusal) => {
    expectError(await service.call("GET", `/api/v1/events?${query}`), refusal);
  });

  it.each<[string, Refusal]>([
    ["limit=0", invalid("parameter_invalid", "limit")],
    ["limit=101", invalid("parameter_invalid", "limit")],
    ["status=open", invalid("parameter_invalid", "status")],
    ["status=", invalid("parameter_invalid", "status")],
    ["status=pending&status=failed", invalid("parameter_invalid", "status")],
    ["event_id=", invalid("parameter_invalid", "event_id")],
    ["event_type=ping", invalid("parameter_unknown", "event_type")],
    ["after=start", invalid("parameter_unknown", "after")],
  ])("the delivery list refuses ?%s whether or not the endpoint exists", async (query, refusal) => {
    expectError(await service.call("GET", `/api/v1/webhook_endpoints/we_none/deliveries?${query}`), refusal);
  });
});

describe("secret keys", () => {
  const noKey: Refusal = { status: 401, type: "authentication_error", code: "api_key_missing" };
  const badKey: Refusal = { status: 401, type: "authentication_error", code: "api_key_invalid" };

  it("are required on every route, before any other check", async () => {
    for (const [path] of routes) {
      const response = await fetch(`${service.config.apiUrl}${path}`, { method: "POST", body: "{" });
      const text = await response.text();
      const refusal = {
        status: response.status,
        body: JSON.parse(text),
        text,
        headers: Object.fromEntries(response.headers),
      };
      expectError(refusal, noKey);
    }
  });

  it.each([
    ["made up", () => "Bearer oriel_sk_test_000000000000000000000000000000000000"],
    ["cut off", (key: string) => `Bearer ${key.slice(0, -1)}`],
    ["mistyped", (key: string) => `Bearer ${key.slice(0, -7)}${key.at(-7) === "a" ? "b" : "a"}${key.slice(-6)}`],
    ["from the other mode", (key: string) => `Bearer ${key.replace("_test_", "_live_")}`],
    ["in capitals", (key: string) => `Bearer ${key.toUpperCase()}`],
    ["given twice", (key: string) => `Bearer ${key}, Bearer ${key}`],
    ["followed by another value", (key: string) => `Bearer ${key} x`],
    ["empty", () => "Bearer "],
  ])("are refused when the header is %s", async (_name, authorization) => {
    const response = await service.call("POST", routes[0][0], order, {
      authorization: authorization(service.secretKey),
    });
    expectError(response, badKey);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="Oriel"');
  });

  it.each([
    ["without its scheme", (key: string) => key],
    ["sent with Basic authentication", (key: string) => `Basic ${Buffer.from(`${key}:`).toString("base64")}`],
  ])("are reported as missing from the Bearer header when they are %s", async (_name, authorization) => {
    const response = await service.call("GET", "/api/v1/charges", undefined, {
      authorization: authorization(service.secretKey),
    });
    expectError(response, noKey);
    expect(response.headers["www-authenticate"]).toBe('Bearer realm="Oriel"');
    expect(response.body["error"]?.["message"]).toMatch(
      /`Authorization: Bearer .*Basic authentication isn't supported/,
    );
  });

  it("are refused in the query string, with or without a valid header, and aren't logged", async () => {
    const { secretKey } = await service.addTenant(false);
    for (const name of ["api_key", "key", "access_token", "Authorization"]) {
      const response = await service.call("GET", `/api/v1/charges?${name}=${secretKey}`);
      expectError(response, invalid("parameter_unknown", name));
      const posted = await service.call("POST", `/api/v1/decisions?${name}=${secretKey}`, decision);
      expectError(posted, invalid("parameter_unknown", name));
      const alone = await fetch(`${service.config.apiUrl}/api/v1/charges?${name}=${secretKey}`);
      expect(alone.status).toBe(400);
      expect(await alone.json()).toMatchObject({ error: { code: "parameter_unknown", param: name } });
    }
    expect(service.log.join("")).toContain("/api/v1/charges");
    expect(service.log.join("")).not.toContain(secretKey.slice(15, 40));
  });

  it("are refused for live mode when it is off", async () => {
    const { secretKey } = await service.addTenant(true);
    expect(secretKey).toMatch(/^oriel_sk_live_/);
    for (const [path, body] of routes) {
      const response = await service.call("POST", path, body, { authorization: `Bearer ${secretKey}` });
      expectError(response, { status: 503, type: "api_error", code: "live_mode_unavailable" });
    }
  });

  it("no longer work once they are revoked", async () => {
    const { tenant, secretKey } = await service.addTenant(false);
    const headers = { authorization: `Bearer ${secretKey}` };
    expect((await service.call("GET", "/api/v1/charges", undefined, headers)).status).toBe(200);
    await service.context.db
      .updateTable("api_key")
      .set({ revoked_at: new Date() })
      .where("account_no", "=", tenant.accountNo)
      .execute();
    expectError(await service.call("GET", "/api/v1/charges", undefined, headers), badKey);
  });
});

describe("the invalid requests above", () => {
  it("changed nothing and wrote no rows", async () => {
    const { "public.account": accounts = 0, "public.api_key": keys = 0, ...rest } = rowsBefore;
    // These tests created three accounts with one key each.
    expect(await rows()).toStrictEqual({ ...rest, "public.account": accounts + 3, "public.api_key": keys + 3 });
  });

  it("left only created keys and failed key attempts in the audit log", async () => {
    const actions = await service.context.db
      .selectFrom("audit_log")
      .select("action")
      .distinct()
      .orderBy("action")
      .execute();
    expect(actions.map(({ action }) => action).filter((action) => !action.startsWith("vault."))).toEqual([
      "account.created",
      "api_key.created",
      "authentication.failed",
    ]);
  });

  it("logged no errors, because each was the caller's mistake", () => {
    expect(service.log.length).toBeGreaterThan(100);
    expect(service.log.filter((line) => (JSON.parse(line) as { level: number }).level >= 50)).toEqual([]);
  });
});
