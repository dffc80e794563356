/**
 * The dashboard's errors as one line that a test can compare, and a session that is too old for routes that need a
 * step-up.
 */
import type { Visitor } from "./dashboard-visitor.ts";
import type { ApiResponse, TestService } from "./test-service.ts";

/** An error as `409 not_possible_now`, or `400 parameter_invalid name` if it names a field. A success as its status. */
export function refusalOf({ status, body }: ApiResponse): string {
  if (status < 400) return String(status);
  const { code, param, message } = body["error"] ?? {};
  if (!/^[^]{15,400}$/.test(String(message))) throw new Error(`No readable message: ${JSON.stringify(body)}`);
  return [status, code, param].filter((part) => part !== undefined).join(" ");
}

/** Makes the last step-up eleven minutes old. */
export async function expireStepUp({ context: { db } }: TestService, { email }: Visitor): Promise<void> {
  const login = db.selectFrom("login").select("id").where("email", "=", email);
  const elevenMinutesAgo = new Date(Date.now() - 11 * 60_000);
  const sessions = db.updateTable("login_session").set({ stepped_up_at: elevenMinutesAgo });
  await sessions.where("login_id", "in", login).execute();
}

/** The audit log of an account, oldest first: `api_key.created key_1 by login ann@shop.example`. */
export async function auditOf({ context: { db } }: TestService, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("audit_log")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .execute();
  return rows.map(({ action, object_id, actor }) => `${action} ${object_id} by ${actor}`);
}
