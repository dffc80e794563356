/**
 * A one-time migration: reseals the records that were sealed before seals were bound to an account (migration 0017).
 * Each record and its row in `seal_to_bind` change in one transaction, so several processes can do this at the same
 * time, and if one dies, the next one continues. A record that can't be opened stays unchanged. Its next use fails and
 * is recorded in the audit log.
 */
import { sealRecord, type SealedRecord } from "./merchants/audit/sealed-records.ts";
import type { ServerKeys } from "./platform/server-keys.ts";
import type { Db, Tx } from "./platform/storage/database.ts";
import type { Row } from "./platform/storage/tables.ts";
import { tenantOf } from "./platform/tenant.ts";
import { detailsOf } from "./merchants/underwriting/applications.ts";
import { documentPart } from "./merchants/underwriting/documents.ts";
import { secretOf } from "./webhooks/webhook-endpoints.ts";

/** Must be called at startup, before any sealed record is opened. */
export async function bindSeals(db: Db, keys: ServerKeys): Promise<void> {
  while (await db.transaction().execute((tx) => bindNext(tx, keys))) continue;
}

/** Returns false when no record is left. */
async function bindNext(tx: Tx, keys: ServerKeys): Promise<boolean> {
  const next = await tx.selectFrom("seal_to_bind").selectAll().limit(1).forUpdate().executeTakeFirst();
  if (next === undefined) return false;
  await binders[next.kind](tx, keys, next.id);
  await tx.deleteFrom("seal_to_bind").where("kind", "=", next.kind).where("id", "=", next.id).execute();
  return true;
}

type Bind = (tx: Tx, keys: ServerKeys, id: string) => Promise<void>;

const binders: Record<Row<"seal_to_bind">["kind"], Bind> = {
  async webhook_endpoint(tx, keys, id) {
    const row = await tx.selectFrom("webhook_endpoint").selectAll().where("id", "=", id).executeTakeFirst();
    if (row === undefined || row.deleted_at !== null) return;
    const again = (sealed: Buffer) => reseal(keys, sealed, secretOf(tenantOf(row), id));
    const { sealed_secret, sealed_previous_secret: previous } = row;
    const bound = { sealed_secret: again(sealed_secret), sealed_previous_secret: previous && again(previous) };
    await tx.updateTable("webhook_endpoint").set(bound).where("id", "=", id).execute();
  },

  async application(tx, keys, id) {
    const row = await tx.selectFrom("application").selectAll().where("id", "=", id).executeTakeFirst();
    if (row === undefined) return;
    const sealed_details = reseal(keys, row.sealed_details, detailsOf(row.account_id, id));
    await tx.updateTable("application").set({ sealed_details }).where("id", "=", id).execute();
  },

  async application_document(tx, keys, id) {
    const row = await tx
      .selectFrom("application_document as document")
      .innerJoin("application", "application.id", "document.application_id")
      .innerJoin("application_document_content as content", "content.document_id", "document.id")
      .select(["application.account_id", "application_id", "sealed_name", "content.sealed"])
      .where("document.id", "=", id)
      .executeTakeFirst();
    if (row === undefined) return;
    const partOf = (part: "name" | "content") => documentPart(part, row.account_id, row.application_id, id);
    const sealed_name = reseal(keys, row.sealed_name, partOf("name"));
    const sealed = reseal(keys, row.sealed, partOf("content"));
    await tx.updateTable("application_document").set({ sealed_name }).where("id", "=", id).execute();
    await tx.updateTable("application_document_content").set({ sealed }).where("document_id", "=", id).execute();
  },
};

function reseal(keys: ServerKeys, sealed: Buffer, record: SealedRecord): Buffer {
  let text: string;
  try {
    text = keys.unseal(sealed, `${record.kind} ${record.id}`);
  } catch {
    return sealed;
  }
  return sealRecord(keys, record, text);
}
