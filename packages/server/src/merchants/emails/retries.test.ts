import { describe, expect, it } from "vitest";
import { pauseAfterRefusal, pauseAfterServerFailure, readEmailFailure } from "./retries.ts";

describe("a failed attempt to send an email", () => {
  it.each([
    [
      "a refused mailbox",
      { code: "EENVELOPE", command: "RCPT TO", responseCode: 550, response: "550 5.1.1 a@b.example" },
    ],
    [
      "a refused mailbox, without details",
      { code: "EENVELOPE", command: "RCPT TO", responseCode: 553, response: "553 No" },
    ],
    ["an address that can't be one", { code: "EENVELOPE", command: "API" }],
  ])("is final for %s", (_what, error) => {
    expect(readEmailFailure(error)).toMatchObject({ isFinal: true, isOfServer: false });
  });

  it.each([
    ["a full mailbox", { command: "RCPT TO", responseCode: 452, response: "452 4.2.2 full" }, false],
    [
      "a relay that we may not use",
      { command: "RCPT TO", responseCode: 554, response: "554 5.7.1 Relay denied" },
      false,
    ],
    ["a relay that wants a password", { command: "RCPT TO", responseCode: 530, response: "530 Sign in" }, true],
    ["a refused message", { command: "DATA", responseCode: 554, response: "554 Not verified" }, false],
    ["a refused sender", { command: "MAIL FROM", responseCode: 550, response: "550 5.1.8 No" }, true],
    ["a refused password", { code: "EAUTH", command: "AUTH PLAIN", responseCode: 535 }, true],
    ["a server that is down", { code: "ECONNREFUSED", command: "CONN" }, true],
    ["a slow server", { code: "ETIMEDOUT", command: "CONN" }, true],
    ["something else", new Error("What?"), true],
  ])("isn't final for %s", (_what, error, isOfServer) => {
    expect(readEmailFailure(error)).toMatchObject({ isFinal: false, isOfServer });
  });

  it("is described without the server's text, which can contain the address", () => {
    const response = "550-5.1.1 ann@shop.example unknown";
    const error = { code: "EENVELOPE", command: "RCPT TO", responseCode: 550, response, message: response };
    expect(readEmailFailure(error).code).toBe("RCPT TO 550 5.1.1");
    expect(readEmailFailure(undefined).code).toBe("unknown");
  });

  it("is followed by another one within a minute if the server failed", () => {
    expect([0, 1].map((random) => pauseAfterServerFailure(10, random))).toEqual([30_000, 60_000]);
    expect([0, 1].map((random) => pauseAfterServerFailure(11, random))).toEqual([150_000, 300_000]);
  });

  it("is followed by another one after half a minute, and later by one each hour, if the email was refused", () => {
    expect([1, 2, 3, 4, 5, 6, 7, 100].map((refusals) => pauseAfterRefusal(refusals, 0.5) / 1000)).toEqual([
      30, 120, 300, 900, 1800, 3600, 3600, 3600,
    ]);
    expect([0, 1].map((random) => pauseAfterRefusal(1, random))).toEqual([24_000, 36_000]);
  });
});
