import { describe, expect, it } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ThreeDSResult } from "../../platform/storage/tables.ts";
import { isProved, judge, readError, readResult, type FinalMessage } from "./outcome.ts";

const standard = { policy: "standard" } as const;
const strict = { policy: "strict" } as const;

describe("what the bank says of an authentication", () => {
  it.each<[FinalMessage, ThreeDSResult]>([
    [{ transStatus: "Y" }, "authenticated"],
    [{ transStatus: "A" }, "attempted"],
    [{ transStatus: "U" }, "unavailable"],
    [{ transStatus: "N" }, "failed"],
    [{ transStatus: "N", transStatusReason: "19" }, "failed"],
    [{ transStatus: "R" }, "rejected"],
    [{ transStatus: "I" }, "exempted"],
    // A cancellation arrives as U or as N, whatever the specification says.
    [{ transStatus: "U", challengeCancel: "01" }, "canceled"],
    [{ transStatus: "N", challengeCancel: "01" }, "canceled"],
    [{ transStatus: "U", challengeCancel: "03" }, "timed_out"],
    [{ transStatus: "U", challengeCancel: "04" }, "timed_out"],
    [{ transStatus: "U", challengeCancel: "05" }, "timed_out"],
    [{ transStatus: "N", challengeCancel: "04" }, "timed_out"],
    [{ transStatus: "U", transStatusReason: "14" }, "timed_out"],
    [{ transStatus: "U", transStatusReason: "24" }, "timed_out"],
    // The challenge broke off. The browser that brings the CReq can see to that, and must not switch 3-D Secure off.
    [{ transStatus: "U", challengeCancel: "06" }, "protocol_error"],
    [{ transStatus: "U", challengeCancel: "07" }, "protocol_error"],
    [{ transStatus: "U", challengeCancel: "10" }, "protocol_error"],
    [{ transStatus: "N", challengeCancel: "10" }, "failed"],
    [{ transStatus: "R", challengeCancel: "06" }, "rejected"],
    // Y with a cancellation beside it: the proof that it came with decides.
    [{ transStatus: "Y", challengeCancel: "01" }, "authenticated"],
    // No end; nobody is let through on them.
    [{ transStatus: "C" }, "protocol_error"],
    [{ transStatus: "D" }, "protocol_error"],
  ])("%o ends it as %s", (message, result) => {
    expect(readResult(message)).toBe(result);
  });
});

describe("an error instead of an answer", () => {
  it.each(["402", "403", "404", "405"])("%s says that the bank's side is down", (code) => {
    expect(readError(code)).toBe("unavailable");
  });

  it.each(["101", "102", "201", "203", "204", "301", "303", "304", "305", "306", "", "4", "40", "4000", "x403", "4O3"])(
    "%j says that our request was refused, which must not switch 3-D Secure off",
    (code) => {
      expect(readError(code)).toBe("protocol_error");
    },
  );
});

describe("the payment", () => {
  it.each<[ThreeDSResult, DeclineCode | null, DeclineCode | null]>([
    ["authenticated", null, null],
    ["attempted", null, null],
    ["exempted", null, null],
    ["not_supported", null, null],
    ["unavailable", null, "authentication_unavailable"],
    ["failed", "authentication_failed", "authentication_failed"],
    ["rejected", "authentication_rejected", "authentication_rejected"],
    ["canceled", "authentication_canceled", "authentication_canceled"],
    ["timed_out", "authentication_timed_out", "authentication_timed_out"],
    ["protocol_error", "authentication_unavailable", "authentication_unavailable"],
  ])(
    "that ended %s is declined with %s by the standard policy, with %s by the strict one",
    (result, byStandard, byStrict) => {
      const codeOf = (verdict: ReturnType<typeof judge>) => (verdict.ok ? null : verdict.declineCode);
      expect(codeOf(judge(result, standard))).toBe(byStandard);
      expect(codeOf(judge(result, strict))).toBe(byStrict);
    },
  );

  it.each([
    ["05", "expired_card"],
    ["06", "invalid_number"],
    ["08", "invalid_number"],
    ["10", "stolen_card"],
  ])("that the issuer refused for the reason %s is declined with %s", (transStatusReason, declineCode) => {
    for (const result of ["failed", "rejected"] as const) {
      expect(judge(result, { ...standard, transStatusReason })).toEqual({ ok: false, declineCode });
    }
    expect(judge("authenticated", { ...standard, transStatusReason })).toEqual({ ok: true });
    expect(judge("canceled", { ...standard, transStatusReason })).toMatchObject({
      declineCode: "authentication_canceled",
    });
  });

  it("is proved by an authentication and by an attempt at it, and by nothing else", () => {
    const results = ["exempted", "not_supported", "unavailable", "failed", "canceled", "protocol_error", null] as const;
    expect([isProved("authenticated"), isProved("attempted")]).toEqual([true, true]);
    for (const result of results) expect(isProved(result)).toBe(false);
  });
});
