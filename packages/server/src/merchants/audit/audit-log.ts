/**
 * Who did what, for those who have to find out later. Rows are added and never changed (the database refuses), and none
 * holds a secret or card data: ids, names, addresses and reasons only.
 *
 * Each row holds a hash of itself and of the row before it, which the database fills in (migration 0011) and
 * `verify-chain.ts` looks after. So that there is one row before each, transactions that write one wait for each other:
 * the row is written as the last thing before their commit, wherever {@link recordAudit} is called, and a transaction
 * that has it waits for nothing any more.
 */
import { Transaction } from "kysely";
import type { VaultAuditEntry } from "@oriel/vault";
import { beforeCommit } from "../../platform/storage/announce.ts";
import type { Db } from "../../platform/storage/database.ts";
import { newId } from "../../platform/ids.ts";

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
  | "webhook_endpoint.secret_revealed"
  | "webhook_endpoint.tested"
  | "account.settings_changed"
  | "account.renamed"
  | "account.acquirer_set"
  | "account.acquirer_removed"
  | "checkout_session.tested"
  /** Asked for in the dashboard. What the bank said to it stands with the payment. */
  | "payment.refunded"
  | "payment.captured"
  | "payment.canceled"
  | "payment_method.detached"
  | "event.redelivered"
  | "login.signed_in"
  | "login.recovery_code_used"
  | "login.locked"
  | "login.password_reset"
  | "login.password_changed"
  | "login.second_factor_added"
  | "login.second_factor_removed"
  | "login.recovery_codes_renewed"
  | "login.session_revoked"
  | "member.added"
  | "member.invited"
  | "member.invitation_revoked"
  | "member.role_changed"
  | "member.removed"
  | "operator.created"
  | "operator.removed"
  | "application.saved"
  | "application.submitted"
  | "application.review_started"
  | "application.information_requested"
  | "application.approved"
  | "application.rejected"
  | "application.document_added"
  | "application.document_deleted"
  /** By an operator. */
  | "application.document_read"
  /** A sealed record of the service did not open; see `sealed-records.ts`. */
  | "service.seal_broken"
  /** What the vault tells of itself; see `audit-vault.ts`. */
  | `vault.${VaultAuditEntry["what"]}`;

/** What operators do to an account, and nobody of its team. */
export const operatorActions: readonly AuditAction[] = [
  "account.suspended",
  "account.resumed",
  "account.acquirer_set",
  "account.acquirer_removed",
  "application.review_started",
  "application.information_requested",
  "application.approved",
  "application.rejected",
];

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

/** With a transaction: written with the change it tells of, at its end, or not at all. */
export async function recordAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  const details = JSON.stringify(entry.details ?? {});
  if (/oriel_sk_(test|live)_\w{30}|whsec_[\w+/]{30}/.test(details))
    throw new Error(`Bug: the audit entry ${entry.action} holds a secret`);
  const insertion = db.insertInto("audit_log").values({
    id: newId("aud", now),
    account_id: entry.accountId ?? null,
    actor: entry.actor,
    action: entry.action,
    object_id: entry.objectId ?? null,
    outcome: entry.outcome ?? "done",
    details,
    created_at: now,
  });
  if (db instanceof Transaction) beforeCommit(db, async () => void (await insertion.execute()));
  else await insertion.execute();
}
