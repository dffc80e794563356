import { initType } from "@oriel/protocol/windows";
import { PortMessenger, connect } from "penpal";
import type { RemoteProxy } from "penpal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { createHostLink } from "./host-link.ts";
import type { HostOrders } from "./host-link.ts";
import { holdInit } from "./init-inbox.ts";

const shop = "https://shop.example";
const opened: MessagePort[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

/** A frame's window in which messages can be made to arrive from anyone, as only a browser could. */
function createFrame() {
  const parent = new EventTarget();
  const window = Object.assign(new EventTarget(), { parent });
  const orders = { connected: vi.fn(), room: vi.fn(), cancelChallenge: vi.fn(), destroy: vi.fn() } satisfies HostOrders;
  // The parts of a window that the inbox uses.
  const inbox = holdInit(window as unknown as Window);
  let nowMs = 0;
  const link = createHostLink(inbox, orders, () => nowMs);

  const post = (changes: { source?: unknown; origin?: string; data?: unknown; ports?: number } = {}) => {
    const channels = Array.from({ length: changes.ports ?? 1 }, () => new MessageChannel());
    for (const { port1, port2 } of channels) opened.push(port1, port2);
    window.dispatchEvent(
      Object.assign(new Event("message"), {
        source: parent,
        origin: shop,
        data: { type: initType, protocol: [1] },
        ...changes,
        ports: channels.map(({ port2 }) => port2),
      }),
    );
    return channels[0]?.port1;
  };
  /** The loader's side of the line. Rejects when nobody answers. */
  const listen = (port: MessagePort | undefined) => {
    if (!port) throw new Error("Bug: no port");
    const events: [string, unknown][] = [];
    const event = (name: string, detail: unknown) => void events.push([name, detail]);
    const connection = connect<Verbs>({ messenger: new PortMessenger({ port }), methods: { event }, timeout: 300 });
    return { events, host: connection.promise };
  };
  return { window, orders, link, post, listen, pass: (ms: number) => (nowMs += ms) };
}

type Verbs = Record<"room" | "cancelChallenge" | "destroy", (argument?: unknown) => void>;

async function connected(
  frame: ReturnType<typeof createFrame>,
): Promise<{ host: RemoteProxy<Verbs>; events: [string, unknown][]; port: MessagePort }> {
  const port = frame.post();
  const { events, host } = frame.listen(port);
  frame.link.open([shop]);
  if (!port) throw new Error("Bug: no port");
  return { host: await host, events, port };
}

describe("the line to the host page", () => {
  it("opens for an allowed origin that speaks our version, and tells what was kept meanwhile", async () => {
    const frame = createFrame();
    frame.link.tell("resize", { height: 300 });
    const { events } = await connected(frame);
    await vi.waitFor(() => expect(events).toEqual([["resize", { height: 300 }]]));
    expect(frame.orders.connected).toHaveBeenCalledOnce();
  });

  it("opens when the init comes after the session, too", async () => {
    const frame = createFrame();
    frame.link.open([shop]);
    await expect(frame.listen(frame.post()).host).resolves.toBeDefined();
  });

  it("chooses a common version from those that a newer loader offers", async () => {
    const frame = createFrame();
    frame.link.open([shop]);
    await expect(frame.listen(frame.post({ data: { type: initType, protocol: [7, 1] } })).host).resolves.toBeDefined();
  });

  it.each([
    ["an origin that the session does not allow", { origin: "https://evil.example" }],
    ["an origin that only begins alike", { origin: "https://shop.example.evil.example" }],
    ["an opaque origin", { origin: "null" }],
    ["a loader without a common version", { data: { type: initType, protocol: [99] } }],
    ["a window that is not the parent", { source: new EventTarget() }],
    ["a message without a source", { source: null }],
    ["a message without a port", { ports: 0 }],
    ["a message with two ports", { ports: 2 }],
    ["penpal's own handshake by window message", { data: { namespace: "penpal", type: "SYN" } }],
    ["an init with inherited fields", { data: Object.create({ type: initType, protocol: [1] }) as unknown }],
    ["an init without versions", { data: { type: initType, protocol: [] } }],
  ])("stays shut for %s", async (_who, changes) => {
    const frame = createFrame();
    frame.link.open([shop]);
    const port = frame.post(changes) ?? new MessageChannel().port1;
    opened.push(port);
    await expect(frame.listen(port).host).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(frame.orders.connected).not.toHaveBeenCalled();
  });

  it("takes exactly one init: a second finds nobody, and the first line lives on", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await expect(frame.listen(frame.post()).host).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    await host.destroy();
    expect(frame.orders.destroy).toHaveBeenCalledOnce();
  });

  it("does not listen at all on a page of its own", () => {
    const window = new EventTarget();
    const listened = vi.spyOn(window, "addEventListener");
    // A top-level window is its own parent.
    holdInit(Object.assign(window, { parent: window }) as unknown as Window);
    expect(listened).not.toHaveBeenCalled();
  });

  it("hands on room for the challenge only when it is room", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await host.room({ width: 400, height: 700 });
    for (const bad of [
      undefined,
      null,
      "400x700",
      { width: -1, height: 1 },
      { width: 1.5, height: 1 },
      { width: Infinity, height: 1 },
    ]) {
      await expect(host.room(bad)).rejects.toMatchObject({ message: "refused" });
    }
    expect(frame.orders.room.mock.calls).toEqual([[{ width: 400, height: 700 }]]);
  });

  it.each([[["constructor"]], [["__proto__", "constructor"]], [["toString"]], [["room", "call"]], [["hasOwnProperty"]]])(
    "serves nothing but its verbs: %j is not found, and no stack comes back",
    async (methodPath) => {
      const frame = createFrame();
      const { port } = await connected(frame);
      const reply = new Promise<unknown>((resolve) => {
        port.addEventListener("message", (event: MessageEvent<{ type: string }>) => {
          if (event.data.type === "REPLY") resolve(event.data);
        });
      });
      port.postMessage({ namespace: "penpal", channel: undefined, type: "CALL", id: "1", methodPath, args: [] });
      expect(await reply).toMatchObject({ isError: true, value: { message: "METHOD_NOT_FOUND", stack: "" } });
    },
  );

  it("lets no message or stack of ours out when a verb fails", async () => {
    const frame = createFrame();
    frame.orders.cancelChallenge.mockImplementation(() => {
      throw new Error("internal 4242");
    });
    const { host } = await connected(frame);
    const error: unknown = await host.cancelChallenge().catch((reason: unknown) => reason);
    expect(error).toMatchObject({ message: "refused", stack: "" });
  });

  it("drops a flood of calls", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await Promise.all(Array.from({ length: 200 }, () => host.room({ width: 1, height: 1 })));
    expect(frame.orders.room.mock.calls.length).toBe(20);
    frame.pass(1000);
    await host.room({ width: 2, height: 2 });
    expect(frame.orders.room.mock.calls.length).toBe(21);
  });
});
