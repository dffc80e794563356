/** Compares the SDK's advice with the protocol's. Only tests may import the protocol's values. */
import { expect, test } from "vitest";
import { type DeclineCode, declineAdvice, declineCodes } from "@oriel/protocol/declines";
import { adviceFor } from "./decline-advice.ts";

test("gives the protocol's advice for every decline code", () => {
  const given = Object.fromEntries(declineCodes.map((code) => [code, adviceFor(code)]));
  expect(given).toEqual(Object.fromEntries(declineCodes.map((code) => [code, declineAdvice(code)])));
});

test.each(["a_code_of_tomorrow", "", "__proto__", "constructor"])(
  "advises against a retry for an unknown code (%j)",
  (code) => {
    expect(adviceFor(code as DeclineCode)).toBe("do_not_try_again"); // a newer service may send unknown codes
  },
);
