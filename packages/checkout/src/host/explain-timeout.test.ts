import { CallOptions as PenpalOptions, PortMessenger, connect } from "penpal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { initType } from "@oriel/protocol/windows";
import type { CallOptions, CallResult } from "../service/frame-call.ts";
import { explainTimeout } from "./explain-timeout.ts";

const shop = "https://shop.example";
const opened: MessagePort[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

const allIsWell: CallResult = { kind: "answer", body: { session: "open", listed: true } };

interface Embedded {
  search?: string;
  origin?: string;
  answer?: CallResult;
  protocol?: number[];
}

/** Runs the page in a hidden iframe, with a host page of the given origin that posts an `init`. */
function explain({ search = "?session=cs_1", origin = shop, answer = allIsWell, protocol = [1] }: Embedded = {}) {
  const parent = new EventTarget();
  const window = Object.assign(new EventTarget(), { parent, location: { search } });
  const requests: CallOptions[] = [];
  // Only the parts of a window that the page uses.
  explainTimeout(window as unknown as Window, async (options) => {
    requests.push(options);
    return answer;
  });
  const { port1, port2 } = new MessageChannel();
  opened.push(port1, port2);
  window.dispatchEvent(
    Object.assign(new Event("message"), { source: parent, origin, data: { type: initType, protocol }, ports: [port2] }),
  );
  const event = vi.fn<(name: string, detail: unknown) => void>();
  const { promise } = connect({ messenger: new PortMessenger({ port: port1 }), methods: { event }, timeout: 300 });
  return { requests, event, connected: promise };
}

describe("the reason why an iframe is silent", () => {
  it.each([
    { session: "open", listed: true },
    { session: "open", listed: false },
    { session: "expired", listed: true },
    { session: "invalid", listed: false },
  ])("is sent to any host page: %o", async (reason) => {
    const { requests, event, connected } = explain({ answer: { kind: "answer", body: reason } });
    await connected;
    await vi.waitFor(() => expect(event.mock.calls).toEqual([["why", reason]]));
    expect(requests).toEqual([
      { method: "GET", path: "/frame/sessions/cs_1/why?origin=https%3A%2F%2Fshop.example", timeoutMs: 5000 },
    ]);
  });

  it("is requested for the origin that the browser reports, even if it is opaque", async () => {
    const { requests, event } = explain({
      origin: "null",
      answer: { kind: "answer", body: { session: "open", listed: false } },
    });
    await vi.waitFor(() => expect(event).toHaveBeenCalledOnce());
    expect(requests[0]?.path).toBe("/frame/sessions/cs_1/why?origin=null");
  });

  it("contains only two fields, whatever else the service sends", async () => {
    const { event } = explain({
      answer: { kind: "answer", body: { session: "open", listed: true, allowed_origins: [shop] } },
    });
    await vi.waitFor(() => expect(event.mock.calls).toEqual([["why", { session: "open", listed: true }]]));
  });

  it.each([
    ["does not answer", { kind: "unreachable" }],
    ["refuses", { kind: "refused", status: 429, code: "rate_limited", encryption: null }],
  ] satisfies [string, CallResult][])("isn't sent if the service %s", async (_what, answer) => {
    const { requests, event, connected } = explain({ answer });
    await connected;
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(requests).toHaveLength(1);
    expect(event).not.toHaveBeenCalled();
  });

  it.each(["", "?session=", "?session=../../x", "?session=pay_1", "?session=cs_1%2F..", "?id=cs_1"])(
    "isn't requested without a valid session ID: %j",
    async (search) => {
      const { requests, connected } = explain({ search });
      await expect(connected).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
      expect(requests).toEqual([]);
    },
  );

  it("isn't sent to a loader without a common protocol version", async () => {
    const { requests, connected } = explain({ protocol: [99] });
    await expect(connected).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(requests).toEqual([]);
  });

  it("comes from a page that handles no calls", async () => {
    const { connected } = explain();
    // The type allows any name.
    const remote = (await connected) as unknown as Record<string, (options: PenpalOptions) => Promise<unknown>>;
    await expect(remote["room"]?.(new PenpalOptions({ timeout: 200 }))).rejects.toMatchObject({
      code: "METHOD_CALL_TIMEOUT",
    });
  });
});
