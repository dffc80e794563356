/** The line to the iframe, message by message. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FrameLine, handOver } from "./hand-over.ts";

const origin = "https://pay.example.com";
const event = vi.fn();
let line: FrameLine;
let port: MessagePort;
let heard: Record<string, unknown>[];

beforeEach(() => {
  event.mockClear();
  heard = [];
  // The window inside the iframe, of which the line uses only this.
  const frameWindow = {
    postMessage: (_message: unknown, _origin: string, [given]: MessagePort[]) => void (port = given!),
  };
  line = handOver(frameWindow as unknown as Window, origin, { event });
  port.addEventListener("message", ({ data }) => void heard.push(data));
  port.start();
});

afterEach(() => {
  port.close();
});

const say = (fields: object) => port.postMessage({ namespace: "penpal", ...fields });
/** Ports answer in real time. */
const settle = () => new Promise((resolve) => setTimeout(resolve, 20));

async function connect(): Promise<void> {
  say({ type: "ACK1" });
  await vi.waitUntil(() => heard.some(({ type }) => type === "ACK2"));
}

test("the loader greets first and with the lowest ID, so that the iframe leads", async () => {
  await connect();
  expect(heard).toEqual([
    { namespace: "penpal", type: "SYN", participantId: "0" },
    { namespace: "penpal", type: "ACK2" },
  ]);
});

test("before the iframe has connected, a question is answered with null and isn't sent", async () => {
  await expect(line.ask("validate")).resolves.toBe(null);
  await settle();
  expect(heard.map(({ type }) => type)).toEqual(["SYN"]);
});

test("two questions at once get their own answers, in whatever order they come", async () => {
  await connect();
  const [validation, submission] = [line.ask("validate"), line.ask("submit")];
  await vi.waitUntil(() => heard.length === 4);
  const idOf = (verb: string) => heard.find(({ methodPath }) => String(methodPath) === verb)?.["id"];
  say({ type: "REPLY", callId: idOf("submit"), value: "submitted" });
  say({ type: "REPLY", callId: idOf("validate"), value: "validated" });
  await expect(Promise.all([validation, submission])).resolves.toEqual(["validated", "submitted"]);
});

test("an answer that is an error is null, whatever value comes with it", async () => {
  await connect();
  const answer = line.ask("validate");
  await vi.waitUntil(() => heard.length === 3);
  say({ type: "REPLY", callId: heard.at(-1)?.["id"], isError: true, value: { valid: true, errors: [] } });
  await expect(answer).resolves.toBe(null);
});

test("what isn't a message of the protocol isn't heard", async () => {
  await connect();
  port.postMessage({ type: "CALL", id: "1", methodPath: ["event"], args: ["ready", {}] });
  await settle();
  expect(event).not.toHaveBeenCalled();
  say({ type: "CALL", id: "2", methodPath: ["event"], args: ["ready", {}] });
  await vi.waitFor(() => expect(event).toHaveBeenCalledExactlyOnceWith("ready", {}));
});

test("closing says so to the iframe, closes the port and leaves no question unanswered", async () => {
  const closed = vi.fn();
  port.addEventListener("close", closed);
  await connect();
  const answer = line.ask("validate");
  line.close();
  await expect(answer).resolves.toBe(null);
  await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
  expect(heard.at(-1)).toEqual({ namespace: "penpal", type: "DESTROY" });
});

test("what was on its way when the line was closed isn't heard, even where the browser still delivers it", async () => {
  const { port1 } = new MessageChannel();
  const close = vi.spyOn(Object.getPrototypeOf(port1), "close").mockImplementation(() => {});
  await connect();
  line.close();
  say({ type: "CALL", id: "1", methodPath: ["event"], args: ["ready", {}] });
  await settle();
  close.mockRestore();
  expect(event).not.toHaveBeenCalled();
});
