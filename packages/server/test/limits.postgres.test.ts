/** Tests rate limits, which IP address counts, and slow clients. */
import { once } from "node:events";
import { connect } from "node:net";
import { sql } from "kysely";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { HttpListener } from "@oriel/http-listener";
import { createApp } from "../src/app.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { createRateLimiter, deleteFullBuckets } from "../src/platform/limits/rate-limit.ts";
import type { Db } from "../src/platform/storage/database.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { bankKeys, startTestService, type ApiResponse, type TestService } from "./setup/test-service.ts";
import { startTwoProcesses, type TwoProcesses } from "./setup/two-processes.ts";
import { until } from "./setup/until.ts";

const order = { amount: 4900, currency: "eur" };
const limited: Refusal = { status: 429, type: "rate_limit_error", code: "rate_limited" };

const now = performance.now.bind(performance);
let passedMs = 0;
beforeAll(() => void vi.spyOn(performance, "now").mockImplementation(() => now() + passedMs));
afterAll(() => void vi.restoreAllMocks());

/** Lets time pass for this process and for the buckets. */
async function letPass(db: Db, ms: number): Promise<void> {
  passedMs += ms;
  await sql`update rate_bucket set refilled_at = refilled_at - ${ms} * interval '1 millisecond'`.execute(db);
}

