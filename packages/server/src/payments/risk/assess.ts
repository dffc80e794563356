/**
 * Assesses the risk of one payment: its level, the reasons, and whether it's approved, needs a challenge or is declined
 * before authorization. It relies on counts of card tries. Two rules don't apply to returning customers, who may be
 * recognized by an ID that their browser sends.
 */
import type { Decision } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import { ownerColumns } from "../../platform/tenant.ts";
import { isChallengePassed, isProved, type Proof } from "../threeds/outcome.ts";
import { refuseTransaction, subjectOf, type CardTry, type RiskContext } from "./card-attempts.ts";
import { hasScope, type Measured, type Subject } from "./measures.ts";
import { rules, type RiskReason, type Rule } from "./rules.ts";
import { settingsFor, type Step } from "./settings.ts";
import { sharedCard } from "./shared-tries.ts";

export interface Assessment {
  level: Decision["risk"]["level"];
  reasons: (RiskReason | typeof newCustomersReason)[];
  /** `challenge`: requires authentication by the issuer, and is declined without it. See {@link isConfirmed}. */
  verdict: "approve" | "challenge" | "decline";
}

/** The reason of a challenge that is required because the customer is new and the account's bucket is empty. */
export const newCustomersReason = "new_customers";

/** The assessment of a payment to which no risk rules apply. */
export const noRisk: Assessment = { level: "normal", reasons: [], verdict: "approve" };

/**
 * Assesses a card try that `beginTry` recorded, now that the card has been read. Must not run in a transaction, because
 * concurrent tries must see each other's card.
 *
 * @param payer.fingerprint a keyed hash, the same for the same card within a mode; null if the vault can't identify it
 * @param payer.isReturning whether the customer has paid at this account before (`payers.ts`)
 */
export async function assess(
  context: RiskContext,
  cardTry: CardTry,
  { fingerprint, isReturning }: { fingerprint: Buffer | null; isReturning: boolean },
): Promise<Assessment> {
  const { db, now } = context;
  const { tenant, decisionId } = cardTry;
  const risk = settingsFor(context.riskSettings, tenant);
  if (risk === null) return noRisk;
  refuseTransaction(db);
  if (fingerprint !== null) {
    await setCard(db, {
      ...ownerColumns(tenant),
      decision_id: decisionId,
      fingerprint,
      card: sharedCard(tenant, fingerprint),
    });
  }

  const judgedAt = now();
  const subject = subjectOf(cardTry, fingerprint);
  const reasons: RiskReason[] = [];
  const verdicts = new Set<Step["verdict"]>();
  for (const [name, rule] of ruleList) {
    // In a renewal, the customer isn't present for a challenge.
    if (subject.sessionId === null && rule.of !== "card") continue;
    if (!hasScope(rule.of, subject)) continue;
    if (isReturning && rule.exemptsReturning === true) continue;
    const exceeded = await firstExceeded(db, rule, risk.rules[name], subject, judgedAt);
    if (exceeded === null) continue;
    reasons.push(name);
    verdicts.add(exceeded.verdict);
  }
  if (verdicts.has("decline")) return { level: "high", reasons, verdict: "decline" };
  if (verdicts.has("challenge")) return { level: "elevated", reasons, verdict: "challenge" };
  return { level: "normal", reasons, verdict: "approve" };
}

/**
 * Whether a payment of this risk may continue after 3-D Secure. If the level isn't `normal`, an unreachable issuer or a
 * card that isn't enrolled is not enough. Otherwise, card testers would use such cards. A new customer without a token
 * must have passed a challenge.
 */
export function isConfirmed(
  risk: { risk_level: Assessment["level"]; risk_reasons: readonly string[] },
  proof: Proof,
): boolean {
  if (risk.risk_reasons.includes(newCustomersReason)) return isChallengePassed(proof);
  return risk.risk_level === "normal" || isProved(proof.result);
}

const setCard = statement(/* sql */ `
  with shared as (update shared_try set card = :card::bytea where decision_id = :decision_id::text)
  update card_try set fingerprint = :fingerprint::bytea
  where account_no = :account_no and livemode = :livemode and decision_id = :decision_id`);

// `Object.entries` loses the type of the names.
const ruleList = Object.entries(rules) as [RiskReason, Rule][];

/** The strictest exceeded step. Steps that decline come first. */
async function firstExceeded(
  db: Db,
  rule: Rule,
  steps: readonly Step[],
  subject: Subject,
  now: Date,
): Promise<Step | null> {
  const bound = Math.max(0, ...steps.map(({ threshold }) => threshold)) + 1;
  const measured = new Map<number, Measured>();
  for (const step of steps) {
    const { windowMs } = step;
    const window = { of: rule.of, subject, since: new Date(now.getTime() - windowMs) };
    const found = measured.get(windowMs) ?? (await rule.measure(db, window, bound));
    measured.set(windowMs, found);
    if (found.value > step.threshold && found.of >= step.atLeast) return step;
  }
  return null;
}
