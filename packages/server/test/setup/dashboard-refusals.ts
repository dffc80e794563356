/**
 * How the dashboard says no, in one line that a test can compare; and a session that is too old for what needs a fresh
 * one.
 */
import type { Visitor } from "./dashboard-visitor.ts";
import type { Answer, TestService } from "./test-service.ts";

/**
 * `409 not_possible_now`, or with the field it is about `400 parameter_invalid name`; of a success the status alone.
 */
export function refusalOf({ status, body }: Answer): string {
  if (status < 400) return String(status);
  const { code, param, message } = body["error"] ?? {};
  if (!/^[^]{15,400}$/.test(String(message))) throw new Error(`No sentence for a person: ${JSON.stringify(body)}`);
  return [status, code, param].filter((part) => part !== undefined).join(" ");
}

/** As if password and code had been given eleven minutes ago. */
export async function letGoStale({ context: { db } }: TestService, { email }: Visitor): Promise<void> {
  const login = db.selectFrom("login").select("id").where("email", "=", email);
  const elevenMinutesAgo = new Date(Date.now() - 11 * 60_000);
  const sessions = db.updateTable("login_session").set({ stepped_up_at: elevenMinutesAgo });
  await sessions.where("login_id", "in", login).execute();
}

/** What the audit log has of an account, oldest first: `api_key.created key_1 by login ann@shop.example`. */
export async function auditOf({ context: { db } }: TestService, accountId: string): Promise<string[]> {
  const rows = await db
    .selectFrom("audit_log")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at")
    .execute();
  return rows.map(({ action, object_id, actor }) => `${action} ${object_id} by ${actor}`);
}
