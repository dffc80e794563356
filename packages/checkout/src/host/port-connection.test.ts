import { PortMessenger, connect } from "penpal";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { noVerbs, openConnection } from "./port-connection.ts";
import type { PortConnection } from "./port-connection.ts";

let port: MessagePort;
let frame: MessagePort;
let connection: PortConnection;
let received: unknown[];
let verbs: Parameters<typeof openConnection>[1];
const connected = vi.fn<() => void>();
const room = vi.fn<(size: unknown) => unknown>();

beforeEach(() => {
  connected.mockReset();
  room.mockReset();
  verbs = Object.freeze(Object.assign(Object.create(null) as object, { room }));
  received = [];
  ({ port1: port, port2: frame } = new MessageChannel());
  port.addEventListener("message", ({ data }: MessageEvent<unknown>) => void received.push(data));
});
afterEach(() => {
  port.close();
  frame.close();
});

const penpal = (type: string, fields: object = {}) => ({ namespace: "penpal", type, ...fields });
const refusal = penpal("REPLY", { callId: "1", isError: true, isSerializedErrorInstance: false, value: "refused" });
function open(): void {
  connection = openConnection(frame, verbs, connected);
  port.start();
}
/** Completes the handshake as a loader with the lower ID does, so that the iframe leads it. */
async function shakeHands(): Promise<void> {
  port.postMessage(penpal("SYN", { participantId: "0" }));
  open();
  await vi.waitFor(() => expect(received.at(-1)).toEqual(penpal("ACK1", { methodPaths: [["room"]] })));
  port.postMessage(penpal("ACK2"));
  await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
  received.length = 0;
}

