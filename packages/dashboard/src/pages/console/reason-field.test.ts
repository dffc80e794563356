import { describe, expect, it, vi } from "vitest";
import { Refusal } from "../../api/refusal.ts";
import { showReasonRefusal } from "./reason-field.ts";

function shownFor(code: string, param: string) {
  const setFieldError = vi.fn<(field: "reason", message: string) => void>();
  showReasonRefusal({ setFieldError }, new Refusal("The service's own sentence.", { code, param, status: 400 }));
  return setFieldError.mock.calls;
}

describe("a refused reason", () => {
  it("is explained beside its field", () => {
    expect(shownFor("parameter_missing", "reason")).toEqual([["reason", "Reason is missing."]]);
    expect(shownFor("parameter_invalid", "reason")).toEqual([
      ["reason", "Remove any secret, card number or invalid character."],
    ]);
  });

  it("is the only thing that is explained there", () => {
    expect(shownFor("parameter_invalid", "submitted")).toEqual([]);
  });
});
