import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { passesLuhn } from "@oriel/protocol/card";
import { declineCodes } from "@oriel/protocol/declines";
import { testCards, threeDSecureCards, troubleCards } from "@oriel/protocol/test-cards";
import { paymentRequest } from "../../test/adyen-client.ts";
import { createBankSecret } from "../bank-secret.ts";
import { threeDSecureOf } from "../cards.ts";
import { createIssuer, refusalFor } from "./refusals.ts";
import { adyenChallengeCards, adyenTestCards } from "./test-cards.ts";

const secret = createBankSecret(Buffer.alloc(32, 1));
const issuer = createIssuer(secret);
const nowMs = Date.UTC(2026, 0, 15);
const decide = (number: string, changes: Parameters<typeof paymentRequest>[1] = {}, atMs = nowMs) =>
  issuer(paymentRequest(number, changes), atMs);

describe("the issuer", () => {
  it("approves Adyen's test cards until they expire", () => {
    for (const number of adyenTestCards) {
      expect(passesLuhn(number)).toBe(true);
      expect(decide(number)).toEqual({ outcome: "approved", refuses: {} });
      expect(decide(number, {}, Date.UTC(2041, 0, 3)).outcome).toBe("expired_card");
    }
  });

  it("knows the test cards that Oriel accepts for Adyen, and challenges those with 3-D Secure", () => {
    const file = new URL("../../../vault/src/connectors/adyen/test-cards.ts", import.meta.url);
    const accepted = [...readFileSync(file, "utf8").matchAll(/"(\d+)"/g)].map(([, number]) => number);
    expect(new Set(adyenTestCards)).toEqual(new Set(accepted));
    for (const number of adyenChallengeCards)
      expect(threeDSecureOf(number)?.decision).toMatchObject({ says: "C", challenge: { page: "code" } });
  });

  it("decides the sandbox's own cards like its acquirer", () => {
    expect(decide(testCards.visa).outcome).toBe("approved");
    expect(decide(testCards.insufficient_funds).outcome).toBe("insufficient_funds");
    expect(decide(troubleCards.capture_declined)).toEqual({
      outcome: "approved",
      refuses: { capture: "generic_decline" },
    });
  });

  it("declines a number that nobody issued", () => {
    expect(decide("4012888888881881").outcome).toBe("incorrect_number");
  });

  it("asks for authentication until there's proof of a challenge", () => {
    const [number] = threeDSecureCards.soft_decline;
    const dsTransID = "00000000-0000-4000-8000-000000000001";
    const cavv = secret.authenticationValue(dsTransID, number, "challenge");
    expect(decide(number).outcome).toBe("authentication_required");
    expect(decide(number, { mpiData: { dsTransID, cavv, eci: "05" } }).outcome).toBe("approved");
    expect(decide(number, { mpiData: { dsTransID, cavv: `${cavv.slice(0, -4)}AAA=`, eci: "05" } }).outcome).toBe(
      "authentication_required",
    );
  });
});

describe("a refusal", () => {
  it("has Adyen's code and text", () => {
    expect(refusalFor("insufficient_funds")).toEqual({
      resultCode: "Refused",
      refusalReason: "Not enough balance",
      refusalReasonCode: "12",
    });
    expect(refusalFor("incorrect_cvc")).toMatchObject({ refusalReason: "CVC Declined", refusalReasonCode: "24" });
    expect(refusalFor("generic_decline")).toMatchObject({ refusalReason: "Refused", refusalReasonCode: "2" });
  });

  it("is an error only if the acquirer failed", () => {
    const errors = declineCodes.filter((code) => refusalFor(code).resultCode === "Error");
    expect(errors).toEqual(["processing_error"]);
  });
});
