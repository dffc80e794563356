/**
 * What the rules say of one payment: its level of risk, the reasons, and whether it may go on, must be confirmed by the
 * customer's bank, or is declined before the bank is asked. Trusts the counts of `card_try` and nothing that the
 * customer says.
 */
import type { Decision } from "@oriel/protocol/api";
import type { Db } from "../../platform/storage/database.ts";
import type { ThreeDSResult } from "../../platform/storage/tables.ts";
import { isProved } from "../threeds/outcome.ts";
import { reportAttack } from "./attack-report.ts";
import { refuseTransaction, subjectOf, type CardTry, type RiskContext } from "./card-tries.ts";
import { triesOf, type Measured, type Subject } from "./measures.ts";
import { rules, type RiskReason, type Rule } from "./rules.ts";
import { settingsFor, type Step } from "./settings.ts";

export interface Assessment {
  level: Decision["risk"]["level"];
  reasons: RiskReason[];
  /**
   * `challenge`: only with the customer's bank's confirmation, and not at all where it cannot be had. See {@link
   * isConfirmed}.
   */
  verdict: "approve" | "challenge" | "decline";
}

/**
 * Judges a try that `beginTry` noted, now that its card was read. Not inside a transaction: tries at the same moment
 * must see each other's card.
 *
 * @param fingerprint keyed, the same for the same card in one mode; null for a card that the vault cannot tell
 */
export async function assess(context: RiskContext, cardTry: CardTry, fingerprint: Buffer | null): Promise<Assessment> {
  const { db, now } = context;
  const risk = settingsFor(context.riskSettings, cardTry.tenant);
  if (risk === null) return { level: "normal", reasons: [], verdict: "approve" };
  refuseTransaction(db);
  if (fingerprint !== null) {
    await db.updateTable("card_try").set({ fingerprint }).where("decision_id", "=", cardTry.decisionId).execute();
  }

  const judgedAt = now();
  const subject = subjectOf(cardTry, fingerprint);
  const reasons: RiskReason[] = [];
  const verdicts = new Set<Step["verdict"]>();
  for (const [name, rule] of ruleList) {
    if (subject.sessionId === null && rule.of !== "card") continue; // a renewal: nobody could answer a challenge
    const exceeded = await firstExceeded(db, rule, risk.rules[name], subject, judgedAt);
    if (exceeded === null) continue;
    reasons.push(name);
    verdicts.add(exceeded.verdict);
    if (rule.tellsOfAttack) await reportAttack(context, subject.tenant, name, exceeded.verdict, judgedAt);
  }
  if (verdicts.has("decline")) return { level: "high", reasons, verdict: "decline" };
  if (verdicts.has("challenge")) return { level: "elevated", reasons, verdict: "challenge" };
  return { level: "normal", reasons, verdict: "approve" };
}

/**
 * Whether a payment of this level may go on after 3-D Secure ended so. Where the risk is not normal, a bank that could
 * not be reached or a card that takes no part is not enough: otherwise whoever tries stolen cards would pick those.
 */
export function isConfirmed(level: Assessment["level"], result: ThreeDSResult): boolean {
  return level === "normal" || isProved(result);
}

// Object.entries forgets the names' type; the list is constant.
const ruleList = Object.entries(rules) as [RiskReason, Rule][];

/** The strictest step that is exceeded: those that decline stand first. */
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
