import { describe, expect, it } from "vitest";
import { declineAdvice } from "@oriel/protocol/declines";
import { declineCodeOf } from "./refusals.ts";

describe("declineCodeOf", () => {
  it.each([
    ["2", "generic_decline"],
    ["3", "call_issuer"],
    ["4", "processing_error"],
    ["5", "pickup_card"],
    ["6", "expired_card"],
    ["7", "processing_error"],
    ["8", "incorrect_number"],
    ["9", "issuer_not_available"],
    ["10", "transaction_not_allowed"],
    ["11", "authentication_required"],
    ["12", "insufficient_funds"],
    ["14", "fraudulent"],
    ["15", "generic_decline"],
    ["16", "generic_decline"],
    ["17", "generic_decline"],
    ["20", "fraudulent"],
    ["21", "processing_error"],
    ["22", "fraudulent"],
    ["23", "transaction_not_allowed"],
    ["24", "incorrect_cvc"],
    ["25", "card_not_supported"],
    ["26", "revocation_of_authorization"],
    ["27", "generic_decline"],
    ["28", "card_velocity_exceeded"],
    ["29", "withdrawal_count_limit_exceeded"],
    ["31", "fraudulent"],
    ["32", "incorrect_address"],
    ["33", "generic_decline"],
    ["34", "card_not_supported"],
    ["35", "card_not_supported"],
    ["38", "authentication_required"],
    ["39", "authentication_failed"],
    ["42", "authentication_failed"],
    ["46", "transaction_not_allowed"],
  ])("maps %s to %s", (code, declineCode) => {
    expect(declineCodeOf(code)).toBe(declineCode);
  });

  it.each([undefined, null, 6, "", "06", "6 ", "99", "constructor", ["6"]])("maps %j to generic_decline", (code) => {
    expect(declineCodeOf(code)).toBe("generic_decline");
  });

  it.each(["5", "20", "22", "26", "31", "46"])("advises against a retry after %s", (code) => {
    expect(declineAdvice(declineCodeOf(code))).toBe("do_not_try_again");
  });
});
