/**
 * The bank's own secret: 32 random bytes that no one else is given, from which it derives what it signs and compares with.
 *
 * - A request's fingerprint says whether two requests under one reference are the same without the books holding a card number.
 *   The CVC has no part in it: nothing that is made from a CVC may outlive the answer.
 * - An authentication value (CAVV, AAV) is 20 bytes that only this bank can make for one authentication of one card; the acquirer
 *   side checks it without having to remember what the ACS side issued.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { AuthorizationRequest } from "@oriel/protocol/acquirer";

export interface BankSecret {
  fingerprint(request: AuthorizationRequest): string;
  /** 28 characters of base64. */
  authenticationValue(dsTransID: string, number: string): string;
  /** Whether the request carries the value that this bank issued for this card. */
  isAuthenticated(request: AuthorizationRequest): boolean;
}

export function createBankSecret(bytes: Buffer): BankSecret {
  const fingerprintKey = hmac(bytes, "fingerprint");
  const authenticationKey = hmac(bytes, "authentication value");

  const authenticationValue = (dsTransID: string, number: string) =>
    hmac(authenticationKey, JSON.stringify([dsTransID, number]))
      .subarray(0, 20)
      .toString("base64");

  return {
    authenticationValue,
    fingerprint({ amount, currency, capture, card, three_d_secure: proof }) {
      const compared = [amount, currency, capture, card.number, card.exp_month, card.exp_year];
      const comparedProof = [proof?.eci, proof?.authentication_value, proof?.ds_trans_id];
      return hmac(fingerprintKey, JSON.stringify([...compared, ...comparedProof])).toString("base64url");
    },
    isAuthenticated({ card, three_d_secure: proof }) {
      if (proof?.authentication_value === undefined) return false;
      const presented = Buffer.from(proof.authentication_value);
      const expected = Buffer.from(authenticationValue(proof.ds_trans_id, card.number));
      return presented.length === expected.length && timingSafeEqual(presented, expected);
    },
  };
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
