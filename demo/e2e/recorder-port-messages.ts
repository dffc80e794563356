/**
 * Says what is wrong with a message that went over the port between host page and frame: anything that the protocol
 * does not document. The protocol's own readers copy exactly the documented fields, so a message is fine when its copy
 * is the message.
 */
import { isDeepStrictEqual } from "node:util";
import { fieldNames, readSettings } from "@oriel/protocol/frame-settings";
import { readFrameEvent, readHere, readRoom, readSubmission, readValidation } from "@oriel/protocol/windows";

/** A message as the host page saw it. `in`: from the frame. */
export interface PortMessage {
  way: "in" | "out";
  data: unknown;
}

type Envelope = Record<string, unknown>;

/** penpal's envelopes, field by field. `channel` may be there and is never set. */
const envelopes: Record<string, readonly string[]> = {
  SYN: ["participantId"],
  ACK1: ["methodPaths"],
  ACK2: [],
  CALL: ["id", "methodPath", "args"],
  REPLY: ["callId", "value", "isError", "isSerializedErrorInstance"],
  DESTROY: [],
};

/** Verbs by the check of their one argument; null: they have none. */
const verbs: Record<string, ((argument: unknown) => boolean) | null> = {
  room: (size) => same(readRoom(size), size),
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

const answers: Record<string, (value: unknown) => boolean> = {
  update: (value) => Array.isArray(value) && value.every((path) => typeof path === "string"),
  validate: (value) => same(readValidation(value), value),
  submit: (value) => same(readSubmission(value), value),
  report: (value) => Array.isArray(value) && value.every((line) => Array.isArray(line) && line.length === 2),
};

/** What is not documented, one sentence per message. Each message is that of one page in the order it went. */
export function undocumented(messages: readonly PortMessage[]): string[] {
  const called = new Map<unknown, string>();
  return messages.flatMap(({ way, data }) => {
    const problem = problemOf(way, data, called);
    return problem === null ? [] : [`${way}: ${problem} in ${JSON.stringify(data)}`];
  });
}

function problemOf(way: "in" | "out", data: unknown, called: Map<unknown, string>): string | null {
  if (readHere(data)) return way === "in" && same(readHere(data), data) ? null : "a receipt that is more than one";
  if (typeof data !== "object" || data === null) return "no record";
  const message = data as Envelope; // just seen to be a record
  const type = String(message["type"]);
  const fields = envelopes[type];
  if (message["namespace"] !== "penpal" || !fields) return "no envelope of penpal's";
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
  if (!Array.isArray(path) || path.length !== 1 || !Array.isArray(args)) return "no flat method";
  const name = String(path[0]);
  if (way === "in") {
    if (name !== "event" || args.length !== 2) return "a method that the host page does not have";
    return same(readFrameEvent(args[0], args[1])?.detail, args[1]) ? null : "an event that is not documented so";
  }
  called.set(message["id"], name);
  const check = verbs[name];
  if (check === undefined) return "a verb that the frame does not have";
  // An argument that is not given may stand there as nothing, which JSON writes as null.
  const [argument, ...more] = args as unknown[];
  if (check === null)
    return args.length <= 1 && (argument ?? null) === null ? null : "an argument for a verb that takes none";
  return more.length === 0 && check(argument) ? null : "an argument that is not documented so";
}

function problemOfReply(way: "in" | "out", message: Envelope, called: Map<unknown, string>): string | null {
  const value = message["value"];
  if (way === "out")
    return (value ?? null) === null && message["isError"] === undefined ? null : "an answer to an event";
  if (message["isError"] === true) return value === "refused" ? null : "an error with words";
  const verb = called.get(message["callId"]);
  if (verb === undefined) return "an answer to nothing that was asked";
  const check = answers[verb];
  return (check ? check(value) : (value ?? null) === null) ? null : `an answer to ${verb} that is not documented so`;
}

/** The same as JSON, which is how a page's recorder hands it on. */
function same(copy: unknown, original: unknown): boolean {
  if (copy === undefined || copy === null) return false;
  return isDeepStrictEqual(JSON.parse(JSON.stringify(copy)), JSON.parse(JSON.stringify(original)));
}
