/**
 * What every handler does with a request, without a framework around it. The cases over HTTP are in
 * `test/receiver-cases.ts`.
 */
import { describe, expect, it } from "vitest";
import { eventBody, parsed, secret, sign } from "../test/deliver.ts";
import type { Event } from "./index.ts";
import { createReceiver, type ReceivedWebhook } from "./receive-webhook.ts";
import { maxWebhookBytes } from "./verify-webhook.ts";

const body = eventBody();

function open() {
  const events: Event[] = [];
  const receive = createReceiver({ secret, onEvent: (event) => events.push(event) });
  return {
    events,
    post: (sent: ReceivedWebhook["body"], text = body) => receive({ method: "POST", headers: sign(text), body: sent }),
    receive,
  };
}

describe("a receiver", () => {
  it("leaves unread what is beyond the largest webhook, and closes the stream", async () => {
    const { post, events } = open();
    let [read, isClosed] = [0, false];
    async function* pour() {
      try {
        for (; read < 10 * maxWebhookBytes; read += 100_000) yield Buffer.alloc(100_000);
      } finally {
        isClosed = true;
      }
    }
    expect(await post(pour())).toMatchObject({
      status: 413,
      headers: { connection: "close" },
      text: "No webhook is as large as this.",
    });
    expect(read).toBe(maxWebhookBytes);
    expect(isClosed).toBe(true);
    expect(events).toEqual([]);
  });

  it("takes bytes that somebody has read before, up to the same limit", async () => {
    const { post, events } = open();
    const largest = eventBody({ bytes: maxWebhookBytes });
    expect(await post(Buffer.from(largest), largest)).toEqual({ status: 204, headers: {}, text: "" });
    expect(events).toEqual([parsed(largest)]);
    expect(await post(Buffer.from(`${largest} `), `${largest} `)).toMatchObject({ status: 413 });
    expect(events).toHaveLength(1);
  });

  it("refuses a request without a body", async () => {
    expect(await open().post(null, "")).toMatchObject({ status: 400, text: "Webhook refused: body_malformed." });
  });

  it("refuses a stream that was given an encoding, and says so to the developer", async () => {
    async function* texts() {
      yield body;
    }
    await expect(open().post(texts())).rejects.toThrow("must be a stream of bytes, without an encoding");
  });

  it("doesn't take a bug of the framework for a wrong signature", async () => {
    const get = () => {
      throw new TypeError("Bug");
    };
    const headers = { get } as unknown as Headers; // what is asked of it
    const received = open().receive({ method: "POST", headers, body: Buffer.from(body) });
    await expect(received).rejects.toThrow(TypeError);
  });

  it("names the one method it takes", async () => {
    const { receive } = open();
    expect(await receive({ method: "PUT", headers: sign(body), body: Buffer.from(body) })).toMatchObject({
      status: 405,
      headers: { allow: "POST", "content-type": "text/plain; charset=utf-8" },
      text: "Webhooks are sent with POST.",
    });
  });

  it("says which event onEvent could not handle, and that it comes again", async () => {
    const cause = new Error("the shop's database is away");
    const receive = createReceiver({ secret, onEvent: () => Promise.reject(cause) });
    await expect(receive({ method: "POST", headers: sign(body), body: Buffer.from(body) })).rejects.toMatchObject({
      code: "event_not_handled",
      message: "Oriel: onEvent threw for the event evt_01 (payment.succeeded); it will be sent again.",
      cause,
    });
  });

  it("can't be made without something to call, a whole secret and a tolerance in its range", () => {
    const onEvent = () => {};
    // The types forbid it; callers without types do it.
    expect(() => createReceiver({ secret } as Parameters<typeof createReceiver>[0])).toThrow(
      "onEvent must be a function",
    );
    expect(() => createReceiver({ secret: "whsec_", onEvent })).toThrow(
      expect.objectContaining({ code: "secret_invalid" }),
    );
    expect(() => createReceiver({ secret, onEvent, toleranceSeconds: 0 })).toThrow(RangeError);
  });
});
