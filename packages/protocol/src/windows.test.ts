import { expect, test } from "vitest";
import {
  negotiateProtocol,
  readFrameEvent,
  readHere,
  readInit,
  readAvailableSpace,
  readSubmission,
  readValidation,
} from "./windows.ts";

test.each([
  [
    { type: "oriel:init", protocol: [1] },
    { type: "oriel:init", protocol: [1] },
  ],
  [
    { type: "oriel:init", protocol: [3, 2, 1], extra: "x" },
    { type: "oriel:init", protocol: [3, 2, 1] },
  ],
  [{ type: "oriel:init", protocol: [] }, null],
  [{ type: "oriel:init", protocol: Array(17).fill(1) }, null],
  [{ type: "oriel:init", protocol: ["1"] }, null],
  [{ type: "oriel:init", protocol: [1.5] }, null],
  [{ type: "oriel:INIT", protocol: [1] }, null],
  [Object.create({ type: "oriel:init", protocol: [1] }), null],
  ["oriel:init", null],
  [null, null],
])("readInit reads or refuses %j", (value, read) => {
  expect(readInit(value)).toEqual(read);
});

test.each([
  [
    { type: "oriel:here", protocol: 1 },
    { type: "oriel:here", protocol: 1 },
  ],
  [
    { type: "oriel:here", protocol: null, extra: 1 },
    { type: "oriel:here", protocol: null },
  ],
  [{ type: "oriel:here" }, null],
  [{ type: "oriel:here", protocol: "1" }, null],
  [{ protocol: 1 }, null],
])("readHere reads or refuses %j", (value, read) => {
  expect(readHere(value)).toEqual(read);
});

test("negotiateProtocol returns the newest common version or null", () => {
  expect(negotiateProtocol([99, 1])).toBe(1);
  expect(negotiateProtocol([99])).toBe(null);
});

test("readAvailableSpace sets `full` to null for older loaders, whose iframe can't grow", () => {
  expect(readAvailableSpace({ width: 300, height: 600 })).toEqual({ width: 300, height: 600, full: null });
  expect(readAvailableSpace({ width: 300, height: 600, full: 360 })).toEqual({ width: 300, height: 600, full: 360 });
});

test.each([
  [{ width: -1, height: 1 }],
  [{ width: 1 }],
  [{ width: "1", height: 1 }],
  [{ width: 1e9, height: 1 }],
  [[1, 2]],
  [null],
])("readAvailableSpace refuses %j", (value) => {
  expect(readAvailableSpace(value)).toBe(undefined);
});

test("readFrameEvent copies only an event's documented fields", () => {
  expect(
    readFrameEvent("decline", {
      code: "declined",
      message: "No.",
      retryable: true,
      attempt: 1,
      attemptsLeft: 4,
      number: "4242424242424242",
    }),
  ).toEqual({
    name: "decline",
    detail: { code: "declined", message: "No.", retryable: true, attempt: 1, attemptsLeft: 4 },
  });
  expect(readFrameEvent("complete", { sessionId: "cs_1", status: "complete", returnUrl: null })).toEqual({
    name: "complete",
    detail: { sessionId: "cs_1", status: "complete", returnUrl: null },
  });
});

test.each([
  ["an unknown name", "celebrate", {}],
  ["a name from the prototype", "toString", {}],
  ["a missing name", undefined, {}],
  ["a missing detail", "submit", null],
  ["a missing field", "focus", {}],
  ["a field of the wrong type", "focus", { field: 7 }],
  ["a function", "focus", { field: () => {} }],
  ["a value nested too deeply", "change", { complete: true, empty: true, errors: [[[[[]]]]], networkChoices: [] }],
  ["a string that is too long", "error", { code: "x".repeat(2049) }],
  ["a String object", "change", { complete: true, empty: true, errors: new String(""), networkChoices: [] }],
  ["a typed array", "change", { complete: true, empty: true, errors: new Uint8Array(1), networkChoices: [] }],
])("readFrameEvent refuses %s", (_what, name, detail) => {
  expect(readFrameEvent(name, detail)).toBe(null);
});

test("readValidation and readSubmission copy only documented fields", () => {
  expect(readValidation({ valid: true, errors: [], number: "4242" })).toEqual({ valid: true, errors: [] });
  expect(readValidation({ valid: "yes", errors: [] })).toBe(null);
  expect(readSubmission({ type: "complete", sessionId: "cs_1", cvc: "123" })).toEqual({
    type: "complete",
    sessionId: "cs_1",
  });
  expect(readSubmission("complete")).toBe(null);
  expect(readSubmission(null)).toBe(null);
});
