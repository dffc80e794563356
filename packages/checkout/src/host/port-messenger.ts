/**
 * The penpal messenger of the iframe. It carries penpal's messages over a MessagePort and filters out those that penpal
 * would trust too much. The loader has the other end (`send-init.ts` in packages/embed).
 *
 * It doesn't trust incoming messages. Penpal looks up methods by path, including inherited ones, so a CALL is dropped
 * without a reply unless it names exactly one served method. A CALL is also dropped if its ID isn't a string, if it has
 * more or longer arguments than ours, or if too many calls are pending. Penpal would construct an error from a REPLY
 * that is marked as one, so this clears the mark and penpal gets plain data. Penpal reads fields that may be absent, so
 * its messages have no prototype, and a page's `Object.prototype.isError` has no effect.
 *
 * Penpal would send an error's message and stack to the other end. This replaces them with `refused`.
 */
import type { Message, Messenger } from "penpal";
import { isBulky, own } from "@oriel/protocol/readers";

/** The part of a MessagePort that this uses. This package doesn't use DOM types. */
export interface Port {
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** The iframe's verbs take at most one, and `event` takes two. */
const mostArguments = 2;

/** The maximum size of a call's arguments, see {@link contentLeft}. Our largest calls use a tenth of it. */
const mostContent = 10_000;

/** The maximum number of calls from the other end without a reply. */
const mostPending = 32;

/** @param served the methods that the other end may call */
export function portMessenger(port: Port, served: readonly string[]): Messenger {
  const handlers = new Set<(message: Message) => void>();
  let isPenpals: (data: unknown) => boolean;
  let pending = 0;

  /** Returns whether a CALL may reach penpal, and if so, counts it as pending. */
  const admit = (call: unknown): boolean => {
    const path = own(call, "methodPath");
    const args = own(call, "args");
    const isFit =
      typeof own(call, "id") === "string" && // anything else might throw when it's sent back in the reply
      Array.isArray(path) &&
      path.length === 1 &&
      served.includes(path[0]) &&
      Array.isArray(args) &&
      args.length <= mostArguments &&
      contentLeft(args, mostContent) >= 0 &&
      pending < mostPending;
    if (isFit) pending++;
    return isFit;
  };
  const receive = ({ data }: { readonly data: unknown }) => {
    if (!isPenpals(data) || (own(data, "type") === "CALL" && !admit(data))) return;
    const message = Object.assign(Object.create(null), data, { isSerializedErrorInstance: false });
    for (const handle of handlers) handle(message as Message); // penpal validated it above
  };

  return {
    initialize({ validateReceivedMessage }) {
      isPenpals = validateReceivedMessage;
      port.addEventListener("message", receive);
      port.start();
    },
    sendMessage(message) {
      port.postMessage(own(message, "isError") ? { ...message, ...refusal } : message);
      if (message.type === "REPLY") pending--;
    },
    addMessageHandler: (handle) => void handlers.add(handle),
    removeMessageHandler: (handle) => void handlers.delete(handle),
    destroy() {
      port.removeEventListener("message", receive);
      port.close();
      handlers.clear();
    },
  };
}

/** Replaces an error's message and stack. */
const refusal = { value: "refused", isSerializedErrorInstance: false };

/**
 * Returns what's left of `room` after a value. A string takes its length, and any other value takes eight plus the size
 * of the values it contains. The result is negative if the value doesn't fit or is bulky. The rest then isn't visited,
 * so deep and circular values are safe.
 */
function contentLeft(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (isBulky(value)) return -1;
  let left = room - 8;
  // Prototype.js replaces `Object.values`.
  for (const [, part] of Object.entries(Object(value))) {
    if (left < 0) break;
    left = contentLeft(part, left);
  }
  return left;
}
