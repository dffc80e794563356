/**
 * Admission of new customers. An attacker with stolen card numbers pays with them to find out which ones work. Detecting
 * this takes time, and every approval before the detection reveals a working number. So a payment by a new customer takes
 * a token from the account's bucket (`bucket.ts`) before the acquirer is called. Without a token, the customer must pass a
 * challenge, which someone with only the number can't.
 */
import type { Tx } from "../../platform/storage/database.ts";
import { newCustomersReason, type Assessment } from "./assess.ts";
import { takeReserve, takeToken } from "./bucket.ts";
import type { CardTry } from "./card-attempts.ts";
import { isStillKnown, type Payer, type PayerTraits } from "./payers.ts";

/** The assessment of a payment after admission. */
export interface Admission {
  risk: Assessment;
  /** Null if no risk rules apply. */
  payer: Payer["kind"] | null;
  /** Where the payment took a token, if it did. */
  token: "bucket" | "reserve" | null;
}

/**
 * Admits a payment, or requires a challenge. Runs in the transaction that creates the decision, which is committed before
 * the acquirer is called. So a crash doesn't refill the bucket.
 *
 * @param canChallenge whether the card is known to be enrolled in 3-D Secure
 * @param payer as found before the card was stored; null if no risk rules apply
 */
export async function admit(
  tx: Tx,
  { tenant, decisionId, sessionId, amount }: Pick<CardTry, "tenant" | "decisionId" | "sessionId" | "amount">,
  { canChallenge, ...traits }: PayerTraits & { canChallenge: boolean },
  { risk, payer }: { risk: Assessment; payer: Payer | null },
  now: Date,
): Promise<Admission> {
  const unchanged = { risk, payer: payer?.kind ?? null, token: null };
  const challenged = { risk: withChallenge(risk), payer: "new" as const, token: null };
  if (payer === null || risk.verdict === "decline") return unchanged;
  if (payer.kind === "returning")
    return payer.knownBy === "card" || (await isStillKnown(tx, tenant, traits)) ? unchanged : challenged;
  const { policy, bucketSize } = payer.admission;
  // Saving a card costs an attacker nothing, so it always requires proof.
  if (policy === "always_challenge" || amount === 0) return challenged;
  if (policy === "never_challenge") return unchanged;
  const { fingerprint } = traits;
  switch (await takeToken(tx, tenant, { decisionId, sessionId, fingerprint, bucketSize }, now)) {
    case "free":
      return unchanged;
    case "taken":
      return { ...unchanged, token: "bucket" };
    case "suspect":
      return challenged;
    case "empty":
      return (await takeReserve(tx, tenant, !canChallenge, now)) ? { ...unchanged, token: "reserve" } : challenged;
  }
}

function withChallenge({ reasons }: Assessment): Assessment {
  return { level: "elevated", reasons: [...reasons, newCustomersReason], verdict: "challenge" };
}
