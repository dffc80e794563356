import { describe, expect, it } from "vitest";
import { judge, readError, readResult, type FinalMessage } from "./outcome.ts";

const proof = { authenticationValue: "AAAA" };

describe("what the bank says of an authentication", () => {
  it.each<[FinalMessage, string, string | null]>([
    [{ transStatus: "Y", ...proof }, "authenticated", null],
    [{ transStatus: "A", ...proof }, "attempted", null],
    // A success without its proof is none, and shifts no liability.
    [{ transStatus: "Y" }, "unavailable", null],
    [{ transStatus: "A" }, "unavailable", null],
    [{ transStatus: "U" }, "unavailable", null],
    [{ transStatus: "U", ...proof }, "unavailable", null],
    [{ transStatus: "N" }, "failed", "authentication_failed"],
    [{ transStatus: "N", ...proof }, "failed", "authentication_failed"],
    [{ transStatus: "R" }, "rejected", "authentication_rejected"],
    [{ transStatus: "R", ...proof }, "rejected", "authentication_rejected"],
    // A cancellation arrives as U or as N, whatever the specification says.
    [{ transStatus: "U", challengeCancel: "01" }, "canceled", "authentication_canceled"],
    [{ transStatus: "N", challengeCancel: "01" }, "canceled", "authentication_canceled"],
    [{ transStatus: "U", challengeCancel: "04" }, "timed_out", "authentication_timed_out"],
    [{ transStatus: "U", challengeCancel: "05" }, "timed_out", "authentication_timed_out"],
    [{ transStatus: "N", challengeCancel: "04" }, "timed_out", "authentication_timed_out"],
    [{ transStatus: "U", transStatusReason: "14" }, "timed_out", "authentication_timed_out"],
    // Y with a cancellation beside it: the proof decides.
    [{ transStatus: "Y", challengeCancel: "01" }, "unavailable", null],
    // C is no end; nobody is let through on it.
    [{ transStatus: "C", ...proof }, "unavailable", null],
  ])("%o ends it as %s, with the decline %s", (message, result, declineCode) => {
    expect(readResult(message)).toBe(result);
    const verdict = judge(readResult(message));
    expect(verdict.ok ? null : verdict.declineCode).toBe(declineCode);
  });
});

describe("an error instead of an answer", () => {
  it.each(["402", "403", "404", "405"])("%s says that the bank's side is down: the charge goes on without 3-D Secure", (code) => {
    expect(readError(code)).toBe("unavailable");
    expect(judge(readError(code))).toEqual({ ok: true });
  });

  it.each(["101", "102", "201", "203", "204", "301", "303", "304", "305", "306", "", "4", "40", "4000", "x403", "4O3"])(
    "%j says that our request was refused, which must not switch 3-D Secure off",
    (code) => {
      expect(readError(code)).toBe("protocol_error");
      expect(judge(readError(code))).toEqual({ ok: false, declineCode: "authentication_unavailable" });
    },
  );
});
