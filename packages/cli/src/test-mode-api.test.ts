/** Tests the commands' API client against valid and invalid responses. */
import { createServer, type ServerResponse } from "node:http";
import Type from "typebox";
import { beforeEach, describe, expect, it } from "vitest";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { ApiRefusal, ApiUnavailable, openTestModeApi } from "./test-mode-api.ts";

const secretKey = `oriel_sk_test_${"a".repeat(36)}`;
const env = { ORIEL_SECRET_KEY: secretKey };
const Thing = Type.Object({ id: Type.String() });
let seen: string[];
let keys: unknown[];
let respond: (response: ServerResponse) => void;
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers.authorization}`);
  keys.push(request.headers["idempotency-key"]);
  respond(response);
});
const { url: apiUrl } = await openForTests(listenLocally(server));
beforeEach(() => {
  seen = [];
  keys = [];
});

async function unusedPort(): Promise<number> {
  const { port, close } = await listenLocally(createServer());
  await close();
  return port;
}

const says =
  (status: number, body: unknown, headers: Record<string, string> = {}) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(typeof body === "string" ? body : JSON.stringify(body));

/** Returns the parsed response of a request, or the error it throws. */
async function getThing(): Promise<unknown> {
  return await openTestModeApi("listen", env, apiUrl)
    .get("things", Thing)
    .catch((error: unknown) => error);
}

describe("a request", () => {
  it("is sent with the key, and its response keeps fields that the schema doesn't name", async () => {
    respond = says(200, { id: "a", newer: 1 });
    expect(await getThing()).toEqual({ id: "a", newer: 1 });
    expect(seen).toEqual([`GET /api/v1/things Bearer ${secretKey}`]);
  });

  it("goes to --api-url if set, otherwise ORIEL_API_URL, otherwise localhost", () => {
    const elsewhere = { ...env, ORIEL_API_URL: "http://localhost:4500" };
    expect(openTestModeApi("listen", elsewhere, "http://localhost:5000/").apiUrl).toBe("http://localhost:5000");
    expect(openTestModeApi("listen", elsewhere, undefined).apiUrl).toBe("http://localhost:4500");
    expect(openTestModeApi("listen", { ...env, ORIEL_API_URL: "" }, undefined).apiUrl).toBe("http://localhost:4000");
  });
});

describe("a request with a deadline", () => {
  const pauses: number[] = [];
  /** Lasts ten seconds of pauses. */
  const deadline = {
    remainingMs: () => 10_000 - pauses.reduce((sum, ms) => sum + ms, 0),
    pause: async (ms: number) => void pauses.push(ms),
  };
  const post = () => openTestModeApi("trigger", env, apiUrl, deadline).post("things", {}, Thing);
  beforeEach(() => {
    pauses.length = 0;
  });

  it("is repeated with the same idempotency key until the outcome is known", async () => {
    const responses = [says(503, "{}", { "retry-after": "2" }), says(503, "{}"), says(200, { id: "a" })];
    respond = (response) => responses.shift()?.(response);
    expect(await post()).toEqual({ id: "a" });
    expect(pauses).toEqual([2_000, 1_000]);
    expect(new Set(keys).size).toBe(1);
    expect(keys).toHaveLength(3);
    respond = says(200, { id: "b" });
    await post();
    expect(new Set(keys).size).toBe(2);
  });

  it("is repeated if it's a GET", async () => {
    const responses = [says(429, "{}", { "retry-after": "3" }), says(502, "<html>"), says(200, { id: "a" })];
    respond = (response) => responses.shift()?.(response);
    expect(await openTestModeApi("trigger", env, apiUrl, deadline).get("things", Thing)).toEqual({ id: "a" });
    expect(pauses).toEqual([3_000, 1_000]);
  });

  it("is repeated after a lost response, if the API has responded before", async () => {
    const hangUp = (response: ServerResponse) => void response.destroy();
    const api = openTestModeApi("trigger", env, apiUrl, deadline);
    respond = says(200, { id: "a" });
    await api.post("things", {}, Thing);
    const responses = [hangUp, says(200, { id: "b" })];
    respond = (response) => responses.shift()?.(response);
    expect(await api.post("things", {}, Thing)).toEqual({ id: "b" });
    expect(keys).toHaveLength(3);
    expect(keys[2]).toBe(keys[1]);
    respond = hangUp;
    await expect(api.post("things", {}, Thing)).rejects.toMatchObject({ hasResponded: true });
    expect(pauses).toHaveLength(10);
  });

  it("fails once the time is over, or at once if nothing responds", async () => {
    respond = says(503, "{}", { "retry-after": "4" });
    await expect(post()).rejects.toThrow("returned status 503");
    expect(pauses).toEqual([4_000, 4_000]);
    respond = (response) => void response.destroy();
    pauses.length = 0;
    await expect(post()).rejects.toThrow("isn't responding");
    expect(pauses).toEqual([]);
  });
});

describe("openTestModeApi", () => {
  it.each<[string, NodeJS.ProcessEnv, RegExp]>([
    ["no key", {}, /Set ORIEL_SECRET_KEY to a test key/],
    [
      "a live key",
      { ORIEL_SECRET_KEY: `oriel_sk_live_${"a".repeat(36)}` },
      /`oriel listen` accepts test keys only, but ORIEL_SECRET_KEY is a live key/,
    ],
    ["an incomplete key", { ORIEL_SECRET_KEY: secretKey.slice(0, -1) }, /isn't a complete oriel_sk_test_/],
    ["a key with a typo", { ORIEL_SECRET_KEY: secretKey.replace(/.$/, "!") }, /isn't a complete oriel_sk_test_/],
  ])("rejects %s with an error that contains no key", (_what, wrong, sentence) => {
    const open = () => openTestModeApi("listen", wrong, apiUrl);
    expect(open).toThrow(sentence);
    expect(open).not.toThrow(/\w{20}/);
  });

  it.each([
    "localhost:4000",
    "ftp://localhost",
    "http://localhost:4000/api/v1",
    "http://a:b@localhost",
    "http://localhost?x",
    "",
  ])("refuses %j as a URL", (wrong) =>
    expect(() => openTestModeApi("listen", env, wrong)).toThrow(/must be http\(s\) without a path/),
  );
});

describe("ApiUnavailable", () => {
  it.each([408, 429, 500, 502, 503])("is thrown for status %i", async (status) => {
    respond = says(status, "<html>", { "retry-after": "7" });
    const error = await getThing();
    expect(error).toBeInstanceOf(ApiUnavailable);
    expect(error).toMatchObject({ retryAfterSeconds: 7, message: `The API at ${apiUrl} returned status ${status}.` });
  });

  it("is thrown if there's no response, or an incomplete one", async () => {
    const brokenOff = (response: ServerResponse) => {
      response.writeHead(200, { "content-length": "100" }).write("{");
      setImmediate(() => response.destroy());
    };
    for (const hangUp of [(response: ServerResponse) => void response.destroy(), brokenOff]) {
      respond = hangUp;
      expect(await getThing()).toBeInstanceOf(ApiUnavailable);
    }
    const nobody = openTestModeApi("listen", env, `http://127.0.0.1:${await unusedPort()}`);
    await expect(nobody.get("things", Thing)).rejects.toThrow(
      /isn't responding \(ECONNREFUSED\)\. Check that it's running/,
    );
  });
});

