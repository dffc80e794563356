/**
 * The messenger that both ends of the line give to penpal: it carries penpal's messages over a MessagePort and holds
 * back those that penpal would trust too far. The loader and the frame use the same one.
 *
 * It trusts nothing that comes in. Penpal looks a method up by a path and would walk a prototype chain, so a CALL that
 * doesn't name exactly one of the served methods is dropped before penpal sees it, without a reply. So is a CALL with
 * more or longer arguments than ours have, and one above the number that may be pending. Penpal would build an error
 * out of what a REPLY says is one, so it gets plain data instead. Penpal reads fields that may be absent, so what it
 * gets has no prototype: a page's own `Object.prototype.isError` is no part of a message.
 *
 * Penpal sends the message and the stack of whatever failed. The other end learns only that something did.
 */
import type { Message, Messenger } from "penpal";
import { own } from "./readers.ts";

/** What this needs of a MessagePort. The protocol knows no DOM. */
export interface Port {
  addEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  removeEventListener(type: "message", listener: (event: { readonly data: unknown }) => void): void;
  postMessage(message: unknown): void;
  start(): void;
  close(): void;
}

/** A verb has one, and `event` has two. */
const mostArguments = 2;

/** What the arguments of one call may hold, see {@link contentLeft}. The longest of ours hold a tenth of it. */
const mostContent = 10_000;

/** Calls by the other end that have no reply yet. */
const mostPending = 32;

/** @param served the methods that the other end may call */
export function portMessenger(port: Port, served: readonly string[]): Messenger {
  const handlers = new Set<(message: Message) => void>();
  let isPenpals: (data: unknown) => boolean;
  let pending = 0;

  /** Whether a CALL may reach penpal. Then it is pending. */
  const admit = (call: unknown): boolean => {
    const path = own(call, "methodPath");
    const args = own(call, "args");
    const isFit =
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
    for (const handle of handlers) handle(message as Message); // penpal has just said that it is one
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

/** In place of what failed, with its message and stack. */
const refusal = { value: "refused", isSerializedErrorInstance: false };

/**
 * What is left of `room` after a value: a text takes its length, any other value eight and what the values in it take.
 * Negative when it doesn't fit; then the rest isn't looked at, so that no value can nest too deeply or in a circle.
 */
function contentLeft(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  let left = room - 8;
  for (const part of Object.values(Object(value))) {
    if (left < 0) break;
    left = contentLeft(part, left);
  }
  return left;
}
