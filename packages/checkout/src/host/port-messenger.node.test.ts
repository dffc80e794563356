import type { Message } from "penpal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { portMessenger } from "./port-messenger.ts";

const received = vi.fn<(message: Message) => void>();
let messenger: ReturnType<typeof portMessenger>;
let port: MessagePort;
let sent: unknown[];

beforeEach(() => {
  received.mockReset();
  sent = [];
  const { port1, port2 } = new MessageChannel();
  port = port2;
  port.addEventListener("message", ({ data }) => void sent.push(data));
  port.start();
  messenger = portMessenger(port1, ["update", "event"]);
  messenger.addMessageHandler(received);
  messenger.initialize({ validateReceivedMessage: (data): data is Message => Object(data).namespace === "penpal" });
});
afterEach(() => {
  messenger.destroy();
  port.close();
});

const penpal = (type: string, fields: object = {}) => ({ namespace: "penpal", type, ...fields });
const call = (fields: object = {}) => penpal("CALL", { id: "1", methodPath: ["update"], args: [{}], ...fields });
const reply = { namespace: "penpal", channel: undefined, type: "REPLY", callId: "1" } as const;

/** Posts the messages and then waits for a final one, because messages arrive in order. */
async function send(...messages: unknown[]): Promise<Message[]> {
  received.mockClear();
  for (const message of messages) port.postMessage(message);
  port.postMessage(penpal("ACK2"));
  await vi.waitFor(() => expect(received.mock.lastCall?.[0].type).toBe("ACK2"));
  return received.mock.calls.slice(0, -1).map(([message]) => message);
}

describe("a call", () => {
  it("reaches penpal if it names one served method", async () => {
    expect(await send(call(), call({ methodPath: ["event"], args: ["ready", {}] }))).toMatchObject([
      { methodPath: ["update"], args: [{}] },
      { methodPath: ["event"], args: ["ready", {}] },
    ]);
  });

  it.each([
    ["an unknown method", ["submit"]],
    ["a method of every function", ["update", "call"]],
    ["two methods", ["update", "event"]],
    ["no method", []],
    ["an inherited name: constructor", ["constructor"]],
    ["an inherited name: __proto__", ["__proto__"]],
    ["an inherited name: toString", ["toString"]],
    ["a path through a prototype", ["__proto__", "constructor"]],
    ["a text", "update"],
    ["what only looks like a path", { length: 1, 0: "update" }],
    ["a list in the place of a name", [["update"]]],
    ["no path", undefined],
  ])("is dropped if it names %s", async (_what, methodPath) => {
    expect(await send(call({ methodPath }))).toEqual([]);
    expect(sent).toEqual([]);
  });

  it.each([
    ["more arguments than any of ours", [1, 2, 3]],
    ["a long text", ["x".repeat(10_001)]],
    ["a long text deep inside", [{ appearance: { variables: { colorText: "x".repeat(10_001) } } }]],
    ["many texts that are long together", [Array.from({ length: 11 }, () => "x".repeat(1_000))]],
    ["a long list", [Array.from({ length: 2_000 }, () => 0)]],
    ["a record with many fields", [Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`key${at}`, at]))]],
    ["arguments that are no list", "x"],
    ["no arguments", undefined],
    ["a String object, since listing the characters of a large one takes long", [{ note: new String("x") }]],
    ["a typed array, since listing the values of a large one takes long or throws", [[new Uint8Array(1)]]],
  ])("is dropped if it has %s", async (_what, args) => {
    expect(await send(call({ args }))).toEqual([]);
  });

  it("is dropped if its ID isn't a string, because a port can't be sent back in the reply", async () => {
    const { port1, port2 } = new MessageChannel();
    port.postMessage(call({ id: port1 }), [port1]);
    port.postMessage(call({ id: "7" }));
    await vi.waitFor(() => expect(received).toHaveBeenCalled());
    expect(received.mock.calls).toMatchObject([[{ id: "7" }]]);
    port2.close();
  });

  it("may have a size of 10,000, where each list counts as eight and each string as its length", async () => {
    const textOf = (length: number) => call({ args: [["x".repeat(length)]] });
    expect(await send(textOf(10_000 - 16), textOf(10_001 - 16))).toHaveLength(1);
  });

  it("is dropped if its argument is circular or too deeply nested", async () => {
    const circle: Record<string, unknown> = {};
    circle["again"] = circle;
    let deep: unknown = "x";
    for (let depth = 0; depth < 3_000; depth++) deep = [deep];
    let wide: unknown = "x";
    for (let depth = 0; depth < 60; depth++) wide = [wide, wide]; // 2^60 values in a short message
    expect(await send(call({ args: [circle] }), call({ args: [deep] }), call({ args: [wide] }))).toEqual([]);
  });

  it("may have the longest arguments that the protocol uses", async () => {
    const settings = { defaultValues: { name: "x".repeat(100), email: "x".repeat(200) }, note: "x".repeat(2_048) };
    expect(await send(call({ args: [settings] }))).toHaveLength(1);
  });

  it("is dropped while 32 others are pending, and accepted again after a reply", async () => {
    const calls = Array.from({ length: 40 }, (_, at) => call({ id: `${at}` }));
    expect(await send(...calls)).toHaveLength(32);
    messenger.sendMessage({ ...reply, value: null });
    messenger.sendMessage({ ...reply, isError: true, value: null });
    expect(await send(...calls)).toHaveLength(2);
  });

  it("stays pending when this end calls the other", async () => {
    expect(await send(...Array.from({ length: 32 }, () => call()))).toHaveLength(32);
    messenger.sendMessage({
      namespace: "penpal",
      channel: undefined,
      type: "CALL",
      id: "9",
      methodPath: ["x"],
      args: [],
    });
    expect(await send(call())).toEqual([]);
  });

  it("counts as pending even if another call has the same ID", async () => {
    expect(await send(...Array.from({ length: 40 }, () => call()))).toHaveLength(32);
  });

  it("doesn't count as pending if it was dropped", async () => {
    await send(...Array.from({ length: 40 }, () => call({ methodPath: ["toString"] })));
    expect(await send(call())).toHaveLength(1);
  });
});

