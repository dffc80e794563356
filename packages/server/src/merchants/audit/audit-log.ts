/**
 * The audit log: who did what, and when. Rows can only be added, because the database refuses changes. They contain
 * IDs, names, addresses and reasons, but never secrets or card data.
 *
 * Each row contains a hash of itself and the previous row. The database computes it (`schema/audit.ts`), and
 * `verify-chain.ts` verifies it. Because each row depends on the one before it, transactions that write to the log wait
 * for each other. To keep the wait short, {@link recordAudit} writes the row just before the commit.
 */
import { Transaction } from "kysely";
import type { VaultAuditEntry } from "@oriel/vault";
import { newId } from "../../platform/ids.ts";
import { beforeCommit } from "../../platform/storage/commit-hooks.ts";
import type { Db } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import { requestAddress } from "./request-address.ts";

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
  | "account.new_customers_changed"
  | "account.renamed"
  | "account.acquirer_set"
  | "account.acquirer_removed"
  | "acquirer_account.created"
  | "acquirer_account.replaced"
  | "acquirer_account.changed"
  | "checkout_session.tested"
  /** Requested in the dashboard. The acquirer's result is recorded with the payment. */
  | "payment.refunded"
  | "payment.captured"
  | "payment.canceled"
  /** A person ended a payment, capture, cancellation, refund or reversal whose outcome was missing. */
  | "payment.marked_failed"
  | "attention.resolved"
  | "payment_method.detached"
  | "event.redelivered"
  | "login.signed_in"
  | "login.recovery_code_used"
  | "login.locked"
  | "login.password_reset"
  | "login.password_changed"
  | "login.second_factor_added"
  | "login.second_factor_removed"
  | "login.second_factor_replaced"
  | "login.recovery_codes_renewed"
  | "login.session_revoked"
  /** On the command line: the user has to set up signing in again. */
  | "login.reset"
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
  /** A document was read by an operator. */
  | "application.document_read"
  /** One of the service's sealed records couldn't be opened; see `sealed-records.ts`. */
  | "service.seal_broken"
  /** Reported by the vault; see `audit-vault.ts`. */
  | `vault.${VaultAuditEntry["what"]}`;

/** Actions on an account that only operators can take. */
export const operatorActions: readonly AuditAction[] = [
  "account.suspended",
  "account.resumed",
  "account.acquirer_set",
  "account.acquirer_removed",
  "acquirer_account.created",
  "acquirer_account.replaced",
  "acquirer_account.changed",
  "application.review_started",
  "application.information_requested",
  "application.approved",
  "application.rejected",
];

export interface AuditEntry {
  /** Who acted, such as `cli ann`, `service` or `address 192.0.2.1`. */
  actor: string;
  action: AuditAction;
  /** The account's number. The row has its ID. */
  accountNo?: number | null;
  /** The object that the action changed. */
  objectId?: string | null;
  /** The default is `done`. */
  outcome?: "done" | "refused";
  details?: Record<string, string | number | boolean | null>;
}

/**
 * Writes an entry. In a transaction, the entry is written just before the commit, together with the change. Unless the
 * service acted by itself, the details of an entry from a request contain the IP address it came from.
 */
export async function recordAudit(db: Db, entry: AuditEntry, now: Date): Promise<void> {
  const address = entry.actor === "service" ? undefined : requestAddress();
  const details = JSON.stringify({ ...entry.details, address });
  if (/oriel_sk_(test|live)_\w{30}|whsec_[\w+/]{30}/.test(details))
    throw new Error(`Bug: the audit entry ${entry.action} contains a secret`);
  const values = {
    id: newId("aud", now),
    account_no: entry.accountNo ?? null,
    actor: entry.actor,
    action: entry.action,
    object_id: entry.objectId ?? null,
    outcome: entry.outcome ?? "done",
    details,
    created_at: now,
  };
  const write = async () => void (await append(db, values));
  if (db instanceof Transaction) beforeCommit(db, write);
  else await write();
}

const append = statement(/* sql */ `
  insert into audit_log (id, account_id, actor, action, object_id, outcome, details, created_at)
  select :id, (select id from account where account_no = :account_no), :actor, :action, :object_id, :outcome, :details,
    :created_at`);
