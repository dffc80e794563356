import { CallOptions as PenpalOptions, PortMessenger, connect } from "penpal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { initType } from "@oriel/protocol/windows";
import { refused, unreachable } from "../../test/fake-service.ts";
import type { CallOptions, CallResult } from "../service/frame-call.ts";
import { holdInit } from "./init-inbox.ts";
import { noVerbs, openConnection } from "./port-connection.ts";
import { reportFailureToHost } from "./report-failure.ts";

const shop = "https://shop.example";
const opened: MessagePort[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

interface Failing {
  answer?: CallResult;
  origin?: string;
  protocol?: number[];
}

/** An iframe that can't be used, in a host page of the given origin that posts an `init`. */
function fail({ answer = why(true), origin = shop, protocol = [1] }: Failing = {}) {
  const parent = new EventTarget();
  const frame = Object.assign(new EventTarget(), { parent });
  const requests: CallOptions[] = [];
  // Only the parts of a window that the inbox uses.
  const inbox = holdInit(frame as unknown as Window);
  const call = async (options: CallOptions) => {
    requests.push(options);
    return answer;
  };
  const openOwn = (port: MessagePort, connected: () => void) => openConnection(port, noVerbs, connected);
  reportFailureToHost("session_invalid", { inbox, sessionId: "cs_1", call, openConnection: openOwn });
  const { port1, port2 } = new MessageChannel();
  opened.push(port1, port2);
  const data = { type: initType, protocol };
  frame.dispatchEvent(Object.assign(new Event("message"), { source: parent, origin, data, ports: [port2] }));
  const event = vi.fn<(name: string, detail: unknown) => void>();
  const { promise } = connect({ messenger: new PortMessenger({ port: port1 }), methods: { event }, timeout: 300 });
  return { requests, event, connected: promise };
}
const why = (listed: boolean, session = "open"): CallResult => ({ kind: "answer", body: { session, listed } });

describe("an iframe without a session", () => {
  it("sends the host page one error if the session lists the origin that the browser reports", async () => {
    const { requests, event } = fail();
    await vi.waitFor(() => expect(event.mock.calls).toEqual([["error", { code: "session_invalid" }]]));
    expect(requests.map(({ path }) => path)).toEqual(["/frame/sessions/cs_1/why?origin=https%3A%2F%2Fshop.example"]);
  });

  it.each(["room", "update", "submit", "validate", "report", "destroy"])(
    "handles no calls, not even %s",
    async (verb) => {
      const remote = (await fail().connected) as unknown as Record<
        string,
        (options: PenpalOptions) => Promise<unknown>
      >; // allows any name
      await expect(remote[verb]?.(new PenpalOptions({ timeout: 200 }))).rejects.toMatchObject({
        code: "METHOD_CALL_TIMEOUT",
      });
    },
  );

  it.each([
    ["is not listed", { answer: why(false) }],
    ["has a session that never was", { answer: why(false, "invalid") }],
    ["cannot be asked about", { answer: unreachable }],
    ["may not be asked about", { answer: refused("rate_limited", 429) }],
    ["is nobody's", { origin: "null", answer: why(false) }],
    ["speaks no version of ours", { protocol: [99] }],
  ] satisfies [string, Failing][])("sends nothing to a host page that %s", async (_who, failing) => {
    const { event, connected } = fail(failing);
    await expect(connected).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(event).not.toHaveBeenCalled();
  });
});
