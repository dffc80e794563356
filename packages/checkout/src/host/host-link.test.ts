import { PortMessenger, connect } from "penpal";
import type { RemoteProxy } from "penpal";
import { afterEach, describe, expect, it, vi } from "vitest";
import { hereType, initType } from "@oriel/protocol/windows";
import type { FrameVerbs } from "@oriel/protocol/windows";
import type { HostOrders } from "./frame-verbs.ts";
import { openHostLink } from "./host-link.ts";
import { createHostPage } from "./host-page.ts";
import { holdInit } from "./init-inbox.ts";

const shop = "https://shop.example";
const opened: MessagePort[] = [];
afterEach(() => {
  for (const port of opened.splice(0)) port.close();
});

/** An iframe's window that receives messages from any sender, which otherwise only a browser can set. */
function createFrame() {
  const parent = new EventTarget();
  const window = Object.assign(new EventTarget(), { parent });
  const connected = vi.fn();
  const orders = {
    room: vi.fn(),
    update: vi.fn<HostOrders["update"]>(() => ["appearance.theme"]),
    focus: vi.fn(),
    blur: vi.fn(),
    clear: vi.fn(),
    validate: vi.fn<HostOrders["validate"]>(async () => ({ valid: false, errors: [] })),
    submit: vi.fn<HostOrders["submit"]>(async () => ({ type: "refused" })),
    refresh: vi.fn(),
    cancelChallenge: vi.fn(),
    report: vi.fn<HostOrders["report"]>(() => [[0, "event ready"]]),
    destroy: vi.fn(),
  } satisfies HostOrders;
  // Only the parts of a window that the inbox uses.
  const inbox = holdInit(window as unknown as Window);
  let nowMs = 0;
  const host = createHostPage({ note() {} });
  const link = {
    emit: host.emit,
    open: (origins: string[]) => openHostLink(origins, { inbox, host, orders, connected, now: () => nowMs }),
  };

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
  /** The loader's side of the connection. Rejects if there is no response. */
  const listen = (port: MessagePort | undefined) => {
    if (!port) throw new Error("Bug: no port");
    const events: [string, unknown][] = [];
    const event = (name: string, detail: unknown) => void events.push([name, detail]);
    const connection = connect<Verbs>({ messenger: new PortMessenger({ port }), methods: { event }, timeout: 300 });
    return { events, host: connection.promise };
  };
  return { window, connected, orders, link, post, listen, pass: (ms: number) => (nowMs += ms) };
}

type Verbs = { [K in keyof FrameVerbs]: FrameVerbs[K] };

/** Resolves to the first message on a port, or to null if none arrives. */
function firstMessage(port: MessagePort | undefined): Promise<unknown> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), 300);
    port?.addEventListener(
      "message",
      ({ data }: MessageEvent<unknown>) => {
        clearTimeout(timer);
        resolve(data);
      },
      { once: true },
    );
    port?.start();
  });
}

async function connected(
  frame: ReturnType<typeof createFrame>,
): Promise<{ host: RemoteProxy<Verbs>; events: [string, unknown][]; port: MessagePort }> {
  const port = frame.post();
  const { events, host } = frame.listen(port);
  frame.link.open([shop]);
  if (!port) throw new Error("Bug: no port");
  return { host: await host, events, port };
}