describe("ApiRefusal", () => {
  it("contains the API's message without control characters", async () => {
    respond = says(401, {
      error: { type: "authentication_error", code: "api_key_invalid", message: "Not \u001b[2J\u202evalid." },
    });
    const error = await getThing();
    expect(error).toBeInstanceOf(ApiRefusal);
    expect(error).toMatchObject({
      code: "api_key_invalid",
      message: expect.stringMatching(/rejected the request \(api_key_invalid\): Not \s\[2J valid\./),
    });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ["an HTML page", says(200, "<html>")],
    ["an unexpected shape", says(200, { name: "a" })],
    ["an HTML page with 404", says(404, "<html>")],
    ["a redirect", says(302, "", { location: "/api/v1/elsewhere" })],
  ])("is thrown for %s, because this isn't the API", async (_what, wrong) => {
    respond = wrong;
    const error = await getThing();
    expect(error).toBeInstanceOf(ApiRefusal);
    expect(error).toMatchObject({
      code: null,
      message: expect.stringMatching(/doesn't provide this version of the Oriel API/),
    });
    expect(seen).toHaveLength(1);
  });

  it("is thrown for an endless response, which isn't read beyond a limit", async () => {
    let sent = 0;
    respond = (response) => {
      response.writeHead(200);
      const chunk = Buffer.alloc(1_000_000, " ");
      const more = () => {
        if (response.destroyed || sent > 100) return void response.end();
        sent++;
        response.write(chunk, more);
      };
      more();
    };
    expect(await getThing()).toBeInstanceOf(ApiRefusal);
    expect(sent).toBeLessThan(100);
  });
});
