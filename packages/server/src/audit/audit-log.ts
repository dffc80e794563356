/**
 * Who did what, for those who have to find out later. Rows are added and never changed (the database refuses), and none holds a secret or card
 * data: ids, names, addresses and reasons only.
 */
import type { VaultAuditEntry } from "@oriel/vault";
import type { Db } from "../storage/database.ts";
import { newId } from "../ids.ts";

export type AuditAction =
  | "account.created"
  | "account.suspended"
  | "account.resumed"
  | "api_key.created"
  | "api_key.rolled"
  | "api_key.revoked"
  | "authentication.failed"
  | "webhook_endpoint.created"
  | "webhook_endpoint.updated"
  | "webhook_endpoint.deleted"
  | "webhook_endpoint.secret_rotated"
  /** What the vault tells of itself; see `audit-vault.ts`. */
  | `vault.${VaultAuditEntry["what"]}`;

export interface AuditEntry {
  /** Who: `cli ann`, `service`, `address 192.0.2.1`. */
  actor: string;
  action: AuditAction;
  accountId?: string | null;
  /** What it was done to. */
  objectId?: string | null;
  /** Default `done`. */
  outcome?: "done" | "refused";
  details?: Record<string, string | number | boolean | null>;
}

/** With a transaction: written with the change it tells of, or not at all. */
export async function recordAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  const details = JSON.stringify(entry.details ?? {});
  if (/oriel_sk_|whsec_/.test(details)) throw new Error(`Bug: the audit entry ${entry.action} holds a secret`);
  await db
    .insertInto("audit_log")
    .values({
      id: newId("aud", now),
      account_id: entry.accountId ?? null,
      actor: entry.actor,
      action: entry.action,
      object_id: entry.objectId ?? null,
      outcome: entry.outcome ?? "done",
      details,
      created_at: now,
    })
    .execute();
}
