/** The SDK's copy of the protocol's advice. Tests may know the protocol's values; the SDK itself may not. */
import { type DeclineCode, declineAdvice, declineCodes } from "@oriel/protocol/declines";
import { expect, test } from "vitest";
import { adviceFor } from "./decline-advice.ts";

test("every decline code has the advice that the protocol gives it", () => {
  const given = Object.fromEntries(declineCodes.map((code) => [code, adviceFor(code)]));
  expect(given).toEqual(Object.fromEntries(declineCodes.map((code) => [code, declineAdvice(code)])));
});

test.each(["a_code_of_tomorrow", "", "__proto__", "constructor"])(
  "a code that is not known (%j) is not tried again",
  (code) => {
    expect(adviceFor(code as DeclineCode)).toBe("do_not_try_again"); // A newer service sends what these types do not list.
  },
);
