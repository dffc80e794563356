/**
 * Requests 3-D Secure results that didn't arrive. The directory server sends each result (RReq) a few times and then
 * gives up. If no process or database was available to receive it, the authentication would stay open even though it
 * has been decided. So we request the result. The response is the RReq that the directory server would have sent, and
 * `receive-result.ts` handles it the same way. If that isn't supported, the authentication ends at its deadline. A
 * vendor's 3DS Server doesn't send results, so each is requested (`vendor-result.ts`).
 */
import { sql } from "kysely";
import type { CardDirectoryServer } from "@oriel/vault";
import { acquirerFor } from "../../../merchants/accounts/live-mode.ts";
import { hasKey, ownedBy, sameOwner, type RowKey } from "../../../platform/storage/owned-by.ts";
import { takeDue } from "../../../platform/storage/per-owner.ts";
import { tenantOf } from "../../../platform/tenant.ts";
import type { PaymentContext } from "../../context.ts";
import { receiveResult } from "./receive-result.ts";
import { requestVendorResult } from "./vendor-result.ts";

/** The interval while the customer may still be at the challenge. */
const requestEveryMs = 30_000;
/** The interval after the browser has returned. It's short because the result is sent before the browser returns. */
const requestEveryAfterReturnMs = 2_000;

/**
 * Takes authentications whose result should be requested now: those not checked since this process started, and those
 * not checked for a while. Each one is returned to only one process.
 */
export async function takeMissingResults(
  context: Pick<PaymentContext, "db" | "nodes" | "now" | "log">,
  startedAt: Date,
  limit: number,
): Promise<RowKey[]> {
  const { db, now } = context;
  const time = now();
  const before = (ms: number) => new Date(time.getTime() - ms);
  const challengeCutoff = before(requestEveryMs) > startedAt ? before(requestEveryMs) : startedAt;
  const taken = await takeDue(context, {
    step: "request results",
    due: db
      .selectFrom("authentication")
      .select(["account_no", "livemode", "id"])
      .where("status", "!=", "complete") // Matches the index condition.
      .where(({ eb, and, or }) =>
        or([
          and([
            eb("status", "in", ["challenge", "decoupled"]),
            eb("server_trans_id", "is", null), // a vendor is only called after the challenge
            eb(lastRequested, "<", challengeCutoff),
          ]),
          and([eb("status", "=", "awaiting_result"), eb(lastRequested, "<", before(requestEveryAfterReturnMs))]),
        ]),
      )
      .orderBy("deadline"),
    limit,
    take: (areTaken) =>
      db
        .updateTable("authentication")
        .set({ result_requested_at: time })
        .where(areTaken)
        .returning(["account_no", "livemode", "id"])
        .execute(),
  });
  return taken.flat();
}

const lastRequested = sql<Date>`coalesce(result_requested_at, created_at)`;

/** `ended`: a result arrived and ended the authentication. `none`: no usable result. `silent`: no response. */
export type RequestedResult = "ended" | "none" | "silent";

export async function requestResult(context: PaymentContext, key: RowKey): Promise<RequestedResult> {
  const pending = await context.db
    .selectFrom("authentication")
    .innerJoin("decision", (join) =>
      join.onRef("decision.id", "=", "authentication.decision_id").on(sameOwner("decision", "authentication")),
    )
    .select(["authentication.account_no", "authentication.livemode", "authentication.id", "authentication.status"])
    .select(["browser_hint", "vendor_state", "decision.amount", "decision.currency", "acquirer_account_id"])
    .where(ownedBy(tenantOf(key), "authentication"))
    .where("authentication.id", "=", key.id)
    .executeTakeFirstOrThrow();
  const acquirer = await acquirerFor(context, tenantOf(key), pending.acquirer_account_id);
  if (acquirer === null) return "none";
  const { threeDS } = acquirer;
  const requested =
    threeDS.kind === "vendor"
      ? await requestVendorResult(context, threeDS, pending)
      : await requestRReq(context, threeDS, key);
  if (requested === "silent") await retrySoon(context, key);
  return requested;
}

async function requestRReq(
  context: PaymentContext,
  server: CardDirectoryServer,
  key: RowKey,
): Promise<RequestedResult> {
  const { id } = key;
  const result = await server.result(id);
  if (result === null) return "none";
  if (result === "silent") return "silent";
  const response = await receiveResult(context, tenantOf(key), result);
  const isReceived = response.messageType === "RRes" && response.threeDSServerTransID === id;
  const details = {
    authentication: id,
    ...(response.messageType === "Erro" && { code: response.errorCode, detail: response.errorDetail }),
  };
  if (isReceived) context.log.info(details, "Received a missing 3-D Secure result after requesting it");
  else context.log.warn(details, "Requested a missing 3-D Secure result, but the response couldn't be used");
  return isReceived ? "ended" : "none";
}

/** Makes the authentication due again for the next run of the recovery. */
async function retrySoon({ db }: Pick<PaymentContext, "db">, key: RowKey): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ result_requested_at: null })
    .where(hasKey(key))
    .where("status", "!=", "complete")
    .execute();
}
