/** Checks each message on the connection to the iframe. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Connection, createConnection } from "./send-init.ts";

const origin = "https://pay.example.com";
const event = vi.fn();
const here = vi.fn();
let connection: Connection;
let port: MessagePort;
let received: Record<string, unknown>[];

beforeEach(() => {
  event.mockReset();
  here.mockReset();
  received = [];
  // The iframe's window. Only this method is used.
  const frameWindow = {
    postMessage: (_message: unknown, _origin: string, [given]: MessagePort[]) => void (port = given!),
  };
  connection = createConnection({ contentWindow: frameWindow } as unknown as HTMLIFrameElement, origin, event, here);
  connection.openPort();
  port.addEventListener("message", ({ data }) => void received.push(data));
  port.start();
});

afterEach(() => {
  port.close();
});

const say = (fields: object) => port.postMessage({ namespace: "penpal", ...fields });
/** Ports respond in real time. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

async function connect(): Promise<void> {
  say({ type: "ACK1" });
  await vi.waitUntil(() => received.some(({ type }) => type === "ACK2"));
}

test("the loader starts the handshake once, before the iframe listens", async () => {
  await connect();
  expect(received).toMatchObject([
    { namespace: "penpal", type: "SYN", participantId: expect.any(String) },
    { namespace: "penpal", type: "ACK2" },
  ]);
});

test("passes on the receipt immediately, before the iframe connects", async () => {
  port.postMessage({ type: "oriel:here", protocol: 1 });
  await vi.waitFor(() => expect(here).toHaveBeenCalledExactlyOnceWith({ type: "oriel:here", protocol: 1 }));
  expect(received.map(({ type }) => type)).toEqual(["SYN"]);
});

test("waits for an iframe that takes long to connect", async () => {
  vi.useFakeTimers();
  await vi.advanceTimersByTimeAsync(600_000);
  vi.useRealTimers();
  await connect();
  expect(received.map(({ type }) => type)).toEqual(["SYN", "ACK2"]);
});

test("a call before the iframe connects isn't sent and returns null", async () => {
  await expect(connection.callVerb("validate")).resolves.toBe(null);
  await settle();
  expect(received.map(({ type }) => type)).toEqual(["SYN"]);
});

test("concurrent calls get their own results, regardless of the order of the replies", async () => {
  await connect();
  const [validation, submission] = [connection.callVerb("validate"), connection.callVerb("submit")];
  await vi.waitUntil(() => received.length === 4);
  const idOf = (verb: string) => received.find(({ methodPath }) => String(methodPath) === verb)?.["id"];
  say({ type: "REPLY", callId: idOf("submit"), value: "submitted" });
  say({ type: "REPLY", callId: idOf("validate"), value: "validated" });
  await expect(Promise.all([validation, submission])).resolves.toEqual(["validated", "submitted"]);
});

test("a call returns null if the reply is an error, regardless of its value", async () => {
  await connect();
  const answer = connection.callVerb("validate");
  await vi.waitUntil(() => received.length === 3);
  say({ type: "REPLY", callId: received.at(-1)?.["id"], isError: true, value: { valid: true, errors: [] } });
  await expect(answer).resolves.toBe(null);
});

test("ignores messages that aren't penpal's", async () => {
  await connect();
  port.postMessage({ type: "CALL", id: "1", methodPath: ["event"], args: ["ready", {}] });
  await settle();
  expect(event).not.toHaveBeenCalled();
  say({ type: "CALL", id: "2", methodPath: ["event"], args: ["ready", {}] });
  await vi.waitFor(() => expect(event).toHaveBeenCalledExactlyOnceWith("ready", {}));
});

test.each([["constructor"], ["__proto__", "constructor"], ["event", "call"], ["event", "event"], ["toString"], []])(
  "ignores calls to any method other than `event`: %j",
  async (...methodPath) => {
    await connect();
    say({ type: "CALL", id: "1", methodPath, args: ["ready", {}] });
    say({ type: "CALL", id: "2", methodPath: ["event"], args: ["ready", {}] });
    await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: "REPLY", callId: "2" }));
    expect(received).toHaveLength(3);
  },
);

test("replies before it passes the event on, so that no error reaches the iframe", async () => {
  await connect();
  event.mockImplementation(() => connection.closePort());
  say({ type: "CALL", id: "1", methodPath: ["event"], args: ["ready", {}] });
  await vi.waitFor(() => expect(received.at(-1)).toMatchObject({ type: "DESTROY" }));
  expect(received.at(-2)).toEqual({ namespace: "penpal", type: "REPLY", callId: "1" });
});

test("pending and later calls return null when the iframe closes the connection", async () => {
  await connect();
  const answer = connection.callVerb("validate");
  say({ type: "DESTROY" });
  await expect(answer).resolves.toBe(null);
  await expect(connection.callVerb("validate")).resolves.toBe(null);
});

test("a call with an argument that can't be sent returns null", async () => {
  await connect();
  await expect(connection.callVerb("focus", () => {})).resolves.toBe(null);
});

test("closing notifies the iframe, closes the port and ends pending calls with null", async () => {
  const closed = vi.fn();
  port.addEventListener("close", closed);
  await connect();
  const answer = connection.callVerb("validate");
  connection.closePort();
  await expect(answer).resolves.toBe(null);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(received.at(-1)).toEqual({ namespace: "penpal", type: "DESTROY" });
  await expect(connection.callVerb("validate")).resolves.toBe(null);
});

test("ignores messages after closing, even if the browser still delivers them", async () => {
  const { port1 } = new MessageChannel();
  const close = vi.spyOn(Object.getPrototypeOf(port1), "close").mockImplementation(() => {});
  await connect();
  connection.closePort();
  say({ type: "CALL", id: "1", methodPath: ["event"], args: ["ready", {}] });
  await settle();
  close.mockRestore();
  expect(event).not.toHaveBeenCalled();
});

test("a call whose ID is a port causes no error on the page", async () => {
  await connect();
  const uncaught = vi.fn<(error: unknown) => void>();
  process.on("unhandledRejection", uncaught);
  const { port1, port2 } = new MessageChannel();
  port.postMessage({ namespace: "penpal", type: "CALL", id: port1, methodPath: ["event"], args: ["ready", {}] }, [
    port1,
  ]);
  await settle();
  process.off("unhandledRejection", uncaught);
  port2.close();
  expect(uncaught).not.toHaveBeenCalled();
});
