import { describe, expect, it } from "vitest";
import { RequestError } from "./api-error.ts";
import { isUndecided } from "./use-idempotent-action.ts";

describe("an action", () => {
  it.each([
    [0, "unreachable"],
    [500, "internal_error"],
    [502, "unreadable"],
    [503, "payment_outcome_unknown"],
    [503, "idempotent_request_in_progress"],
  ])("has an unknown outcome after %i %s, so a retry uses the same key", (status, code) => {
    expect(isUndecided(new RequestError("", { code, status }))).toBe(true);
  });

  it.each([
    [400, "parameter_invalid"],
    [402, "card_declined"],
    [403, "permission_missing"],
    [404, "resource_missing"],
    [409, "not_possible_now"],
  ])("didn't run after %i %s, so the next request uses a new key", (status, code) => {
    expect(isUndecided(new RequestError("", { code, status }))).toBe(false);
  });
});