describe("an account's limit", () => {
  const rate = { perSecond: 1, burst: 20 };
  let service: TestService;
  /** Refills so slowly that its limit is still exhausted when a busy machine sends the next request seconds later. */
  let slowRefill: TestService;
  beforeAll(async () => {
    service = await startTestService({ live: true, rateLimits: { api: rate, frame: null } });
    slowRefill = await startTestService({ rateLimits: { api: { ...rate, perSecond: 0.2 }, frame: null } });
  });
  afterAll(async () => {
    await service.close();
    await slowRefill.close();
  });

  const exhaust = async (key: string, of = service): Promise<ApiResponse> =>
    await until("the limit", async () => {
      const response = await of.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${key}` });
      return response.status === 429 ? response : null;
    });

  it("is on every response: the limit, the remaining requests and when it resets", async () => {
    const { secretKey } = await service.addTenant(false);
    const headers = { authorization: `Bearer ${secretKey}` };
    const first = await service.call("GET", "/api/v1/charges", undefined, headers);
    expect(first.headers["ratelimit-policy"]).toBe('"default";q=20;w=20');
    expect(first.headers["ratelimit"]).toBe('"default";r=19;t=1');
    const refusedBody = await service.call("POST", "/api/v1/charges", {}, headers);
    expect(refusedBody.status).toBe(400);
    expect(refusedBody.headers["ratelimit"]).toMatch(/^"default";r=1[78];t=[23]$/);
  });

  it("returns 429 with the time to wait when it is exhausted, and allows requests again after that", async () => {
    const { secretKey } = await service.addTenant(false);
    const refused = await exhaust(secretKey);
    expectError(refused, limited);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(refused.headers["ratelimit"]).toBe('"default";r=0;t=1');
    await letPass(service.context.db, 1_050);
    const headers = { authorization: `Bearer ${secretKey}` };
    expect((await service.call("GET", "/api/v1/charges", undefined, headers)).status).toBe(200);
  });

  it("isn't affected by another account or by the same account's other mode", async () => {
    const { tenant, secretKey } = await service.addTenant(true);
    const inTest = await createApiKey(service.context.db, { ...tenant, livemode: false }, service.context.now());
    await exhaust(secretKey);
    for (const key of [inTest.secretKey, service.secretKey]) {
      const response = await service.call("GET", "/api/v1/charges", undefined, { authorization: `Bearer ${key}` });
      expect(response.status).toBe(200);
    }
  });

  it("is shared by an account's keys", async () => {
    const { tenant, secretKey } = await slowRefill.addTenant(false);
    const other = await createApiKey(slowRefill.context.db, tenant, slowRefill.context.now());
    await exhaust(secretKey, slowRefill);
    const response = await slowRefill.call("GET", "/api/v1/charges", undefined, {
      authorization: `Bearer ${other.secretKey}`,
    });
    expect(response.status).toBe(429);
  });

  it("applies before the Idempotency-Key is read, so the key stays unused", async () => {
    const { secretKey } = await slowRefill.addTenant(false);
    const headers = { authorization: `Bearer ${secretKey}`, "idempotency-key": "order-1" };
    await exhaust(secretKey, slowRefill);
    expectError(await slowRefill.call("POST", "/api/v1/checkout_sessions", order, headers), limited);
    await letPass(slowRefill.context.db, 5_000);
    const created = await until("a token", async () => {
      // With another body, this would return 422 if the refused request had claimed the key.
      const response = await slowRefill.call("POST", "/api/v1/checkout_sessions", { ...order, amount: 1 }, headers);
      return response.status === 429 ? null : response;
    });
    expect(created.status).toBe(200);
    expect(created.headers["idempotent-replayed"]).toBeUndefined();
  });
});

describe("a limit that can't be read", () => {
  it("refuses every request, on the API and in the iframe", async () => {
    const rate = { perSecond: 100, burst: 500 };
    const service = await startTestService({ rateLimits: { api: rate, frame: rate } });
    try {
      await sql`drop table rate_bucket`.execute(service.context.db);
      const unavailable: Refusal = { status: 503, type: "api_error", code: "service_unavailable" };
      const responses = [
        await service.call("POST", "/api/v1/checkout_sessions", order),
        await service.call("GET", "/api/v1/charges"),
        await service.frame("POST", "/frame/payments", {}),
        await service.frame("GET", "/frame/sessions/cs_1/why?origin=null"),
      ];
      for (const response of responses) {
        expectError(response, unavailable);
        expect(response.headers["retry-after"]).toBe("1");
        expect(response.text).not.toContain("rate_bucket");
      }
      expect(await service.context.db.selectFrom("checkout_session").select("id").execute()).toEqual([]);
      expect(service.log.join("")).toContain("Failed to read a rate limit");
    } finally {
      await service.close();
    }
  });
});

describe("two processes", () => {
  const burst = 60;
  let two: TwoProcesses;
  beforeAll(async () => {
    two = await startTwoProcesses({ ORIEL_RATE_LIMIT: "2", ORIEL_RATE_BURST: String(burst) });
  });
  afterAll(() => two.close());

  const request = async (url: string): Promise<number> => {
    const response = await fetch(`${url}/api/v1/charges`, {
      headers: { authorization: `Bearer ${two.key.secretKey}` },
    });
    await response.arrayBuffer();
    return response.status;
  };

  it("share an account's limit, and spent requests return on both", async () => {
    const startedAt = Date.now();
    const statuses = await Promise.all(Array.from({ length: 4 * burst }, (_, i) => request(two.urls[i % 2] ?? "")));
    const refilled = Math.ceil(((Date.now() - startedAt) / 1000) * 2);
    const allowed = statuses.filter((status) => status === 200).length;
    // At most what one process would allow, and at least that minus one process's share (a tenth of the burst).
    expect(allowed).toBeLessThanOrEqual(burst + refilled);
    expect(allowed).toBeGreaterThanOrEqual(burst - burst / 10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(4 * burst - allowed);
    await letPass(two.db, 1_000);
    for (const url of two.urls)
      await until(`${url} to allow requests again`, async () => ((await request(url)) === 200 ? true : null));
  });

  it("don't block an account that sends few requests by keeping its tokens", async () => {
    await until("a full bucket", async () => {
      await sql`update rate_bucket set tokens = ${burst}::float8`.execute(two.db);
      return true;
    });
    await letPass(two.db, 1_100); // shares are only used for this long
    for (let round = 0; round < 3; round++) {
      for (const url of two.urls) expect(await request(url)).toBe(200);
      await letPass(two.db, 1_050);
    }
    for (const url of two.urls) expect(await request(url)).toBe(200);
    const { rows } = await sql<{ tokens: number }>`select tokens from rate_bucket where name like 'api %'`.execute(
      two.db,
    );
    // The test sent eight requests, and two shares may be in use.
    expect(rows[0]?.tokens).toBeGreaterThanOrEqual(burst - 8 - 2 * (burst / 10));
  });
});

describe("the buckets", () => {
  let service: TestService;
  let clockMs = 0;
  beforeAll(async () => {
    service = await startTestService();
  });
  afterAll(() => service.close());

  const rate = { perSecond: 0.001, burst: 50 };

  it("give concurrent callers exactly as many tokens as they contain", async () => {
    const limiters = [1, 2, 3].map(() => createRateLimiter(service.context.db, () => clockMs));
    const takes = Array.from({ length: 100 }, () => limiters.map((limiter) => limiter.take("crowd", rate))).flat();
    const allowed = (await Promise.all(takes)).filter((verdict) => verdict.allowed).length;
    expect(allowed).toBe(50);
    expect(limiters.every((limiter) => limiter.isEmpty("crowd"))).toBe(true);
  });

  it("get back the tokens that a process didn't use", async () => {
    const [one, other] = [1, 2].map(() => createRateLimiter(service.context.db, () => clockMs));
    if (one === undefined || other === undefined) throw new Error("Bug: expected two limiters");
    await one.take("shared", rate); // took five, used one
    clockMs += 1_000;
    await one.take("shared", rate); // returns four, takes five, uses one
    let others = 0;
    while ((await other.take("shared", rate)).allowed) others++;
    expect(others).toBe(50 - 1 - 5);
    expect((await one.take("shared", rate)).allowed).toBe(true);
  });

  /**
   * Takes tokens twice and moves the database's clock back in between.
   * @returns the bucket and how far ahead of the clock it is
   */
  async function takeAcrossClockChange(clockGoesBackBySeconds: number) {
    const { db } = service.context;
    const limiter = createRateLimiter(db, () => clockMs);
    const [name, generous] = [`set back by ${clockGoesBackBySeconds}`, { perSecond: 10, burst: 50 }];
    await limiter.take(name, generous); // takes five, uses one
    await sql`update rate_bucket set refilled_at = clock_timestamp() + ${clockGoesBackBySeconds} * interval '1 second'
      where name = ${name}`.execute(db);
    clockMs += 1_000;
    await limiter.take(name, generous); // returns four, takes five, uses one
    const { rows } = await sql<{ tokens: number; ahead: number }>`
      select tokens, extract(epoch from refilled_at - clock_timestamp())::float8 as ahead from rate_bucket
      where name = ${name}`.execute(db);
    const [bucket] = rows;
    if (bucket === undefined) throw new Error("Bug: there is no such bucket");
    return bucket;
  }

  it.each([5, 30, 3_600])(
    "neither lose nor gain a token when the database's clock goes back by %d seconds",
    async (seconds) => {
      expect((await takeAcrossClockChange(seconds)).tokens).toBe(50 - 5 + 4 - 5);
    },
  );

  it("are refilled from the new time on when the database's clock is set back", async () => {
    expect((await takeAcrossClockChange(7_200)).ahead).toBeLessThanOrEqual(0);
  });

  it("aren't refilled twice when statements arrive out of order", async () => {
    expect((await takeAcrossClockChange(40)).ahead).toBeGreaterThan(20);
  });

  it("are limited to 10,000, and then the least recently used one is removed", async () => {
    const transaction = await service.context.db.startTransaction().execute();
    const limiter = createRateLimiter(transaction, () => clockMs);
    while ((await limiter.take("spent", rate)).allowed);
    await transaction.commit().execute(); // each statement fails from here on
    const request = (names: string[]) => Promise.allSettled(names.map((name) => limiter.take(name, rate)));
    await request(Array.from({ length: 9_999 }, (_, i) => `stranger ${i}`));
    expect(limiter.isEmpty("spent")).toBe(true);
    await request(["stranger 9998", "stranger 0"]); // already known
    expect(limiter.isEmpty("spent")).toBe(true);
    await request(["one more name"]);
    expect(limiter.isEmpty("spent")).toBe(false);
  });

  it("never exceed the burst and are removed once they are certain to be full", async () => {
    const { db } = service.context;
    const limiter = createRateLimiter(db, () => clockMs);
    await limiter.take("rested", { perSecond: 1, burst: 10 });
    await sql`update rate_bucket set refilled_at = refilled_at - interval '1 day' where name = 'rested'`.execute(db);
    await limiter.take("rested", { perSecond: 1, burst: 10 });
    const bucket = async () =>
      (await sql<{ tokens: number }>`select tokens from rate_bucket where name = 'rested'`.execute(db)).rows[0]?.tokens;
    expect(await bucket()).toBe(9);
    await sql`update rate_bucket set refilled_at = refilled_at - interval '2 hours' where name = 'rested'`.execute(db);
    expect(await deleteFullBuckets(db, 100)).toBe(1);
    expect(await bucket()).toBeUndefined();
  });
});

describe("the client's IP address in the iframe", () => {
  const rate = { perSecond: 1, burst: 10 };
  const hardlyRefilled = { perSecond: 0.01, burst: 10 };
  const statusFrom = async (service: TestService, forwardedFor: string): Promise<number> => {
    const url = `${service.config.checkoutOrigin}/frame/payments/dec_none`;
    const response = await fetch(url, { headers: { "x-forwarded-for": forwardedFor } });
    await response.arrayBuffer();
    return response.status;
  };

  it("is the connection's IP address when no proxy is trusted, even if a header names another", async () => {
    const service = await startTestService({ rateLimits: { api: null, frame: rate } });
    try {
      let i = 0;
      await until("the limit", async () =>
        (await statusFrom(service, `203.0.113.${i++ % 250}`)) === 429 ? true : null,
      );
      expect(i).toBeLessThan(200);
      expect((await service.call("GET", "/api/v1/charges")).status).toBe(200); // the API has its own limit
    } finally {
      await service.close();
    }
  });

  it("is the same with any port, and trusted proxies may include ports too", async () => {
    const service = await startTestService({
      rateLimits: { api: null, frame: hardlyRefilled },
      trustProxy: ["127.0.0.0/8", "10.0.0.0/8"],
    });
    try {
      let port = 10_000;
      const fromAnyPort = () => `198.51.100.7:${port++}, 10.1.2.3:443`;
      await until("the limit", async () => ((await statusFrom(service, fromAnyPort())) === 429 ? true : null));
      expect(port).toBeLessThan(10_200);
      expect(await statusFrom(service, "198.51.100.7")).toBe(429);
      // The next customer behind the same proxy, over IPv4 or IPv6.
      expect(await statusFrom(service, "198.51.100.8:51234, 10.1.2.3:443")).toBe(401);
      expect(await statusFrom(service, "[2001:db8::1]:51234, 10.1.2.3:443")).toBe(401);
    } finally {
      await service.close();
    }
  });

  it("counts against one shared bucket when a trusted proxy sends an invalid value", async () => {
    const service = await startTestService({
      rateLimits: { api: null, frame: hardlyRefilled },
      trustProxy: ["127.0.0.0/8"],
    });
    try {
      let i = 0;
      await until("the limit", async () => ((await statusFrom(service, `nonsense-${i++}`)) === 429 ? true : null));
      expect(i).toBeLessThan(200);
      expect(await statusFrom(service, "198.51.100.8:51234")).toBe(401);
    } finally {
      await service.close();
    }
  });

  it("is the nearest untrusted one, because a client can forge everything before it", async () => {
    const service = await startTestService({
      rateLimits: { api: null, frame: rate },
      trustProxy: ["127.0.0.0/8", "10.0.0.0/8"],
    });
    try {
      let i = 0;
      const invented = () => `203.0.113.${i++ % 250}, 198.51.100.7, 10.1.2.3`;
      await until("the limit", async () => ((await statusFrom(service, invented())) === 429 ? true : null));
      expect(i).toBeLessThan(200);
      expect(await statusFrom(service, "198.51.100.8, 10.1.2.3")).toBe(401);
    } finally {
      await service.close();
    }
  });
});

describe("the diagnosis of a silent iframe, open to any page", () => {
  it("has its own limit, which doesn't use up the limit for payments", async () => {
    const service = await startTestService({ rateLimits: { api: null, frame: { perSecond: 0.001, burst: 10 } } });
    try {
      const why = async () => await service.frame("GET", "/frame/sessions/cs_none/why?origin=null");
      const refused = await until("the limit", async () => {
        const response = await why();
        return response.status === 429 ? response : null;
      });
      expectError(refused, limited);
      const payment = await service.frame("GET", "/frame/payments/dec_none");
      expect(payment.status).toBe(401);
      expect(payment.headers["ratelimit"]).toMatch(/^"default";r=9;/);
    } finally {
      await service.close();
    }
  });
});

describe("a slow or invalid client", () => {
  let service: TestService;
  const log: string[] = [];
  let port: number;
  let close: () => Promise<void>;
  beforeAll(async () => {
    service = await startTestService();
    const app = await createApp(service.context, {
      loggerInstance: pino({ level: "trace" }, { write: (line: string) => void log.push(line) }),
      resultsKeys: { test: bankKeys.resultsKey, live: null },
      files: null,
      listener: new HttpListener({ limits: { headersMs: 300, requestMs: 600 } }),
    });
    port = Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
    close = async () => await app.close();
  });
  afterAll(async () => {
    await close();
    await service.close();
  });

  /** Sends the first part, then trickles bytes until the service closes the connection. Returns the response. */
  async function drip(first: string, drop: string): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    let said = "";
    socket.on("data", (chunk: Buffer) => (said += chunk.toString()));
    socket.on("error", () => {}); // the service may close the connection while we write
    socket.write(first);
    const timer = setInterval(() => drop !== "" && socket.writable && socket.write(drop), 1);
    await new Promise((resolve) => socket.once("close", resolve)); // events.once would reject after an error
    clearInterval(timer);
    return said;
  }

  const head = () =>
    `POST /api/v1/checkout_sessions HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.secretKey}\r\n`;

  it.each<[string, () => string, string]>([
    ["endless headers", head, "X-More: 1\r\n"],
    ["part of its headers and then nothing", head, ""],
    [
      "its body one byte at a time",
      () => `${head()}Content-Type: application/json\r\nContent-Length: 4000\r\n\r\n{`,
      " ",
    ],
  ])("is disconnected without a response when it sends %s", async (_name, first, drop) => {
    expect(await drip(first(), drop)).toBe("");
  });

  it("gets an error envelope when its headers are too large", async () => {
    const said = await drip(`${head()}X-Long: ${"x".repeat(20_000)}\r\n\r\n`, "");
    expect(JSON.parse(said.slice(said.indexOf("{")))).toEqual({
      error: { type: "invalid_request_error", code: "body_malformed", message: "The headers are too large." },
    });
  });

  it("is refused when it doesn't speak HTTP, and nothing it sent is logged at any level", async () => {
    const said = await drip(`${head()}Bro ken: header\r\n\r\n`, "");
    expect(said).toMatch(/^HTTP\/1\.1 400 /);
    const sent = service.secretKey.slice(15, 25);
    expect(log.join("")).not.toContain(sent);
    expect(log.join("")).not.toContain([...Buffer.from(sent)].join(","));
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  });
});
