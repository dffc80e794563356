/**
 * Test cases for all receivers. The tests for Express, Fastify, Hono and Next run these over HTTP against the real
 * framework.
 */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import type { Event } from "../src/index.ts";
import { maxWebhookBytes } from "../src/verify-webhook.ts";
import {
  deliver,
  eventBody,
  nowSeconds,
  olderSecret,
  parsed,
  secret,
  sign,
  signOurs,
  signStandard,
  unknownSecret,
} from "./deliver.ts";

/** A shop's server that trusts `secret` and `olderSecret`. */
export interface Shop {
  /** URL of the webhook route. */
  url: string;
  /** URL of a webhook route after a JSON parser. */
  urlBehindParser: string;
  /** What the framework's error handling has logged, as text. */
  errors: () => string;
  close: () => Promise<void>;
}

export type OnEvent = (event: Event) => Promise<void>;

/** @param advice the expected advice if something has read the body before */
export function receiverCases(startShop: (onEvent: OnEvent) => Promise<Shop>, { advice }: { advice: RegExp }): void {
  const body = eventBody();
  let shop: Shop;
  let events: Event[] = [];
  let trouble: Error | null = null;

  // Generous timeouts, because one of the shops is another process.
  vi.setConfig({ testTimeout: 30_000 });
  const soon = { timeout: 20_000 };

  beforeAll(async () => {
    shop = await startShop(async (event) => {
      if (trouble) throw trouble;
      events.push(event);
    });
  }, 150_000);

  afterAll(async () => {
    await shop?.close();
  });

  beforeEach(() => {
    events = [];
    trouble = null;
  });

  test.each<[string, Record<string, string>]>([
    ["both formats", sign(body)],
    ["Oriel-Signature only", signOurs(body)],
    ["Standard Webhooks only", signStandard(body)],
    ["both secrets of a rotation", sign(body, [secret, olderSecret])],
    ["an unknown and a known secret", sign(body, [unknownSecret, secret])],
    ["the older secret only", sign(body, [olderSecret])],
    ["a clock that is four minutes behind", sign(body, [secret], nowSeconds() - 240)],
    ["a clock that is four minutes ahead", sign(body, [secret], nowSeconds() + 240)],
  ])("handles a genuine webhook once and returns 204: %s", async (_what, headers) => {
    expect(await deliver(shop.url, body, { headers })).toMatchObject({ status: 204, text: "" });
    expect(events).toEqual([parsed(body)]);
  });

  test.each<[string, Record<string, string>]>([
    ["with a charset", { "content-type": "application/json; charset=utf-8" }],
    ["as text", { "content-type": "text/plain" }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
  ])("accepts a body with any content type: %s", async (_what, headers) => {
    expect(await deliver(shop.url, body, { headers: { ...sign(body), ...headers } })).toMatchObject({ status: 204 });
    expect(events).toEqual([parsed(body)]);
  });

  test.each([1, 7, 64])("accepts a body in chunks of %i bytes that split characters", async (pieceBytes) => {
    expect(await deliver(shop.url, body, { headers: sign(body), pieceBytes })).toMatchObject({ status: 204 });
    expect(events).toEqual([parsed(body)]);
  });

  test("accepts a body of the maximum size", async () => {
    const large = eventBody({ bytes: maxWebhookBytes });
    expect(await deliver(shop.url, large, { headers: sign(large) })).toMatchObject({ status: 204 });
    expect(events).toHaveLength(1);
  });

  test("refuses a body over the maximum size before its end, even if it's genuine", async () => {
    const large = eventBody({ bytes: maxWebhookBytes + 1 });
    expect(await deliver(shop.url, large, { headers: sign(large), isEndless: true })).toMatchObject({ status: 413 });
    expect(events).toEqual([]);
  });

  const cut = (headers: Record<string, string>, name: string, characters: number) => ({
    ...headers,
    [name]: headers[name]?.slice(0, -characters) ?? "",
  });
  test.each<[string, string, Record<string, string>, string]>([
    ["no signature", body, {}, "signature_missing"],
    ["another endpoint's secret", body, sign(body, [unknownSecret]), "signature_mismatch"],
    ["another endpoint's secret, Oriel-Signature", body, signOurs(body, [unknownSecret]), "signature_mismatch"],
    ["another endpoint's secret, standard", body, signStandard(body, [unknownSecret]), "signature_mismatch"],
    [
      "one wrong and one valid format",
      body,
      { ...signOurs(body, [unknownSecret]), ...signStandard(body) },
      "signature_mismatch",
    ],
    ["a changed body", body.replace("ch_01", "ch_02"), sign(body), "signature_mismatch"],
    ["a body with an extra byte", `${body}\n`, sign(body), "signature_mismatch"],
    ["a body that was parsed and serialized", JSON.stringify(parsed(body), null, 2), sign(body), "signature_mismatch"],
    ["a body in another Unicode normalization", body.normalize("NFD"), sign(body), "signature_mismatch"],
    ["a byte order mark", `\ufeff${body}`, sign(body), "signature_mismatch"],
    ["a truncated signature", body, cut(signOurs(body), "oriel-signature", 2), "signature_mismatch"],
    ["a truncated standard signature", body, cut(signStandard(body), "webhook-signature", 4), "signature_mismatch"],
    ["an empty signature", body, { "oriel-signature": `t=${nowSeconds()},v1=` }, "signature_mismatch"],
    ["an empty standard signature", body, { ...signStandard(body), "webhook-signature": "v1," }, "signature_mismatch"],
    [
      "a new timestamp with an old signature",
      body,
      { ...signStandard(body), "webhook-timestamp": "1795000000" },
      "signature_mismatch",
    ],
    ["an old timestamp", body, sign(body, [secret], nowSeconds() - 600), "timestamp_out_of_tolerance"],
    ["a future timestamp", body, sign(body, [secret], nowSeconds() + 600), "timestamp_out_of_tolerance"],
    ["no body", "", sign(""), "body_malformed"],
    ["a signed body that isn't an event", '{"object":"charge"}', sign('{"object":"charge"}'), "body_malformed"],
    ["a signed body that isn't JSON", "{", sign("{"), "body_malformed"],
  ])("returns 400 with an error code and handles nothing: %s", async (_what, sent, headers, code) => {
    const response = await deliver(shop.url, sent, { headers });
    expect(response).toMatchObject({ status: 400, text: `Webhook refused: ${code}.` });
    expect(response.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(events).toEqual([]);
  });

  test.each(["GET", "PUT", "DELETE"])("returns 405 for %s", async (method) => {
    const sent = method === "PUT" ? body : "";
    expect(await deliver(shop.url, sent, { method, headers: sign(body) })).toMatchObject({ status: 405 });
    expect(events).toEqual([]);
  });

  test("returns 500 if onEvent throws, logs the reason, and handles the next attempt", async () => {
    trouble = new Error("the shop's database is down");
    const response = await deliver(shop.url, body, { headers: sign(body) });
    expect(response.status).toBe(500);
    await vi.waitFor(() => expect(shop.errors()).toMatch(/onEvent threw[^]*the shop's database is down/), soon);
    trouble = null;
    expect(await deliver(shop.url, body, { headers: sign(body) })).toMatchObject({ status: 204 });
    expect(events).toEqual([parsed(body)]);
  });

  test("returns 500 even if the error has another status", async () => {
    trouble = Object.assign(new Error("gone from the warehouse"), { status: 410, statusCode: 410 });
    expect(await deliver(shop.url, body, { headers: sign(body) })).toMatchObject({ status: 500 });
  });

  test("returns 500 after a body parser and logs what to change", async () => {
    const response = await deliver(shop.urlBehindParser, body, { headers: sign(body) });
    expect(response.status).toBe(500);
    await vi.waitFor(() => expect(shop.errors()).toMatch(advice), soon);
    expect(events).toEqual([]);
  });

  test("repeats no secret in responses or errors", async () => {
    trouble = new Error("once more");
    const responses = [
      await deliver(shop.url, body, { headers: sign(body, [unknownSecret]) }),
      await deliver(shop.url, body, { headers: sign(body) }),
    ];
    const seen = JSON.stringify(responses) + shop.errors();
    for (const hidden of [secret, olderSecret]) expect(seen).not.toContain(hidden.slice("whsec_".length));
  });
}
