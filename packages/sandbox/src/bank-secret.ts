/**
 * The bank's secret: 32 random bytes that it shares with nobody and derives signatures and fingerprints from.
 *
 * - A request's fingerprint shows whether two requests with one reference are the same, without storing a card number.
 *   It excludes the CVC: nothing derived from a CVC may be kept after the response.
 * - An authentication value (CAVV, AAV) is 20 bytes that only this bank can make, for one authentication of one card.
 *   The acquirer can verify it without remembering what the ACS issued, and it shows whether the cardholder was
 *   challenged.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";

/** Whether the proof comes from a challenge or a frictionless authentication. */
export type ProofKind = "challenge" | "frictionless";

/** What a request's proof shows. */
export type Proven = ProofKind | "nothing";

export interface BankSecret {
  fingerprint(request: AuthorizationRequest): string;
  /** 28 characters of base64. */
  authenticationValue(dsTransID: string, number: string, kind: ProofKind): string;
  /** Which of this bank's authentication values for the card the request contains. */
  proven(request: AuthorizationRequest): Proven;
}

export function createBankSecret(bytes: Buffer): BankSecret {
  const fingerprintKey = hmac(bytes, "fingerprint");
  const authenticationKey = hmac(bytes, "authentication value");

  const authenticationValue = (dsTransID: string, number: string, kind: ProofKind) =>
    hmac(authenticationKey, JSON.stringify([dsTransID, number, kind]))
      .subarray(0, 20)
      .toString("base64");

  return {
    authenticationValue,
    fingerprint({ amount, currency, capture, card, network, merchant_id, three_d_secure: proof }) {
      const compared = [amount, currency, capture, card.number, card.exp_month, card.exp_year];
      const comparedProof = [proof?.eci, proof?.authentication_value, proof?.ds_trans_id];
      // Older ledgers had neither field.
      const comparedLater = [
        ...(network === undefined ? [] : [network]),
        ...(merchant_id === undefined ? [] : [{ merchant_id }]),
      ];
      return hmac(fingerprintKey, JSON.stringify([...compared, ...comparedProof, ...comparedLater])).toString(
        "base64url",
      );
    },
    proven({ card, three_d_secure: proof }) {
      if (proof?.authentication_value === undefined) return "nothing";
      const presented = Buffer.from(proof.authentication_value);
      const isFor = (kind: ProofKind) => {
        const expected = Buffer.from(authenticationValue(proof.ds_trans_id, card.number, kind));
        return presented.length === expected.length && timingSafeEqual(presented, expected);
      };
      if (isFor("challenge")) return "challenge";
      return isFor("frictionless") ? "frictionless" : "nothing";
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
