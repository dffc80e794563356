import { describe, expect, it } from "vitest";
import { RequestError } from "./api-error.ts";
import { isOpenAfter } from "./use-idempotent-action.ts";

const errorOf = (status: number, code: string) => new RequestError("", { code, status });

describe("an action", () => {
  it.each([
    [0, "unreachable"],
    [200, "unreadable"],
    [403, "unreadable"],
    [500, "internal_error"],
    [502, "unreadable"],
    [503, "payment_outcome_unknown"],
    [503, "idempotent_request_in_progress"],
  ])("has an unknown outcome after %i %s, so a retry uses the same key", (status, code) => {
    expect(isOpenAfter(errorOf(status, code), false)).toBe(true);
    expect(isOpenAfter(errorOf(status, code), true)).toBe(true);
  });

  it.each([
    [400, "parameter_invalid"],
    [402, "card_declined"],
    [409, "not_possible_now"],
    [422, "idempotency_key_in_use"],
  ])("is decided after %i %s, so the next request uses a new key", (status, code) => {
    expect(isOpenAfter(errorOf(status, code), false)).toBe(false);
    expect(isOpenAfter(errorOf(status, code), true)).toBe(false);
  });

  it.each([
    [401, "sign_in_required"],
    [403, "permission_missing"],
    [403, "second_factor_required"],
    [403, "step_up_required"],
    [404, "resource_missing"],
    [429, "rate_limited"],
  ])("is as unknown after %i %s as before, because the key wasn't looked up", (status, code) => {
    expect(isOpenAfter(errorOf(status, code), true)).toBe(true);
    expect(isOpenAfter(errorOf(status, code), false)).toBe(false);
  });
});
