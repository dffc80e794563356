import { expect, it } from "vitest";
import { Refusal } from "./refusal.ts";
import { isUndecided } from "./use-one-wish.ts";

it.each([
  [0, "unreachable"],
  [500, "internal_error"],
  [502, "unreadable"],
  [503, "payment_outcome_unknown"],
  [503, "idempotent_request_in_progress"],
])("after %i %s nobody knows whether it was done, so the wish stays open", (status, code) => {
  expect(isUndecided(new Refusal("", { code, status }))).toBe(true);
});

it.each([
  [400, "parameter_invalid"],
  [402, "card_declined"],
  [403, "permission_missing"],
  [404, "resource_missing"],
  [409, "not_possible_now"],
])("after %i %s it was not done, and what is sent next is another wish", (status, code) => {
  expect(isUndecided(new Refusal("", { code, status }))).toBe(false);
});
