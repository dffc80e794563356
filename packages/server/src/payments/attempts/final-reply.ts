/** The reply that ends an attempt, and the columns that keep it. */
import type { DeclineCode } from "@oriel/protocol/declines";
import type { AcquirerDetails } from "@oriel/vault";
import type { Row } from "../../platform/storage/tables.ts";

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
    acquirer_id: details.acquirerId,
    authorization_code: details.authorizationCode,
    avs_result: details.avsResult,
    cvc_result: details.cvcResult,
    network_transaction_id: details.networkTransactionId,
    refusal_code: details.refusal?.code ?? null,
    refusal_reason: details.refusal?.reason ?? null,
  } satisfies Partial<Row<"attempt">>;
}

/** For attempts without a reply. */
export const noReplyColumns = {
  acquirer_id: null,
  authorization_code: null,
  avs_result: null,
  cvc_result: null,
  network_transaction_id: null,
  refusal_code: null,
  refusal_reason: null,
} satisfies Partial<Row<"attempt">>;
