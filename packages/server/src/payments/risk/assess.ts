/**
 * Assesses the risk of one payment: its level, the reasons, and whether it's approved, needs a challenge or is declined
 * before authorization. It relies only on the counts in `card_try`, not on anything that the customer sends.
 */
import type { Decision } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import type { ThreeDSResult } from "../../platform/storage/tables.ts";
import { isProved } from "../threeds/outcome.ts";
import { reportAttack } from "./attack-report.ts";
import { refuseTransaction, subjectOf, type CardTry, type RiskContext } from "./card-attempts.ts";
import { triesOf, type Measured, type Subject } from "./measures.ts";
import { rules, type RiskReason, type Rule } from "./rules.ts";
import { settingsFor, type Step } from "./settings.ts";
import { hasId } from "../../platform/storage/owned-by.ts";

export interface Assessment {
  level: Decision["risk"]["level"];
  reasons: RiskReason[];
  /** `challenge`: requires authentication by the issuer, and is declined without it. See {@link isConfirmed}. */
  verdict: "approve" | "challenge" | "decline";
}

/** The assessment of a payment to which no risk rules apply. */
export const noRisk: Assessment = { level: "normal", reasons: [], verdict: "approve" };

/**
 * Assesses a card try that `beginTry` recorded, now that the card has been read. Must not run in a transaction, because
 * concurrent tries must see each other's card.
 *
 * @param fingerprint a keyed hash, the same for the same card within a mode; null if the vault can't identify the card
 */
export async function assess(context: RiskContext, cardTry: CardTry, fingerprint: Buffer | null): Promise<Assessment> {
  const { db, now } = context;
  const risk = settingsFor(context.riskSettings, cardTry.tenant);
  if (risk === null) return noRisk;
  refuseTransaction(db);
  if (fingerprint !== null) {
    await db.updateTable("card_try").set({ fingerprint }).where(hasId(cardTry.decisionId, "decision_id")).execute();
  }

  const judgedAt = now();
  const subject = subjectOf(cardTry, fingerprint);
  const reasons: RiskReason[] = [];
  const verdicts = new Set<Step["verdict"]>();
  for (const [name, rule] of ruleList) {
    // In a renewal, the customer isn't present for a challenge.
    if (subject.sessionId === null && rule.of !== "card") continue;
    const exceeded = await firstExceeded(db, rule, risk.rules[name], subject, judgedAt);
    if (exceeded === null) continue;
    reasons.push(name);
    verdicts.add(exceeded.verdict);
    if (rule.signalsAttack) await reportAttack(context, subject.tenant, name, exceeded.verdict, judgedAt);
  }
  if (verdicts.has("decline")) return { level: "high", reasons, verdict: "decline" };
  if (verdicts.has("challenge")) return { level: "elevated", reasons, verdict: "challenge" };
  return { level: "normal", reasons, verdict: "approve" };
}

/**
 * Whether a payment of this risk level may continue with this 3-D Secure result. If the level isn't `normal`, an
 * unreachable issuer or a card that isn't enrolled is not enough. Otherwise, card testers would use such cards.
 */
export function isConfirmed(level: Assessment["level"], result: ThreeDSResult): boolean {
  return level === "normal" || isProved(result);
}

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
  const bound = Math.max(0, ...steps.map(({ over }) => over)) + 1;
  const measured = new Map<number, Measured>();
  for (const step of steps) {
    const { windowMs } = step;
    const tries = triesOf(db, rule.of, subject, new Date(now.getTime() - windowMs));
    if (tries === null) return null;
    const found = measured.get(windowMs) ?? (await rule.measure(db, tries, subject, bound));
    measured.set(windowMs, found);
    if (found.value > step.over && found.of >= step.atLeast) return step;
  }
  return null;
}
