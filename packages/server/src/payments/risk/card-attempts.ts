/**
 * A card try is one use of a card, at checkout or for a decision requested through the API. The risk rules count card
 * tries. Their states:
 *
 * ```
 * beginTry --(over a limit)--> 429, deleted at once
 *    |
 * pending --recordOutcome--> approved | declined | rejected | abandoned
 *    |
 *    +--deleteTry (no decision resulted)
 * ```
 * A card try is committed before it's counted. So with concurrent tries, on any number of processes, each one counts
 * all tries committed before it, and no more can pass than the limit allows. Fewer may pass if they all see each other,
 * which is safe.
 */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { claimedKey, keyArguments, keyValues, type NewKey } from "../../platform/idempotency/idempotency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { hasId } from "../../platform/storage/owned-by.ts";
import { deleteDue } from "../../platform/storage/per-owner.ts";
import type { TryOutcome } from "../../platform/storage/risk-tables.ts";
import { statement } from "../../platform/storage/statement.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { ipNetwork } from "./ip-network.ts";
import { hasScope, timesIn, type Scope, type Subject } from "./measures.ts";
import { limits, type LimitName } from "./rules.ts";
import { tryRetentionMs, settingsFor, type RiskSettings, type TryLimit } from "./settings.ts";
import { deleteShared, deleteOldShared, shareDecline } from "./shared-tries.ts";

/** The part of the context that the risk rules need. */
export type RiskContext = Pick<PlatformContext, "db" | "keys" | "log" | "now"> & { riskSettings: RiskSettings };

export interface CardTry {
  tenant: Tenant;
  /** The ID of the decision to be created. */
  decisionId: string;
  /** Null if the customer isn't present. */
  sessionId: string | null;
  /** The customer's IP address; null if the customer isn't present. */
  ip: string | null;
  /** 0 if the card is only being saved. */
  amount: number;
  currency: string;
}

/**
 * Records a card try before the card is read, and refuses it if a limit is exceeded. Must not run in a transaction,
 * because others must see it immediately.
 *
 * @param key an idempotency key to claim in the same statement
 * @returns false if another request has the key; nothing was recorded
 * @throws ApiError 429 `rate_limited`
 */
export async function beginTry(context: RiskContext, cardTry: CardTry, key: NewKey | null = null): Promise<boolean> {
  const { db, now, riskSettings } = context;
  const risk = settingsFor(riskSettings, cardTry.tenant);
  if (risk === null) return true;
  refuseTransaction(db);
  const startedAt = now();
  const { tenant, decisionId, sessionId, amount, currency } = cardTry;
  const subject = subjectOf(cardTry, null);
  const [inserted] = await insert(db, {
    ...keyValues(context, tenant, key, null),
    decision_id: decisionId,
    session_id: sessionId,
    network: subject.network,
    amount,
    currency,
    created_at: startedAt,
  });
  if (inserted === undefined) return false;

  for (const name of limitNames) {
    const limit = risk.limits[name];
    const waitMs = limit === null ? 0 : await waitUntilAllowed(db, limits[name].of, subject, limit, startedAt);
    if (waitMs === 0) continue;
    await deleteTry(db, decisionId);
    throw new ApiError("rate_limited", "Too many card attempts. Wait a while, then try again.", {
      retryAfterSeconds: Math.ceil(waitMs / 1000),
    });
  }
  return true;
}

/** Exported for `stored-functions.ts`. */
export const begin = storedFunction<{ decision_id: string }>("begin_try", {
  takes: {
    account_no: "bigint",
    livemode: "boolean",
    ...keyArguments,
    decision_id: "text",
    session_id: "text",
    amount: "bigint",
    currency: "text",
    created_at: "timestamptz",
  },
  returns: "decision_id text",
  steps: /* sql */ `
    ${claimedKey}
    insert into card_try (account_no, livemode, decision_id, session_id, amount, currency, outcome, created_at)
    values (:account_no, :livemode, :decision_id, :session_id, :amount, :currency, 'pending', :created_at);
    return query select :decision_id;`,
});

/** The table of shared tries isn't on the account's worker, so the function can't write to it. */
const insert = statement<{ decision_id: string }>(/* sql */ `
  insert into shared_try (decision_id, livemode, network, created_at)
  select decision_id, :livemode, :network::text, :created_at from ${begin.callText}
  returning decision_id`);

/** Records the outcome of a card try. The first outcome counts. Does nothing if no try was recorded for the payment. */
export async function recordOutcome(db: Db, decisionId: string, outcome: TryOutcome): Promise<void> {
  await db
    .updateTable("card_try")
    .set({ outcome })
    .where(hasId(decisionId, "decision_id"))
    .where("outcome", "=", "pending")
    .execute();
  if (outcome === "declined") await shareDecline(db, decisionId);
}

/**
 * Maps a decline to the outcome of the card try. Only declines that concern the card count as `declined`. Otherwise, an
 * outage at an acquirer or issuer would look like an attack on the account.
 *
 * @param declineCode null if the payment was approved
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

/** Deletes a card try without a decision: the card couldn't be read, or the session had another payment in progress. */
export async function deleteTry(db: Db, decisionId: string): Promise<void> {
  await db.deleteFrom("card_try").where(hasId(decisionId, "decision_id")).where("outcome", "=", "pending").execute();
  await deleteShared(db, decisionId);
}

/**
 * Deletes card tries and card testing reports that are too old for any rule.
 *
 * @param limit the maximum number of rows to delete from each table
 * @returns the largest of the numbers of deleted rows
 */
export async function deleteOldTries(
  context: Pick<PlatformContext, "db" | "nodes" | "now" | "log">,
  limit: number,
): Promise<number> {
  const { db, now } = context;
  const oldest = new Date(now().getTime() - tryRetentionMs);
  const reports = await deleteDue(context, {
    from: "card_testing_report",
    due: db
      .selectFrom("card_testing_report")
      .select(["account_no", "livemode", "id"])
      .where("ended_at", "<=", oldest)
      .orderBy("ended_at"),
    limit,
  });
  const tries = await deleteDue(context, {
    from: "card_try",
    due: db
      .selectFrom("card_try")
      .select(["account_no", "livemode", "decision_id as id"])
      .where("created_at", "<=", oldest)
      .orderBy("created_at"),
    column: "decision_id",
    limit,
  });
  return Math.max(reports, tries, await deleteOldShared(db, oldest, limit));
}

export function subjectOf({ tenant, sessionId, ip, amount, currency }: CardTry, fingerprint: Buffer | null): Subject {
  return { tenant, sessionId, network: ip === null ? null : ipNetwork(ip), fingerprint, amount, currency };
}

/**
 * In a transaction, other requests wouldn't see the card try, and concurrent tries would each count only themselves.
 */
export function refuseTransaction(db: Db): void {
  if (db.isTransaction) throw new Error("Bug: a card attempt was counted inside a transaction");
}

const limitNames: readonly LimitName[] = ["session_tries", "ip_tries", "account_tries"];

/** The time in ms until earlier card tries have left the window; 0 if this one is within the limit. */
async function waitUntilAllowed(db: Db, scope: Scope, subject: Subject, limit: TryLimit, now: Date): Promise<number> {
  if (!hasScope(scope, subject)) return 0;
  const window = { of: scope, subject, since: new Date(now.getTime() - limit.windowMs) };
  const blocking = await timesIn(db, window)
    .orderBy("created_at", "desc")
    .offset(limit.tries)
    .limit(1)
    .executeTakeFirst();
  if (blocking === undefined) return 0;
  return Math.max(1, blocking.created_at.getTime() + limit.windowMs - now.getTime());
}
