/**
 * What the service keeps sealed in rows of its tables. A seal is bound to the kind of record, to its owner and to its
 * id. The owner is never read from the record's own row: it is the account of the request, or of the event or
 * application that the record is opened for. So a row that somebody moves to another account in the database doesn't
 * open there; the attempt is audited.
 */
import { recordAudit } from "./audit-log.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";

export type SealedKind =
  | "webhook_endpoint.secret"
  | "application.details"
  | "application_document.name"
  | "application_document.content";

export interface SealedRecord {
  kind: SealedKind;
  accountId: string;
  /** What else it belongs to: its mode, or its application. */
  within: string;
  id: string;
}

export type OpensSeals = Pick<PlatformContext, "db" | "keys" | "now" | "inBackground">;

export function sealRecord(keys: ServerKeys, record: SealedRecord, text: string): Buffer {
  return keys.seal(text, bindingOf(record));
}

/** @throws Error, which is answered with `internal_error`, when the record is not what was sealed for this owner */
export function openRecord(
  { db, keys, now, inBackground }: OpensSeals,
  record: SealedRecord,
  sealed: Uint8Array,
): string {
  try {
    return keys.unseal(sealed, bindingOf(record));
  } catch (error) {
    const { accountId, id: objectId, kind } = record;
    const entry = {
      actor: "service",
      action: "service.seal_broken",
      outcome: "refused",
      accountId,
      objectId,
      details: { what: kind },
    } as const;
    // Behind the answer: the caller may be in a transaction, which ends without having changed anything.
    inBackground("audit a broken seal", recordAudit(db, entry, now()));
    throw new Error(
      `The sealed ${kind} of ${objectId} does not open: it was changed, moved, or sealed under another key.`,
      {
        cause: error,
      },
    );
  }
}

function bindingOf({ kind, accountId, within, id }: SealedRecord): string {
  return JSON.stringify(["oriel.server.2", kind, accountId, within, id]);
}