describe("the connection to the host page", () => {
  it("opens for an allowed origin with a common version, and sends the events kept until then", async () => {
    const frame = createFrame();
    frame.link.emit("resize", { height: 300 });
    const { events } = await connected(frame);
    await vi.waitFor(() => expect(events).toEqual([["resize", { height: 300 }]]));
    expect(frame.connected).toHaveBeenCalledOnce();
  });

  it("also opens when `init` arrives after the session", async () => {
    const frame = createFrame();
    frame.link.open([shop]);
    await expect(frame.listen(frame.post()).host).resolves.toBeDefined();
  });

  it("uses a common version out of those that a newer loader offers", async () => {
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
  ])("stays closed for %s", async (_who, changes) => {
    const frame = createFrame();
    frame.link.open([shop]);
    const port = frame.post(changes) ?? new MessageChannel().port1;
    opened.push(port);
    await expect(frame.listen(port).host).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    expect(frame.connected).not.toHaveBeenCalled();
  });

  it.each([
    ["before anyone knows whether the sender may hold the frame", {}, 1],
    [
      "to an origin that will not be allowed, for silence would look like a refused frame",
      { origin: "https://evil.example" },
      1,
    ],
    ["with the newest version that both speak", { data: { type: initType, protocol: [7, 1] } }, 1],
    ["with none, to a loader that speaks no version of ours", { data: { type: initType, protocol: [99] } }, null],
  ])("sends a receipt at once, %s", async (_when, changes, protocol) => {
    const frame = createFrame();
    await expect(firstMessage(frame.post(changes))).resolves.toEqual({ type: hereType, protocol });
  });

  it.each([
    ["a window that is not the parent", { source: new EventTarget() }],
    ["a message that is no init", { data: { type: "oriel:hello", protocol: [1] } }],
    ["a message with two ports", { ports: 2 }],
  ])("sends no receipt for %s", async (_who, changes) => {
    await expect(firstMessage(createFrame().post(changes))).resolves.toBeNull();
  });

  it("sends nothing after the receipt to a host page that isn't allowed", async () => {
    const frame = createFrame();
    const port = frame.post({ origin: "https://evil.example" });
    await expect(firstMessage(port)).resolves.toEqual({ type: hereType, protocol: 1 });
    const next = firstMessage(port);
    frame.link.emit("resize", { height: 300 });
    frame.link.open([shop]);
    frame.link.emit("resize", { height: 301 });
    await expect(next).resolves.toBeNull();
  });

  it("accepts only one `init`: a second gets no response, and the first connection keeps working", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await expect(frame.listen(frame.post()).host).rejects.toMatchObject({ code: "CONNECTION_TIMEOUT" });
    await host.destroy();
    expect(frame.orders.destroy).toHaveBeenCalledOnce();
  });

  it("doesn't listen for messages on a full page", () => {
    const window = new EventTarget();
    const listened = vi.spyOn(window, "addEventListener");
    // A top-level window is its own parent.
    void holdInit(Object.assign(window, { parent: window }) as unknown as Window);
    expect(listened).not.toHaveBeenCalled();
  });

  it("passes on the room for the challenge only if it is valid", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await host.room({ width: 400, height: 700, full: 1280 });
    await host.room({ width: 400, height: 700 });
    for (const bad of [
      undefined,
      null,
      "400x700",
      { width: -1, height: 1 },
      { width: 1.5, height: 1 },
      { width: Infinity, height: 1 },
      { width: 1, height: 1, full: -1 },
    ]) {
      await expect(host.room(bad)).rejects.toBe("refused");
    }
    expect(frame.orders.room.mock.calls).toEqual([
      [{ width: 400, height: 700, full: 1280 }],
      // Loaders from before iframes could be enlarged don't send `full`.
      [{ width: 400, height: 700, full: null }],
    ]);
  });

  it("returns results to the host page", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await expect(host.update({ appearance: { theme: "neon" } })).resolves.toEqual(["appearance.theme"]);
    expect(frame.orders.update.mock.calls).toEqual([[{ appearance: { theme: "neon" } }]]);
    await expect(host.validate()).resolves.toEqual({ valid: false, errors: [] });
    await expect(host.submit()).resolves.toEqual({ type: "refused" });
    await expect(host.report()).resolves.toEqual([[0, "event ready"]]);
  });

  it("passes on a field's name only if the field exists", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await host.focus();
    await host.focus("cvc");
    for (const bad of [null, "", "cardnumber", "__proto__", "#number", 3, ["cvc"], { toString: "cvc" }]) {
      await expect(host.focus(bad)).rejects.toBe("refused");
    }
    expect(frame.orders.focus.mock.calls).toEqual([[undefined], ["cvc"]]);
  });

  it.each(["blur", "clear", "cancelChallenge", "destroy"] as const)(
    "passes on %s without any arguments",
    async (verb) => {
      const frame = createFrame();
      const { host } = await connected(frame);
      await (host[verb] as (argument: unknown) => Promise<void>)({ now: true }); // the verb takes no argument
      expect(frame.orders[verb].mock.calls).toEqual([[]]);
    },
  );

  it.each([
    [["constructor"]],
    [["__proto__", "constructor"]],
    [["toString"]],
    [["room", "call"]],
    [["hasOwnProperty"]],
  ])("ignores a call of %j, which isn't one of its verbs, and responds to the next call", async (methodPath) => {
    const frame = createFrame();
    const { port } = await connected(frame);
    const replies: unknown[] = [];
    port.addEventListener("message", (event: MessageEvent<{ type: string }>) => {
      if (event.data.type === "REPLY") replies.push(event.data);
    });
    const call = { namespace: "penpal", channel: undefined, type: "CALL", args: [] };
    port.postMessage({ ...call, id: "1", methodPath });
    port.postMessage({ ...call, id: "2", methodPath: ["blur"] });
    await vi.waitFor(() => expect(replies).toMatchObject([{ callId: "2", value: undefined }]));
  });

  it("doesn't reveal the error's message or stack when a verb fails", async () => {
    const frame = createFrame();
    frame.orders.cancelChallenge.mockImplementation(() => {
      throw new Error("internal 4242");
    });
    const { host } = await connected(frame);
    await expect(host.cancelChallenge()).rejects.toBe("refused");
  });

  it("refuses more than twenty calls per second", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await Promise.allSettled(Array.from({ length: 200 }, () => host.room({ width: 1, height: 1 })));
    expect(frame.orders.room.mock.calls.length).toBe(20);
    frame.pass(1000);
    await host.room({ width: 2, height: 2 });
    expect(frame.orders.room.mock.calls.length).toBe(21);
  });

  it("counts calls of all verbs together, including `submit`", async () => {
    const frame = createFrame();
    const { host } = await connected(frame);
    await Promise.all(Array.from({ length: 20 }, () => host.blur()));
    await expect(host.submit()).rejects.toBe("refused");
    await expect(host.update({})).rejects.toBe("refused");
    expect(frame.orders.submit).not.toHaveBeenCalled();
    frame.pass(1000);
    await expect(host.submit()).resolves.toEqual({ type: "refused" });
  });
});
