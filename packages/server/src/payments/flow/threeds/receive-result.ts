/**
 * Receives the result of a challenge or a decoupled authentication: an RReq, sent from server to server with the key
 * that we gave this mode's directory server. Only this message determines the outcome. The response goes out as soon as
 * the outcome is committed, and the charge runs after that.
 *
 * The first result counts. A repeat of it gets the same response, and a different one is refused. A result that arrives
 * after the customer canceled or the deadline passed is recorded and acknowledged. None of these changes the outcome.
 */
import { createHash } from "node:crypto";
import type { Erro, RReq, RRes } from "@oriel/protocol/threeds";
import { hasKey, ownedBy, sameOwner, type RowKey } from "../../../platform/storage/owned-by.ts";
import type { LateResult } from "../../../platform/storage/tables.ts";
import { ownerColumns, tenantOf, type Tenant } from "../../../platform/tenant.ts";
import type { PaymentContext } from "../../context.ts";
import { readResult } from "../../threeds/outcome.ts";
import { readRReq } from "../../threeds/read-rreq.ts";
import { anotherResult, erro, unknown, refuseRReq } from "../../threeds/refuse-rreq.ts";
import { runAttempt } from "../run-attempt.ts";
import { conclude } from "./conclude.ts";

/** @param owner the owner of the transaction. Undefined if it's unknown, or of another mode than the sender */
export async function receiveResult(
  context: PaymentContext,
  owner: Tenant | undefined,
  body: unknown,
): Promise<RRes | Erro> {
  const reading = readRReq(body);
  if (!reading.ok) return erro(reading, {}, reading.messageVersion);
  const { message } = reading;
  const { threeDSServerTransID, acsTransID, dsTransID, messageVersion } = message;

  context.nodes.requireNodeOf(owner?.accountNo);
  const authentication =
    owner && (await findAuthentication(context, { ...ownerColumns(owner), id: threeDSServerTransID }));
  if (authentication === undefined) return erro(unknown, { threeDSServerTransID, acsTransID }, messageVersion);
  const refusal = refuseRReq(message, authentication);
  if (refusal !== null) return erro(refusal, { threeDSServerTransID, acsTransID }, messageVersion);

  const rreq_digest = digestOf(message);
  const columns = { ...columnsOf(message), authentication_value: message.authenticationValue ?? null, rreq_digest };
  const ended = await conclude(context, authentication, readResult(message), columns);
  if (ended?.attempt) context.inBackground("attempt", runAttempt(context, ended.attempt));
  if (ended === null && !(await recordLateResult(context, authentication, message, rreq_digest))) {
    const firstDigest = await readFirstDigest(context, authentication);
    if (firstDigest?.equals(rreq_digest) !== true) {
      return erro(anotherResult(messageVersion), { threeDSServerTransID, acsTransID }, messageVersion);
    }
  }
  return { messageType: "RRes", messageVersion, threeDSServerTransID, acsTransID, dsTransID, resultsStatus: "01" };
}

function columnsOf(message: RReq) {
  return {
    trans_status: message.transStatus,
    trans_status_reason: message.transStatusReason ?? null,
    challenge_cancel: message.challengeCancel ?? null,
    eci: message.eci ?? null,
  };
}

/** A digest of all fields that we use, to compare two results without keeping more of the first. */
function digestOf(message: RReq): Buffer {
  const { transStatus, transStatusReason, authenticationType, authenticationValue, eci, challengeCancel } = message;
  const used = [transStatus, transStatusReason, authenticationType, authenticationValue, eci, challengeCancel];
  return createHash("sha256").update(JSON.stringify(used)).digest();
}

async function findAuthentication({ db }: PaymentContext, key: RowKey) {
  return await db
    .selectFrom("authentication")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "authentication.decision_id").on(sameOwner("decision", "authentication")),
    )
    .select(["authentication.account_no", "authentication.livemode", "authentication.id"])
    .select(["authentication.version", "authentication.flow", "acs_trans_id", "ds_trans_id", "decision.amount"])
    .where(ownedBy(tenantOf(key), "authentication"))
    .where("authentication.id", "=", key.id)
    .where("server_trans_id", "is", null) // a vendor's 3DS Server receives the others
    .executeTakeFirst();
}

/** @returns false if a result was already recorded */
async function recordLateResult(
  { db, now }: PaymentContext,
  key: RowKey,
  message: RReq,
  rreq_digest: Buffer,
): Promise<boolean> {
  const late: LateResult = { ...columnsOf(message), received_at: now().toISOString() };
  const { numUpdatedRows } = await db
    .updateTable("authentication")
    .set({ late_result: JSON.stringify(late), rreq_digest })
    .where(hasKey(key))
    .where("rreq_digest", "is", null)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

async function readFirstDigest({ db }: PaymentContext, key: RowKey): Promise<Buffer | null> {
  const authentication = db.selectFrom("authentication").select("rreq_digest").where(hasKey(key));
  return (await authentication.executeTakeFirstOrThrow()).rreq_digest;
}
