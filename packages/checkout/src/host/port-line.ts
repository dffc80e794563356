/**
 * One end of the line between frame and host page: penpal over a MessagePort, with one thing that this end tells and a
 * record of verbs that it serves.
 *
 * It trusts nothing on the line. Penpal looks a method up by a path and would walk a prototype chain, so the record of
 * verbs is flat and has no prototype; each verb reads its argument itself. When something fails penpal sends message
 * and stack, so the replies are stripped of both before they leave: a caller learns penpal's own code, or `refused`.
 * What comes in as an error is nothing that penpal should unpack, for it need not be one.
 */
import { PortMessenger, connect } from "penpal";
import type { Message, Messenger, Methods } from "penpal";
import type { HostVerbs } from "@oriel/protocol/windows";

export interface PortLine {
  /** Calls the other end's `event`. Nothing is told before `connected` or after the end. */
  tell(name: string, detail: object): void;
}

/** The loader's greeting waits in the port before anyone listens; this is for a page that never greets. */
const connectTimeoutMs = 10_000;

/** For an end that may be told something and asked nothing. */
export const noVerbs: Methods = Object.freeze(Object.create(null) as Methods); // empty: any type of record

/** @param verbs flat, frozen, and without a prototype */
export function openLine(port: MessagePort, verbs: Methods, connected: () => void): PortLine {
  const { promise } = connect<Record<keyof HostVerbs, HostVerbs["event"]>>({
    messenger: withoutInternals(new PortMessenger({ port })),
    methods: verbs,
    timeout: connectTimeoutMs,
  });
  let tell: PortLine["tell"] = () => {};
  const begin = async (): Promise<void> => {
    const host = await promise.catch(() => null);
    if (!host) return; // penpal has closed the port
    tell = (name, detail) => {
      // The host page may be gone or its handler may throw; the payment does not depend on either.
      const told = async () => host.event(name, detail);
      told().catch(() => {});
    };
    connected();
  };
  void begin();
  return { tell: (name, detail) => tell(name, detail) };
}

/** Lets penpal's own code for an error out, or `refused`, and neither message nor stack. */
function withoutInternals(inner: Messenger): Messenger {
  const handlers = new Set<(message: Message) => void>();
  inner.addMessageHandler((message) => {
    for (const handle of handlers) handle(unpacked(message));
  });
  return {
    initialize: inner.initialize,
    addMessageHandler: (handle) => void handlers.add(handle),
    removeMessageHandler: (handle) => void handlers.delete(handle),
    destroy: inner.destroy,
    sendMessage: (message, transferables) => inner.sendMessage(stripped(message), transferables),
  };
}

/** An error from the host page without what makes penpal read it. */
function unpacked(message: Message): Message {
  return message.type === "REPLY" && message.isError ? { ...message, isSerializedErrorInstance: false } : message;
}

function stripped(message: Message): Message {
  if (message.type !== "REPLY" || !message.isError) return message;
  const { namespace, channel, callId } = message;
  const penpalCode = message.isSerializedErrorInstance ? message.value.penpalCode : undefined;
  const value = { name: "Error", message: penpalCode ?? "refused", stack: "", ...(penpalCode && { penpalCode }) };
  return { type: "REPLY", namespace, channel, callId, isError: true, isSerializedErrorInstance: true, value };
}
