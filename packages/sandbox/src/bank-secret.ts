/**
 * The bank's own secret: 32 random bytes that no one else is given, from which it derives what it signs and compares
 * with.
 *
 * - A request's fingerprint says whether two requests under one reference are the same without the books holding a card
 *   number. The CVC has no part in it: nothing that is made from a CVC may outlive the answer.
 * - An authentication value (CAVV, AAV) is 20 bytes that only this bank can make for one authentication of one card;
 *   the acquirer side checks it without having to remember what the ACS side issued, and it tells whether the
 *   cardholder was asked.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";

/** What a proof of authentication is of: of a cardholder who was asked, or of an authentication without that. */
export type ProofKind = "challenge" | "frictionless";

/** What a request proves. */
export type Proven = ProofKind | "nothing";

export interface BankSecret {
  fingerprint(request: AuthorizationRequest): string;
  /** 28 characters of base64. */
  authenticationValue(dsTransID: string, number: string, kind: ProofKind): string;
  /** Which value the request carries of those that this bank issued for this card. */
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
      // What older books hold had neither.
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