describe("the connection", () => {
  it("completes the handshake with a loader whose first message arrived before anyone listened", async () => {
    await shakeHands();
    connection.emit("ready", { sessionId: "cs_1" });
    await vi.waitFor(() =>
      expect(received).toEqual([
        penpal("CALL", {
          id: expect.any(String) as string,
          methodPath: ["event"],
          args: ["ready", { sessionId: "cs_1" }],
        }),
      ]),
    );
  });

  it("completes the handshake with penpal itself, whichever side starts", async () => {
    for (const isFirst of [true, false]) {
      const { port1, port2 } = new MessageChannel();
      connected.mockReset();
      const event = vi.fn<(name: string, detail: unknown) => void>();
      const begin = () =>
        connect<{ room(size: unknown): unknown }>({
          messenger: new PortMessenger({ port: port1 }),
          methods: { event },
        });
      const before = isFirst ? null : begin();
      const ours = openConnection(port2, verbs, connected);
      const connection = before ?? begin();
      const remote = await connection.promise;
      await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
      room.mockResolvedValue({ seen: true });
      await expect(remote.room({ width: 1 })).resolves.toEqual({ seen: true });
      ours.emit("blur", { field: "cvc" });
      await vi.waitFor(() => expect(event.mock.calls).toEqual([["blur", { field: "cvc" }]]));
      connection.destroy();
    }
  });

  it("sends nothing before the handshake or after the other end has closed the connection", async () => {
    open();
    connection.emit("ready", {});
    port.postMessage(penpal("SYN", { participantId: "0" }));
    await vi.waitFor(() => expect(received).toHaveLength(3));
    connection.emit("ready", {});
    port.postMessage(penpal("ACK2"));
    await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
    port.postMessage(penpal("DESTROY"));
    port.postMessage(penpal("CALL", { id: "1", methodPath: ["room"], args: [] }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    connection.emit("ready", {});
    expect(received).toMatchObject([{ type: "SYN" }, { type: "SYN" }, { type: "ACK1" }]);
    expect(room).not.toHaveBeenCalled();
  });

  it("completes the handshake with a host page that was busy for ten minutes", async () => {
    vi.useFakeTimers();
    open();
    await vi.advanceTimersByTimeAsync(600_000);
    vi.useRealTimers();
    port.postMessage(penpal("SYN", { participantId: "0" }));
    await vi.waitFor(() => expect(received).toMatchObject([{ type: "SYN" }, { type: "SYN" }, { type: "ACK1" }]));
    port.postMessage(penpal("ACK2"));
    await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
  });

  it("connects only once, and ignores a repeated handshake", async () => {
    await shakeHands();
    port.postMessage(penpal("SYN", { participantId: "0" }));
    port.postMessage(penpal("ACK2"));
    port.postMessage(penpal("CALL", { id: "7", methodPath: ["room"], args: [1] }));
    await vi.waitFor(() => expect(received).toEqual([penpal("REPLY", { callId: "7", value: undefined })]));
    expect(room.mock.calls).toEqual([[1]]);
    expect(connected).toHaveBeenCalledOnce();
  });

  it.each([
    ["a method of every object", ["hasOwnProperty"]],
    ["a prototype", ["__proto__"]],
    ["a path", ["room", "call"]],
    ["an empty path", []],
    ["a path that is a text", "room"],
    ["what only looks like a path", { length: 1, 0: "room" }],
    ["no path", undefined],
  ])("ignores a call of %s, and responds to the next", async (_what, methodPath) => {
    await shakeHands();
    port.postMessage(penpal("CALL", { id: "1", methodPath, args: [] }));
    port.postMessage(penpal("CALL", { id: "2", methodPath: ["room"], args: [] }));
    await vi.waitFor(() => expect(received).toMatchObject([{ type: "REPLY", callId: "2" }]));
    expect(room).toHaveBeenCalledOnce();
  });

  it.each([
    () => {
      throw new Error("internal 4242");
    },
    () => Promise.reject(new Error("internal 4242")),
  ])("doesn't reveal an error's message", async (fail) => {
    room.mockImplementation(fail);
    await shakeHands();
    port.postMessage(penpal("CALL", { id: "1", methodPath: ["room"], args: [] }));
    await vi.waitFor(() => expect(received).toEqual([refusal]));
  });

  it.each([
    ["of another kind", { namespace: "other", type: "CALL", id: "1", methodPath: ["room"], args: [] }],
    ["of no kind", "CALL"],
    ["of nothing", null],
    ["of an unknown type", penpal("REPLY", { callId: "1" })],
  ])("ignores a message %s", async (_what, message) => {
    await shakeHands();
    port.postMessage(message);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(received).toEqual([]);
    expect(room).not.toHaveBeenCalled();
  });

  it.each([null, undefined, "no error", { name: 1 }])(
    "keeps working when the other end sends the malformed error %j",
    async (value) => {
      await shakeHands();
      connection.emit("ready", {});
      await vi.waitFor(() => expect(received).toHaveLength(1));
      const uncaught = vi.fn<(error: unknown) => void>();
      process.on("uncaughtException", uncaught);
      process.on("unhandledRejection", uncaught);
      const { id } = received[0] as { id: string }; // the message sent above is a CALL
      port.postMessage(penpal("REPLY", { callId: id, isError: true, isSerializedErrorInstance: true, value }));
      port.postMessage(penpal("CALL", { id: "1", methodPath: ["room"], args: [] }));
      await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: "REPLY", callId: "1" }));
      process.off("uncaughtException", uncaught);
      process.off("unhandledRejection", uncaught);
      expect(uncaught).not.toHaveBeenCalled();
    },
  );

  it("without verbs, ignores all calls", async () => {
    verbs = noVerbs;
    port.postMessage(penpal("SYN", { participantId: "0" }));
    open();
    await vi.waitFor(() => expect(received.at(-1)).toEqual(penpal("ACK1", { methodPaths: [] })));
    port.postMessage(penpal("ACK2"));
    port.postMessage(penpal("CALL", { id: "1", methodPath: ["toString"], args: [] }));
    await vi.waitFor(() => expect(connected).toHaveBeenCalledOnce());
    connection.emit("ready", {});
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: "CALL" }));
    expect(received).not.toContainEqual(expect.objectContaining({ type: "REPLY" }));
  });
});
