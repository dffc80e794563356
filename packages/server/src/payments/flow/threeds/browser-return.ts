/**
 * Handles the browser's return from the ACS page, with a CRes or an Erro. Anyone can forge it, so it's only a hint: it
 * shortens the wait for the RReq to ten seconds, after which the payment fails. Forging one for your own payment gains
 * nothing. Forging one for another payment requires two IDs that no other browser has seen.
 */
import { sql } from "kysely";
import type { PlatformContext } from "../../../platform/context.ts";
import type { RowKey } from "../../../platform/storage/owned-by.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { resultMs, deadlineIn } from "../../threeds/deadlines.ts";
import { hasTransactionId } from "../../threeds/transaction-id.ts";

export interface BrowserReturn {
  threeDSServerTransID: string;
  acsTransID: string;
  /** The `transStatus` of a CRes or the error code of an Erro; null for anything else. */
  hint: string | null;
}

/**
 * Reads the form field `cres`: JSON in base64 or base64url, with or without padding.
 *
 * @returns null unless it contains one of our transaction IDs and one of the ACS's
 */
export function readBrowserReturn(field: string | undefined): BrowserReturn | null {
  const message = fieldsOf(field);
  const { threeDSServerTransID, acsTransID, messageType } = message;
  if (messageType !== "CRes" && messageType !== "Erro") return null;
  if (!isUuid(threeDSServerTransID) || !isUuid(acsTransID)) return null;
  const hint = message[messageType === "CRes" ? "transStatus" : "errorCode"];
  return { threeDSServerTransID, acsTransID, hint: typeof hint === "string" && /^\w{1,3}$/.test(hint) ? hint : null };
}

/**
 * Reads the `threeDSServerTransID` from a form field of the ACS, to find the session it belongs to.
 *
 * @returns null if the field contains none
 */
export function readTransactionId(field: string | undefined): string | null {
  const { threeDSServerTransID } = fieldsOf(field);
  return isUuid(threeDSServerTransID) ? threeDSServerTransID : null;
}

/**
 * challenge -> awaiting_result, if both transaction IDs match. Otherwise it changes nothing.
 *
 * @returns the authentication whose result has to be requested now, because a vendor's 3DS Server has it; otherwise null
 */
export async function recordBrowserReturn(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  owner: Tenant,
  { threeDSServerTransID, acsTransID, hint }: BrowserReturn,
): Promise<RowKey | null> {
  const time = now();
  const returned = await db
    .updateTable("authentication")
    .set({ status: "awaiting_result", browser_hint: hint, deadline: deadlineIn(resultMs, time) })
    // The caller requests it, so that the recovery doesn't at the same time.
    .set({
      result_requested_at: sql`case when server_trans_id is null then result_requested_at else ${time}::timestamptz end`,
    })
    .where(hasTransactionId(owner, threeDSServerTransID))
    .where("acs_trans_id", "=", acsTransID)
    .where("status", "=", "challenge")
    .returning(["account_no", "livemode", "id", "server_trans_id"])
    .executeTakeFirst();
  return returned === undefined || returned.server_trans_id === null ? null : returned;
}

function fieldsOf(field: string | undefined): Record<string, unknown> {
  try {
    // Node's base64url decoder accepts both alphabets.
    const message: unknown = JSON.parse(Buffer.from(field ?? "", "base64url").toString("utf8"));
    return typeof message === "object" && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}

/** The IDs of others may be in uppercase (RFC 9562, section 4). */
function isUuid(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f-]{36}$/i.test(value);
}
