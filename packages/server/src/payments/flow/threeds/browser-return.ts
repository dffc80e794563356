/**
 * What the bank's page sends the browser back to us with: a CRes, or an Erro in its place. It is a hint, and anybody
 * can forge it. It can only end the wait for a challenge sooner: the bank's own word is then awaited for ten seconds,
 * and without it the payment fails. So whoever forges one for their own payment gains nothing, and for somebody else's
 * it takes two IDs that no other browser has seen.
 */
import type { PlatformContext } from "../../../platform/context.ts";
import { awaitingMs, deadlineIn } from "../../threeds/deadlines.ts";

export interface BrowserReturn {
  threeDSServerTransID: string;
  acsTransID: string;
  /** The CRes's transStatus or the Erro's code; null for anything else. */
  hint: string | null;
}

/**
 * Reads the field `cres` of the bank's form: JSON in base64 or base64url, padded or not.
 *
 * @returns null for anything that does not name a transaction of ours and one of the ACS's
 */
export function readBrowserReturn(field: string | undefined): BrowserReturn | null {
  const message = fieldsOf(field);
  const { threeDSServerTransID, acsTransID, messageType } = message;
  if (messageType !== "CRes" && messageType !== "Erro") return null;
  if (!isOurs(threeDSServerTransID) || !isTheirs(acsTransID)) return null;
  const hint = message[messageType === "CRes" ? "transStatus" : "errorCode"];
  return { threeDSServerTransID, acsTransID, hint: typeof hint === "string" && /^\w{1,3}$/.test(hint) ? hint : null };
}

/**
 * Whose a form of the bank's is: the threeDSServerTransID in its field, read in the same way; null for anything else.
 */
export function readTransactionId(field: string | undefined): string | null {
  const { threeDSServerTransID } = fieldsOf(field);
  return isOurs(threeDSServerTransID) ? threeDSServerTransID : null;
}

/** challenge -> awaiting_result, for the transaction whose ids both fit. Anything else changes nothing. */
export async function noteBrowserReturn(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  { threeDSServerTransID, acsTransID, hint }: BrowserReturn,
): Promise<void> {
  await db
    .updateTable("authentication")
    .set({ status: "awaiting_result", browser_hint: hint, deadline: deadlineIn(awaitingMs, now()) })
    .where("id", "=", threeDSServerTransID)
    .where("acs_trans_id", "=", acsTransID)
    .where("status", "=", "challenge")
    .execute();
}

function fieldsOf(field: string | undefined): Record<string, unknown> {
  try {
    const message: unknown = JSON.parse(Buffer.from(field ?? "", "base64url").toString("utf8")); // takes either alphabet
    return typeof message === "object" && message !== null ? { ...message } : {};
  } catch {
    return {};
  }
}

function isOurs(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f-]{36}$/.test(value);
}

/** May be in capitals (RFC 9562, 4). */
function isTheirs(value: unknown): value is string {
  return typeof value === "string" && /^[0-9a-f-]{36}$/i.test(value);
}
