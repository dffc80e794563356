/**
 * Finds messages between host page and iframe that the protocol doesn't document. The protocol's own readers copy only
 * documented fields, so a message is valid if its copy equals it.
 */
import { isDeepStrictEqual } from "node:util";
import { fieldNames, readSettings } from "@oriel/protocol/frame-settings";
import { readFrameEvent, readHere, readAvailableSpace, readSubmission, readValidation } from "@oriel/protocol/windows";

/** A message as the host page saw it. `in`: from the iframe. */
export interface PortMessage {
  way: "in" | "out";
  data: unknown;
}

type Envelope = Record<string, unknown>;

/** Fields of penpal's envelopes. `channel` may be present but is never set. */
const envelopes: Record<string, readonly string[]> = {
  SYN: ["participantId"],
  ACK1: ["methodPaths"],
  ACK2: [],
  CALL: ["id", "methodPath", "args"],
  REPLY: ["callId", "value", "isError", "isSerializedErrorInstance"],
  DESTROY: [],
};

/** Methods with the check of their one argument. Null: no arguments. */
const verbs: Record<string, ((argument: unknown) => boolean) | null> = {
  room: (size) => same(readAvailableSpace(size), size),
  update: (settings) => readSettings(settings).refused.length === 0 && same(readSettings(settings).settings, settings),
  focus: (field) => field === undefined || field === null || fieldNames.some((name) => name === field),
  blur: null,
  clear: null,
  validate: null,
  submit: null,
  cancelChallenge: null,
  report: null,
  destroy: null,
};

const replies: Record<string, (value: unknown) => boolean> = {
  update: (value) => Array.isArray(value) && value.every((path) => typeof path === "string"),
  validate: (value) => same(readValidation(value), value),
  submit: (value) => same(readSubmission(value), value),
  report: (value) => Array.isArray(value) && value.every((line) => Array.isArray(line) && line.length === 2),
};

/** Returns a sentence for each undocumented message. The messages must come from one page, in order. */
export function undocumented(messages: readonly PortMessage[]): string[] {
  const called = new Map<unknown, string>();
  return messages.flatMap(({ way, data }) => {
    const problem = problemOf(way, data, called);
    return problem === null ? [] : [`${way}: ${problem} in ${JSON.stringify(data)}`];
  });
}

function problemOf(way: "in" | "out", data: unknown, called: Map<unknown, string>): string | null {
  if (readHere(data)) return way === "in" && same(readHere(data), data) ? null : "a receipt with extra fields";
  if (typeof data !== "object" || data === null) return "no record";
  const message = data as Envelope; // a record, as checked above
  const type = String(message["type"]);
  const fields = envelopes[type];
  if (message["namespace"] !== "penpal" || !fields) return "not one of penpal's envelopes";
  const extra = Object.keys(message).filter((name) => !["namespace", "type", "channel", ...fields].includes(name));
  if (extra.length > 0 || message["channel"] !== undefined) return `more than penpal's fields (${extra.join(", ")})`;
  switch (type) {
    case "CALL":
      return problemOfCall(way, message, called);
    case "REPLY":
      return problemOfReply(way, message, called);
    default:
      return null;
  }
}

function problemOfCall(way: "in" | "out", message: Envelope, called: Map<unknown, string>): string | null {
  const path = message["methodPath"];
  const args = message["args"];
  if (!Array.isArray(path) || path.length !== 1 || !Array.isArray(args)) return "not a flat method";
  const name = String(path[0]);
  if (way === "in") {
    if (name !== "event" || args.length !== 2) return "a method that the host page doesn't have";
    return same(readFrameEvent(args[0], args[1])?.detail, args[1]) ? null : "an undocumented event";
  }
  called.set(message["id"], name);
  const check = verbs[name];
  if (check === undefined) return "a method that the iframe doesn't have";
  // A missing argument may be undefined, which JSON writes as null.
  const [argument, ...more] = args as unknown[];
  if (check === null)
    return args.length <= 1 && (argument ?? null) === null ? null : "an argument for a method without arguments";
  return more.length === 0 && check(argument) ? null : "an undocumented argument";
}

function problemOfReply(way: "in" | "out", message: Envelope, called: Map<unknown, string>): string | null {
  const value = message["value"];
  if (way === "out") return (value ?? null) === null && message["isError"] === undefined ? null : "a reply to an event";
  if (message["isError"] === true) return value === "refused" ? null : "an error with words";
  const verb = called.get(message["callId"]);
  if (verb === undefined) return "a reply without a call";
  const check = replies[verb];
  return (check ? check(value) : (value ?? null) === null) ? null : `an undocumented reply to ${verb}`;
}

/** Compares them as JSON, because a page's recorder sends JSON. */
function same(copy: unknown, original: unknown): boolean {
  if (copy === undefined || copy === null) return false;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(copy)), JSON.parse(JSON.stringify(original)));
}
