/**
 * Ends authentications whose deadline has passed. Requests the result one last time. If there is none, the outcome
 * depends on the state.
 */
import { hasId, hasKey, type RowKey } from "../../../platform/storage/owned-by.ts";
import type { Row, ThreeDSResult } from "../../../platform/storage/tables.ts";
import { modeOf } from "../../../platform/tenant.ts";
import { statesWithResult, type StateWithResult } from "../../../telemetry/metrics.ts";
import type { AttemptToRun } from "../../attempts/subject.ts";
import type { PaymentContext } from "../../context.ts";
import { deadlineIn, resultMs } from "../../threeds/deadlines.ts";
import { conclude } from "./conclude.ts";
import { requestResult } from "./request-result.ts";

export type Overdue = Pick<
  Row<"authentication">,
  keyof RowKey | "status" | "created_at" | "server_trans_id" | "browser_hint"
>;

/** Finds up to `limit` overdue authentications, or only that of one decision. */
export async function findOverdue(
  { db, nodes, now }: Pick<PaymentContext, "db" | "nodes" | "now">,
  of: { limit: number } | { decisionId: string },
): Promise<Overdue[]> {
  const overdue = db
    .selectFrom("authentication")
    .select(["account_no", "livemode", "id", "status", "created_at", "server_trans_id", "browser_hint"])
    .where("status", "!=", "complete")
    .where("deadline", "<=", now())
    .orderBy("deadline")
    .limit("limit" in of ? of.limit : 1);
  if ("decisionId" in of) return await overdue.where(hasId(of.decisionId, "decision_id")).execute();
  return await nodes.ofAllAccounts(async (isReachable) => await overdue.where(isReachable()).execute());
}

/** Ends one overdue authentication. @returns the attempt to run, or null if no charge started */
export async function endOverdue(context: PaymentContext, overdue: Overdue): Promise<AttemptToRun | null> {
  const { status } = overdue;
  if (status === "challenge" && overdue.server_trans_id !== null) {
    if (await endChallenge(context, overdue)) await requestResult(context, overdue);
    return null;
  }
  if (mayHaveResult(status) && (await requestResult(context, overdue)) === "ended") return null;
  const ended = await conclude(context, overdue, resultAtDeadline(overdue), {}, { overdue: status });
  if (ended !== null && mayHaveResult(status)) reportMissing(context, overdue, status);
  return ended?.attempt ?? null;
}

/**
 * challenge -> awaiting_result, without the browser. The customer may have passed the challenge and then disappeared. From
 * here on, the same request for the result is sent until there's a reply or the new deadline has passed.
 */
async function endChallenge({ db, now }: Pick<PaymentContext, "db" | "now">, overdue: Overdue): Promise<boolean> {
  const time = now();
  const { numUpdatedRows } = await db
    .updateTable("authentication")
    .set({ status: "awaiting_result", result_requested_at: time, deadline: deadlineIn(resultMs, time) })
    .where(hasKey(overdue))
    .where("status", "=", "challenge")
    .where("deadline", "<=", time)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** A bank that sends no results is a fault that only the operator and the bank can fix. */
function reportMissing(context: PaymentContext, { id, livemode, created_at }: Overdue, state: StateWithResult): void {
  const mode = modeOf({ livemode });
  const age = Math.round((context.now().getTime() - created_at.getTime()) / 1000);
  context.log.warn(
    { authentication: id, mode, state, age_s: age },
    "An authentication ended without its 3-D Secure result, because the bank didn't send one",
  );
  context.telemetry.resultMissing(mode, state);
}

function mayHaveResult(status: Overdue["status"]): status is StateWithResult {
  return statesWithResult.some((state) => state === status);
}

function resultAtDeadline({ status, server_trans_id, browser_hint }: Overdue): ThreeDSResult {
  switch (status) {
    case "authenticating":
      // The process died before it stored the directory server's response, which may have been a decline or a
      // challenge.
      return "protocol_error";
    case "awaiting_result":
      // Only the browser said that the challenge ended, if it came back at all. A forged return must not get a charge
      // without 3-D Secure.
      return server_trans_id !== null && browser_hint === null ? "timed_out" : "protocol_error";
    case "method":
    case "challenge":
    case "decoupled":
    case "complete":
      return "timed_out";
  }
}
