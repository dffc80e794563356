/**
 * The line to the host page: a MessagePort that came with `init`, spoken over by penpal.
 *
 * Refused, by closing the port without a word: an origin that the session does not allow, a loader that speaks no version of ours.
 * Exposed are the three verbs of `FrameVerbs`, flat and frozen on a null prototype, because penpal looks methods up by path and would
 * walk a prototype chain. Arguments are read before they are used. A caller learns a code when something fails, never our words or a stack:
 * penpal sends both, so the messages that go out are stripped of them. Too many calls are dropped.
 */
import { negotiateProtocol, readRoom } from "@oriel/protocol/windows";
import type { FrameEventName, FrameEvents, FrameVerbs, HostVerbs, Room } from "@oriel/protocol/windows";
import { PortMessenger, connect } from "penpal";
import type { Message, Messenger } from "penpal";
import type { HeldInit, InitInbox } from "./init-inbox.ts";

export interface HostLink {
  /** Tells the host page an event; kept (the last fifty) until someone listens, dropped when nobody may. */
  tell<K extends FrameEventName>(name: K, detail: FrameEvents[K]): void;
  /** Takes the `init`, now or when it comes, and speaks only to these origins. */
  open(allowedOrigins: readonly string[]): void;
}

export interface HostOrders {
  connected(): void;
  room(room: Room): void;
  cancelChallenge(): void;
  destroy(): void;
}

const connectTimeoutMs = 10_000;
const callsPerSecond = 20;

export function createHostLink(inbox: InitInbox, orders: HostOrders, now: () => number): HostLink {
  let kept: [name: FrameEventName, detail: object][] = [];
  const keep = (name: FrameEventName, detail: object) => {
    kept = [...kept, [name, detail] as [FrameEventName, object]].slice(-50);
  };
  const drop = () => {};
  let send = keep;
  const shut = () => {
    kept = [];
    send = drop;
  };

  const accept = async ({ origin, protocol, port }: HeldInit, allowedOrigins: readonly string[]): Promise<void> => {
    if (!allowedOrigins.includes(origin) || negotiateProtocol(protocol) === null) {
      port.close();
      return shut();
    }
    const connection = connect<Record<keyof HostVerbs, HostVerbs["event"]>>({
      messenger: withoutInternals(new PortMessenger({ port })),
      methods: frameMethods(orders, now),
      timeout: connectTimeoutMs,
    });
    const host = await connection.promise.catch(() => null);
    if (!host) {
      connection.destroy();
      return shut();
    }
    send = (name, detail) => {
      // The host page may be gone or its handler may throw; the payment does not depend on either.
      host.event(name, detail).catch(() => {});
    };
    for (const [name, detail] of kept) send(name, detail);
    kept = [];
    orders.connected();
  };

  return {
    tell(name, detail) {
      send(name, detail);
    },
    open(allowedOrigins) {
      inbox.whenInit((init) => void accept(init, allowedOrigins));
    },
  };
}

/** The record that penpal serves. Its return type is penpal's; the keys are held to the protocol by `satisfies`. */
function frameMethods(orders: HostOrders, now: () => number): Record<keyof FrameVerbs, (argument?: unknown) => void> {
  let second = 0;
  let calls = 0;
  const limited =
    (run: (argument?: unknown) => void) =>
    (argument?: unknown): void => {
      const current = Math.floor(now() / 1000);
      calls = current === second ? calls + 1 : 1;
      second = current;
      if (calls <= callsPerSecond) run(argument);
    };
  const verbs = {
    room: limited((size) => {
      const room = readRoom(size);
      if (!room) throw new Error("room takes { width, height } in whole CSS pixels");
      orders.room(room);
    }),
    cancelChallenge: limited(() => orders.cancelChallenge()),
    destroy: limited(() => orders.destroy()),
  } satisfies FrameVerbs;
  return Object.freeze(Object.assign(Object.create(null) as object, verbs));
}

/** Lets penpal's own code for an error out, or `refused`, and neither message nor stack. */
function withoutInternals(inner: Messenger): Messenger {
  return {
    initialize: (options) => inner.initialize(options),
    addMessageHandler: (handler) => inner.addMessageHandler(handler),
    removeMessageHandler: (handler) => inner.removeMessageHandler(handler),
    destroy: () => inner.destroy(),
    sendMessage: (message, transferables) => inner.sendMessage(stripped(message), transferables),
  };
}

function stripped(message: Message): Message {
  if (message.type !== "REPLY" || !message.isError) return message;
  const { namespace, channel, callId } = message;
  const penpalCode = message.isSerializedErrorInstance ? message.value.penpalCode : undefined;
  const value = { name: "Error", message: penpalCode ?? "refused", stack: "", ...(penpalCode && { penpalCode }) };
  return { type: "REPLY", namespace, channel, callId, isError: true, isSerializedErrorInstance: true, value };
}
