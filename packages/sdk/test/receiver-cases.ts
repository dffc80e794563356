/**
 * What every receiver must do, whatever the framework: the tests of the handlers for Express, Fastify, Hono and Next
 * are this one list, each over HTTP against the real framework.
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
  strangeSecret,
} from "./deliver.ts";

/** A shop's server that trusts `secret` and `olderSecret`. */
export interface Shop {
  /** Where webhooks come in. */
  url: string;
  /** Another way in, where something parses JSON before the handler. */
  urlBehindParser: string;
  /** What the framework's error path has got to see, as text. */
  errors: () => string;
  close: () => Promise<void>;
}

export type OnEvent = (event: Event) => Promise<void>;

/** @param whatToDo what the developer is told when something has read the body before */
export function receiverCases(
  startShop: (onEvent: OnEvent) => Promise<Shop>,
  { whatToDo }: { whatToDo: RegExp },
): void {
  const body = eventBody();
  let shop: Shop;
  let events: Event[] = [];
  let trouble: Error | null = null;

  // Generous, since one of the shops is another process. Nothing here waits for time to pass.
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
    ["ours alone", signOurs(body)],
    ["Standard Webhooks alone", signStandard(body)],
    ["both secrets of a rotation", sign(body, [secret, olderSecret])],
    ["a secret it does not know yet beside one it knows", sign(body, [strangeSecret, secret])],
    ["the older secret alone", sign(body, [olderSecret])],
    ["a clock that is four minutes behind", sign(body, [secret], nowSeconds() - 240)],
    ["a clock that is four minutes ahead", sign(body, [secret], nowSeconds() + 240)],
  ])("a genuine delivery is handled once and answered 204: %s", async (_what, headers) => {
    expect(await deliver(shop.url, body, { headers })).toMatchObject({ status: 204, text: "" });
    expect(events).toEqual([parsed(body)]);
  });

  test.each<[string, Record<string, string>]>([
    ["with a charset", { "content-type": "application/json; charset=utf-8" }],
    ["as text", { "content-type": "text/plain" }],
    ["as a form", { "content-type": "application/x-www-form-urlencoded" }],
  ])("a body is taken as it is, whatever its type says: %s", async (_what, headers) => {
    expect(await deliver(shop.url, body, { headers: { ...sign(body), ...headers } })).toMatchObject({ status: 204 });
    expect(events).toEqual([parsed(body)]);
  });

  test.each([1, 7, 64])(
    "a body that arrives in pieces of %i bytes, cut within characters, is the same body",
    async (pieceBytes) => {
      expect(await deliver(shop.url, body, { headers: sign(body), pieceBytes })).toMatchObject({ status: 204 });
      expect(events).toEqual([parsed(body)]);
    },
  );

  test("a body as large as may be is taken", async () => {
    const large = eventBody({ bytes: maxWebhookBytes });
    expect(await deliver(shop.url, large, { headers: sign(large) })).toMatchObject({ status: 204 });
    expect(events).toHaveLength(1);
  });

  test("a body of one byte more is refused before its end, also when it is genuine", async () => {
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
    ["another endpoint's secret", body, sign(body, [strangeSecret]), "signature_mismatch"],
    ["another endpoint's secret, ours", body, signOurs(body, [strangeSecret]), "signature_mismatch"],
    ["another endpoint's secret, standard", body, signStandard(body, [strangeSecret]), "signature_mismatch"],
    [
      "one wrong beside one right",
      body,
      { ...signOurs(body, [strangeSecret]), ...signStandard(body) },
      "signature_mismatch",
    ],
    ["a changed body", body.replace("ch_01", "ch_02"), sign(body), "signature_mismatch"],
    ["a body with a byte more", `${body}\n`, sign(body), "signature_mismatch"],
    ["a body written anew", JSON.stringify(parsed(body), null, 2), sign(body), "signature_mismatch"],
    ["a body composed otherwise in Unicode", body.normalize("NFD"), sign(body), "signature_mismatch"],
    ["a mark of byte order", `\ufeff${body}`, sign(body), "signature_mismatch"],
    ["a truncated signature", body, cut(signOurs(body), "oriel-signature", 2), "signature_mismatch"],
    ["a truncated standard signature", body, cut(signStandard(body), "webhook-signature", 4), "signature_mismatch"],
    ["an empty signature", body, { "oriel-signature": `t=${nowSeconds()},v1=` }, "signature_mismatch"],
    ["an empty standard signature", body, { ...signStandard(body), "webhook-signature": "v1," }, "signature_mismatch"],
    [
      "a new time on an old signature",
      body,
      { ...signStandard(body), "webhook-timestamp": "1795000000" },
      "signature_mismatch",
    ],
    ["a stale time", body, sign(body, [secret], nowSeconds() - 600), "timestamp_out_of_tolerance"],
    ["a time to come", body, sign(body, [secret], nowSeconds() + 600), "timestamp_out_of_tolerance"],
    ["no body", "", sign(""), "body_malformed"],
    ["what is signed and no event", '{"object":"charge"}', sign('{"object":"charge"}'), "body_malformed"],
    ["what is signed and no JSON", "{", sign("{"), "body_malformed"],
  ])("is refused with 400 and one word, and nothing is done: %s", async (_what, sent, headers, code) => {
    const answered = await deliver(shop.url, sent, { headers });
    expect(answered).toMatchObject({ status: 400, text: `Webhook refused: ${code}.` });
    expect(answered.headers["content-type"]).toBe("text/plain; charset=utf-8");
    expect(events).toEqual([]);
  });

  test.each(["GET", "PUT", "DELETE"])("what is not POST is answered 405: %s", async (method) => {
    const sent = method === "PUT" ? body : "";
    expect(await deliver(shop.url, sent, { method, headers: sign(body) })).toMatchObject({ status: 405 });
    expect(events).toEqual([]);
  });

  test("when onEvent throws the answer is 500, the error path sees why, and the next try is handled", async () => {
    trouble = new Error("the shop's database is away");
    const answered = await deliver(shop.url, body, { headers: sign(body) });
    expect(answered.status).toBe(500);
    await vi.waitFor(() => expect(shop.errors()).toMatch(/onEvent threw[^]*the shop's database is away/), soon);
    trouble = null;
    expect(await deliver(shop.url, body, { headers: sign(body) })).toMatchObject({ status: 204 });
    expect(events).toEqual([parsed(body)]);
  });

  test("an error that carries a status of its own does not say it to the sender", async () => {
    trouble = Object.assign(new Error("the warehouse says gone"), { status: 410, statusCode: 410 });
    expect(await deliver(shop.url, body, { headers: sign(body) })).toMatchObject({ status: 500 });
  });

  test("behind a parser that has read the body it refuses to work, and tells the developer what to do", async () => {
    const answered = await deliver(shop.urlBehindParser, body, { headers: sign(body) });
    expect(answered.status).toBe(500);
    await vi.waitFor(() => expect(shop.errors()).toMatch(whatToDo), soon);
    expect(events).toEqual([]);
  });

  test("no answer and no error repeats a secret", async () => {
    trouble = new Error("once more");
    const answers = [
      await deliver(shop.url, body, { headers: sign(body, [strangeSecret]) }),
      await deliver(shop.url, body, { headers: sign(body) }),
    ];
    const seen = JSON.stringify(answers) + shop.errors();
    for (const hidden of [secret, olderSecret]) expect(seen).not.toContain(hidden.slice("whsec_".length));
  });
}
