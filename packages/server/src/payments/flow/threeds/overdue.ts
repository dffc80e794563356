/**
 * Authentications whose deadline has passed: the bank is asked for its result a last time, and without one they end as
 * their state says.
 */
import type { PaymentContext } from "../../context.ts";
import type { Row, ThreeDSResult } from "../../../platform/storage/tables.ts";
import { askForResult, type Silent } from "./ask-for-result.ts";
import { conclude } from "./conclude.ts";

export type Overdue = Pick<Row<"authentication">, "id" | "status"> & Silent;

/** As many of all, or the one of a decision. */
export async function findOverdue(
  { db, now }: Pick<PaymentContext, "db" | "now">,
  of: { limit: number } | { decisionId: string },
): Promise<Overdue[]> {
  let overdue = db
    .selectFrom("authentication")
    .innerJoin("decision", "decision.id", "authentication.decision_id")
    .select(["authentication.id", "authentication.status", "decision.livemode"])
    .where("authentication.status", "!=", "complete")
    .where("deadline", "<=", now())
    .orderBy("deadline")
    .limit("limit" in of ? of.limit : 1);
  if ("decisionId" in of) overdue = overdue.where("decision_id", "=", of.decisionId);
  return await overdue.execute();
}

/** Ends one of them. Returns the attempt to run, if a charge began. */
export async function endOverdue(context: PaymentContext, overdue: Overdue): Promise<string | null> {
  const { id, status } = overdue;
  if (mayHaveResult(status) && (await askForResult(context, overdue)) === "ended") return null;
  return (await conclude(context, id, resultAtDeadline(status), {}, status))?.attemptId ?? null;
}

function mayHaveResult(status: Overdue["status"]): boolean {
  return status === "challenge" || status === "decoupled" || status === "awaiting_result";
}

function resultAtDeadline(status: Overdue["status"]): ThreeDSResult {
  switch (status) {
    case "authenticating":
      // Whoever asked the directory server died before its answer was written down. It may have been a no, or that the
      // customer must be asked.
      return "protocol_error";
    case "awaiting_result":
      // Only the browser says that it is over. Whoever forges that must not be charged without 3-D Secure for it.
      return "protocol_error";
    case "method":
    case "challenge":
    case "decoupled":
    case "complete":
      return "timed_out";
  }
}
