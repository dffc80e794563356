import { describe, expect, it } from "vitest";
import type { DeclineCode } from "@oriel/protocol/declines";
import type { ThreeDSResult } from "../../platform/storage/tables.ts";
import { isProved, judge, readError, readResult, type FinalMessage } from "./outcome.ts";

const standard = { policy: "standard" } as const;
const strict = { policy: "strict" } as const;

describe("readResult", () => {
  it.each<[FinalMessage, ThreeDSResult]>([
    [{ transStatus: "Y" }, "authenticated"],
    [{ transStatus: "A" }, "attempted"],
    [{ transStatus: "U" }, "unavailable"],
    [{ transStatus: "N" }, "failed"],
    [{ transStatus: "N", transStatusReason: "19" }, "failed"],
    [{ transStatus: "R" }, "rejected"],
    [{ transStatus: "I" }, "exempted"],
    // A cancellation may arrive as U or N, regardless of the specification.
    [{ transStatus: "U", challengeCancel: "01" }, "canceled"],
    [{ transStatus: "N", challengeCancel: "01" }, "canceled"],
    [{ transStatus: "U", challengeCancel: "03" }, "timed_out"],
    [{ transStatus: "U", challengeCancel: "04" }, "timed_out"],
    [{ transStatus: "U", challengeCancel: "05" }, "timed_out"],
    [{ transStatus: "N", challengeCancel: "04" }, "timed_out"],
    [{ transStatus: "U", transStatusReason: "14" }, "timed_out"],
    [{ transStatus: "U", transStatusReason: "24" }, "timed_out"],
    // The challenge failed with an error. The browser that delivers the CReq can cause such errors, but must not be
    // able to disable 3-D Secure that way.
    [{ transStatus: "U", challengeCancel: "06" }, "protocol_error"],
    [{ transStatus: "U", challengeCancel: "07" }, "protocol_error"],
    [{ transStatus: "U", challengeCancel: "10" }, "protocol_error"],
    [{ transStatus: "N", challengeCancel: "10" }, "failed"],
    [{ transStatus: "R", challengeCancel: "06" }, "rejected"],
    // Y with a cancellation counts as authenticated, because it comes with a proof.
    [{ transStatus: "Y", challengeCancel: "01" }, "authenticated"],
    // Not final statuses, so the payment must not continue.
    [{ transStatus: "C" }, "protocol_error"],
    [{ transStatus: "D" }, "protocol_error"],
  ])("reads %o as %s", (message, result) => {
    expect(readResult(message)).toBe(result);
  });
});

describe("readError", () => {
  it.each(["402", "403", "404", "405"])("reads %s as unavailable", (code) => {
    expect(readError(code)).toBe("unavailable");
  });

  it.each(["101", "102", "201", "203", "204", "301", "303", "304", "305", "306", "", "4", "40", "4000", "x403", "4O3"])(
    "reads %j as a protocol error, so that it can't disable 3-D Secure",
    (code) => {
      expect(readError(code)).toBe("protocol_error");
    },
  );
});

describe("judge", () => {
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
    "maps the result %s to the decline code %s under the standard policy and %s under the strict one",
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
  ])("maps the issuer's transStatusReason %s to the decline code %s", (transStatusReason, declineCode) => {
    for (const result of ["failed", "rejected"] as const) {
      expect(judge(result, { ...standard, transStatusReason })).toEqual({ ok: false, declineCode });
    }
    expect(judge("authenticated", { ...standard, transStatusReason })).toEqual({ ok: true });
    expect(judge("canceled", { ...standard, transStatusReason })).toMatchObject({
      declineCode: "authentication_canceled",
    });
  });
});

describe("isProved", () => {
  it("is true only for authenticated and attempted", () => {
    const results = ["exempted", "not_supported", "unavailable", "failed", "canceled", "protocol_error", null] as const;
    expect([isProved("authenticated"), isProved("attempted")]).toEqual([true, true]);
    for (const result of results) expect(isProved(result)).toBe(false);
  });
});
