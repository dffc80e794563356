import { describe, expect, it, vi } from "vitest";
import { RequestError } from "../../api/api-error.ts";
import { showReasonRefusal } from "./reason-field.ts";

function shownFor(code: string, param: string) {
  const setFieldError = vi.fn<(field: "reason", message: string) => void>();
  showReasonRefusal({ setFieldError }, new RequestError("The service's own sentence.", { code, param, status: 400 }));
  return setFieldError.mock.calls;
}

describe("showReasonRefusal", () => {
  it("shows errors about the reason at its field", () => {
    expect(shownFor("parameter_missing", "reason")).toEqual([["reason", "Enter a reason."]]);
    expect(shownFor("parameter_invalid", "reason")).toEqual([
      ["reason", "Remove any secret, card number or invalid character."],
    ]);
  });

  it("ignores errors about other parameters", () => {
    expect(shownFor("parameter_invalid", "submitted")).toEqual([]);
  });
});
