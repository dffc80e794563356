/** Checks responses: every retry of a key gets the same bytes, and the response matches the final state. */
import type { Charge, Refund } from "@oriel/protocol/api";
import type { Db } from "../../packages/server/src/platform/storage/database.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import type { Mistake } from "./mistake.ts";
import type { ApiResponse, KeyedRequest } from "./send.ts";

export async function checkResponses(db: Db, keyedRequests: readonly KeyedRequest[]): Promise<Mistake[]> {
  const attempts = Map.groupBy(
    await db.selectFrom("attempt").selectAll().execute(),
    (attempt) => attempt.idempotency_key,
  );
  const charges = new Map((await db.selectFrom("charge").selectAll().execute()).map((row) => [row.id, row]));
  const refunds = new Map((await db.selectFrom("refund").selectAll().execute()).map((row) => [row.id, row]));
  return keyedRequests.flatMap((sent): Mistake[] => {
    const [first] = sent.responses;
    if (first === undefined) return [{ kind: "stuck", what: `${sent.key} for ${sent.path} never got a response` }];
    const why =
      differenceOf(sent.responses) ??
      faultOfAttempts(first, attempts.get(sent.key) ?? []) ??
      (sent.path === "/api/v1/refunds" ? faultOfRefund(first, refunds) : faultOfCharge(sent.path, first, charges));
    return why === null ? [] : [{ kind: "response", what: `${sent.key} for ${sent.path}: ${why}` }];
  });
}

function differenceOf(responses: readonly ApiResponse[]): string | null {
  const different = new Set(responses.map(({ status, text }) => `${status} ${text}`));
  return different.size === 1 ? null : `got different responses: ${[...different].join(" | ")}`;
}

/**
 * An approval requires an attempt that the acquirer approved. A decline requires one that it declined with the same
 * code. A request that Oriel refused must not have reached the acquirer.
 */
function faultOfAttempts({ status, text }: ApiResponse, attempts: readonly Row<"attempt">[]): string | null {
  if (attempts.length > 1) return `${attempts.length} attempts were made`;
  const [attempt] = attempts;
  if (attempt === undefined) return status === 402 ? "was declined without an attempt" : null;
  const { error, ...object } = JSON.parse(text) as { error?: { decline_code?: string } };
  if (status === 200 && isPending(object))
    return attempt.accepted_at === null ? `is pending, but the attempt ${attempt.id} wasn't accepted` : null;
  const said =
    status === 200 ? "approved null" : status === 402 ? `declined ${error?.decline_code}` : `refused ${text}`;
  const is = `${attempt.status} ${attempt.decline_code}`;
  return said === is ? null : `got "${said}", but the attempt ${attempt.id} is "${is}"`;
}

/** The acquirer accepted it, and any outcome can follow. */
function isPending(object: Partial<Pick<Charge, "pending_operation"> & Pick<Refund, "status">>): boolean {
  return (object.pending_operation ?? null) !== null || object.status === "pending";
}

function faultOfCharge(
  path: string,
  { status, text }: ApiResponse,
  charges: ReadonlyMap<string, Row<"charge">>,
): string | null {
  if (!path.startsWith("/api/v1/charges") || status !== 200) return null;
  const charge = JSON.parse(text) as Charge;
  const row = charges.get(charge.id);
  if (row === undefined) return `returned ${charge.id}, which doesn't exist`;
  // An authorized charge may have changed since. Every other status is final.
  const isStill = row.status === charge.status || (charge.status === "authorized" && row.status !== "failed");
  const isSame = isStill && row.amount === charge.amount && row.decision_id === charge.decision_id;
  const isCaptured = charge.status === "authorized" || row.amount_captured === charge.amount_captured;
  return isSame && isCaptured ? null : `returned ${text}, which is now ${JSON.stringify(row)}`;
}

function faultOfRefund({ status, text }: ApiResponse, refunds: ReadonlyMap<string, Row<"refund">>): string | null {
  if (status !== 200) return null;
  const refund = JSON.parse(text) as Refund;
  const row = refunds.get(refund.id);
  const isStill = refund.status === "pending" || row?.status === refund.status;
  const isSame = isStill && row?.amount === refund.amount && row.charge_id === refund.charge_id;
  return isSame ? null : `returned ${text}, which is now ${JSON.stringify(row)}`;
}
