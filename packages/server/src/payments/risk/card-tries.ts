/**
 * The life of a try of a card, as far as risk remembers it:
 *
 * ```
 * beginTry --(over a limit)--> 429, forgotten at once
 *    |
 * pending --recordOutcome--> approved | declined | rejected | abandoned
 *    |
 *    +--forgetTry (no decision came of it)
 * ```
 * A try is committed before it is counted. Of any number of tries at once, on any number of processes, each counts
 * those that were committed before it: so no more of them can pass than a limit lets pass. Fewer may, when they all see
 * each other; that is the safe side.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { ipNetwork } from "./ip-network.ts";
import { triesOf, type Scope, type Subject } from "./measures.ts";
import type { TryOutcome } from "../../platform/storage/risk-tables.ts";
import { limits, type LimitName } from "./rules.ts";
import { rememberedMs, settingsFor, type RiskSettings, type TryLimit } from "./settings.ts";

/** The part of the context that risk needs. */
export type RiskContext = Pick<PlatformContext, "db" | "log" | "now"> & { riskSettings: RiskSettings };

export interface CardTry {
  tenant: Tenant;
  /** The id that the decision will have. */
  decisionId: string;
  /** Null when the customer is absent. */
  sessionId: string | null;
  /** The customer's; null when the customer is absent. */
  ip: string | null;
  /** 0 when a card is only kept for later. */
  amount: number;
  currency: string;
}

/**
 * Notes a try before its card is read, and refuses it when there were too many of them. Not inside a transaction:
 * others must see it at once.
 *
 * @throws ApiError 429 `rate_limited`
 */
export async function beginTry({ db, now, riskSettings }: RiskContext, cardTry: CardTry): Promise<void> {
  const risk = settingsFor(riskSettings, cardTry.tenant);
  if (risk === null) return;
  refuseTransaction(db);
  const startedAt = now();
  const { tenant, decisionId, sessionId, amount, currency } = cardTry;
  const subject = subjectOf(cardTry, null);
  await db
    .insertInto("card_try")
    .values({
      decision_id: decisionId,
      account_id: tenant.accountId,
      livemode: tenant.livemode,
      session_id: sessionId,
      network: subject.network,
      amount,
      currency,
      outcome: "pending",
      created_at: startedAt,
    })
    .execute();

  for (const name of limitNames) {
    const limit = risk.limits[name];
    const waitMs = limit === null ? 0 : await waitUntilAllowed(db, limits[name].of, subject, limit, startedAt);
    if (waitMs === 0) continue;
    await forgetTry(db, decisionId);
    throw new ApiError("rate_limited", "Too many cards were tried from here. Wait a while before trying again.", {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }
}

/** What became of it. The first to tell is believed; a payment whose try was not noted is left alone. */
export async function recordOutcome(db: Db, decisionId: string, outcome: TryOutcome): Promise<void> {
  await db
    .updateTable("card_try")
    .set({ outcome })
    .where("decision_id", "=", decisionId)
    .where("outcome", "=", "pending")
    .execute();
}

/**
 * What a decline tells of the try. Only a word about the card counts as one: a bank that is out of order would
 * otherwise make an account look as if it were attacked.
 *
 * @param declineCode null when the bank approved
 */
export function outcomeOf(declineCode: DeclineCode | null): TryOutcome {
  if (declineCode === null) return "approved";
  if (declineCode === "risk_rejected") return "rejected";
  return notAboutTheCard.includes(declineCode) ? "abandoned" : "declined";
}

const notAboutTheCard: readonly DeclineCode[] = [
  "processing_error",
  "issuer_not_available",
  "reenter_transaction",
  "approve_with_id",
  "authentication_canceled",
  "authentication_timed_out",
  "authentication_unavailable",
];

/** No decision came of it: its card message could not be read, or another payment of the session was under way. */
export async function forgetTry(db: Db, decisionId: string): Promise<void> {
  await db.deleteFrom("card_try").where("decision_id", "=", decisionId).where("outcome", "=", "pending").execute();
}

/**
 * Forgets tries, and reports of attacks, that no rule counts any more.
 * @returns how many of the kind there are more of
 */
export async function forgetTries({ db, now }: Pick<RiskContext, "db" | "now">, limit: number): Promise<number> {
  const oldest = new Date(now().getTime() - rememberedMs);
  const reports = await db
    .deleteFrom("attack_report")
    .where("created_at", "in", (eb) =>
      eb.selectFrom("attack_report").select("created_at").where("created_at", "<=", oldest).limit(limit),
    )
    .executeTakeFirst();
  const tries = await db
    .deleteFrom("card_try")
    .where("decision_id", "in", (eb) =>
      eb.selectFrom("card_try").select("decision_id").where("created_at", "<=", oldest).limit(limit),
    )
    .executeTakeFirst();
  return Math.max(Number(reports.numDeletedRows), Number(tries.numDeletedRows));
}

export function subjectOf({ tenant, sessionId, ip, amount, currency }: CardTry, fingerprint: Buffer | null): Subject {
  return { tenant, sessionId, network: ip === null ? null : ipNetwork(ip), fingerprint, amount, currency };
}

/** In a transaction nobody else would see the try, and any number of them at once would count one. */
export function refuseTransaction(db: Db): void {
  if (db.isTransaction) throw new Error("Bug: a try of a card is counted inside a transaction");
}

const limitNames: readonly LimitName[] = ["session_tries", "ip_tries", "account_tries"];

/** 0 when the try is within the limit, else until enough of those before it have left the window. */
async function waitUntilAllowed(db: Db, scope: Scope, subject: Subject, limit: TryLimit, now: Date): Promise<number> {
  const tries = triesOf(db, scope, subject, new Date(now.getTime() - limit.windowMs));
  const inTheWay = await tries
    ?.select("created_at")
    .orderBy("created_at", "desc")
    .offset(limit.tries)
    .limit(1)
    .executeTakeFirst();
  if (inTheWay === undefined) return 0;
  return Math.max(1, inTheWay.created_at.getTime() + limit.windowMs - now.getTime());
}
