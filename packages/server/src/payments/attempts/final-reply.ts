/** The reply that ends an attempt, and the columns that keep it. */
import type { DeclineCode } from "@oriel/protocol/declines";
import { noDetails, type AcquirerDetails, type AcquirerOutcome } from "@oriel/vault";
import type { Row } from "../../platform/storage/tables.ts";

/** An outcome that ends an attempt. */
export type FinalOutcome = Extract<AcquirerOutcome, { outcome: "approved" | "declined" }>;

export interface FinalReply {
  /** Null if the acquirer approved. */
  declineCode: DeclineCode | null;
  details: AcquirerDetails;
}

/** The columns of the attempt that ends with this reply. */
export function replyColumns({ declineCode, details }: FinalReply) {
  return {
    status: declineCode === null ? "approved" : "declined",
    decline_code: declineCode,
    ...detailColumns(details),
  } satisfies Partial<Row<"attempt">>;
}

export function detailColumns(details: AcquirerDetails) {
  return {
    acquirer_id: details.acquirerId,
    authorization_code: details.authorizationCode,
    avs_result: details.avsResult,
    cvc_result: details.cvcResult,
    network_transaction_id: details.networkTransactionId,
    refusal_code: details.refusal?.code ?? null,
    refusal_reason: details.refusal?.reason ?? null,
  } satisfies Partial<Row<"attempt">>;
}

/** What we know about an attempt that ends without a reply of its own. */
export function detailsOf(attempt: Row<"attempt">): AcquirerDetails {
  return { ...noDetails, acquirerId: attempt.acquirer_id };
}

/** The acquirer never processed the attempt, or has undone it. No money has moved. */
export function notProcessed(attempt: Row<"attempt">): Extract<FinalOutcome, { outcome: "declined" }> {
  return { outcome: "declined", declineCode: "processing_error", details: detailsOf(attempt) };
}
