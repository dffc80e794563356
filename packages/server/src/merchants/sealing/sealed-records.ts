/**
 * Sealed records in the service's tables. A seal is bound to the record's kind, owner and ID. The owner is never read
 * from the record's row: it is the account of the request, or of the event or application that needs the record. So if
 * someone moves a row to another account in the database, it can't be opened there, and the attempt is recorded in the
 * audit log.
 */
import type { PlatformContext } from "../../platform/context.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import { recordAudit } from "../audit/audit-log.ts";

export type SealedKind =
  | "webhook_endpoint.secret"
  | "application.details"
  | "application_document.name"
  | "application_document.content"
  | "email.message";

export interface SealedRecord {
  kind: SealedKind;
  /** Null if the record belongs to no account. */
  accountNo: number | null;
  /** The mode, the application or the queue that the record belongs to. */
  within: string;
  id: string;
}

export type OpensSeals = Pick<PlatformContext, "db" | "keys" | "now" | "inBackground">;

export function sealRecord(keys: ServerKeys, record: SealedRecord, text: string): Buffer {
  return keys.seal(text, bindingOf(record));
}

/** @throws Error, which becomes `internal_error`, if the record wasn't sealed for this owner */
export function openRecord(
  { db, keys, now, inBackground }: OpensSeals,
  record: SealedRecord,
  sealed: Uint8Array,
): string {
  try {
    return keys.unseal(sealed, bindingOf(record));
  } catch (error) {
    const { accountNo, id: objectId, kind } = record;
    const entry = {
      actor: "service",
      action: "service.seal_broken",
      outcome: "refused",
      accountNo,
      objectId,
      details: { what: kind },
    } as const;
    // Written in the background, because the caller's transaction is about to roll back.
    inBackground("audit a broken seal", recordAudit(db, entry, now()));
    throw new Error(
      `The sealed ${kind} of ${objectId} can't be opened because it was changed, moved, or sealed with another key.`,
      {
        cause: error,
      },
    );
  }
}

function bindingOf({ kind, accountNo, within, id }: SealedRecord): string {
  return JSON.stringify(["oriel.server.2", kind, accountNo, within, id]);
}