describe("an error", () => {
  it("is sent without its message and stack", async () => {
    const value = { name: "Error", message: "internal 4242", stack: "at pay (pay.ts:1)" };
    messenger.sendMessage({ ...reply, isError: true, isSerializedErrorInstance: true, value });
    messenger.sendMessage({ ...reply, isError: true, value: "internal 4242" });
    await vi.waitFor(() => expect(sent).toHaveLength(2));
    const refusal = { ...reply, isError: true, isSerializedErrorInstance: false, value: "refused" };
    expect(sent).toEqual([refusal, refusal]);
  });

  it.each([null, undefined, "no error", { name: 1 }, { message: "m", stack: "s" }])(
    "is received as plain data, so penpal doesn't construct an error from %j",
    async (value) => {
      const received = await send(
        penpal("REPLY", { callId: "1", isError: true, isSerializedErrorInstance: true, value }),
      );
      expect(received).toMatchObject([{ isError: true, isSerializedErrorInstance: false }]);
      expect(received[0]).toHaveProperty("value", value);
    },
  );
});

describe("a reply", () => {
  it("is sent unchanged", async () => {
    messenger.sendMessage({ ...reply, value: { valid: true } });
    await vi.waitFor(() => expect(sent).toEqual([{ ...reply, value: { valid: true } }]));
  });

  it("isn't an error if a page sets isError on Object.prototype", async () => {
    const page: object = Object.prototype;
    Reflect.set(page, "isError", true);
    try {
      const [answer] = await send(penpal("REPLY", { callId: "1", value: 1 }));
      expect(answer && "isError" in answer).toBe(false);
      messenger.sendMessage({ ...reply, value: 1 });
      await vi.waitFor(() => expect(sent).toEqual([{ ...reply, value: 1 }]));
    } finally {
      Reflect.deleteProperty(page, "isError");
    }
  });
});

describe("the messenger", () => {
  it.each([null, undefined, 1, "CALL", [], { type: "CALL" }, { namespace: "other", type: "CALL" }, new Map()])(
    "ignores messages that aren't penpal's: %o",
    async (message) => {
      expect(await send(message)).toEqual([]);
    },
  );

  it("passes handshake messages to every current handler", async () => {
    const second = vi.fn<(message: Message) => void>();
    messenger.addMessageHandler(second);
    expect(await send(penpal("SYN", { participantId: "0" }))).toMatchObject([{ type: "SYN", participantId: "0" }]);
    expect(second).toHaveBeenCalledTimes(2);
    messenger.removeMessageHandler(second);
    await send(penpal("SYN", { participantId: "1" }));
    expect(second).toHaveBeenCalledTimes(2);
  });

  it("receives nothing after being destroyed, and closes its port", async () => {
    const closed = vi.fn<() => void>();
    port.addEventListener("close", closed);
    port.postMessage(call());
    messenger.destroy();
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(received).not.toHaveBeenCalled();
  });
});
