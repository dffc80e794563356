/**
 * The documents of an application. Content and name are stored in the database, sealed for the account, the application
 * and the document's ID. The service never displays a document; users download it as a file.
 *
 * The routes' guard has checked that the caller may act for the account or is an operator. Only well-formed files of
 * three types are accepted (`read-document.ts`), up to the limits of an application.
 */
import {
  maxDocuments,
  maxDocumentsBytes,
  type ApplicationDocument,
  type DocumentKind,
  type DocumentType,
} from "@oriel/protocol/dashboard/underwriting";
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { newId, tenantOfId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { openRecord, sealRecord, type OpensSeals, type SealedRecord } from "../sealing/sealed-records.ts";
import { lockOpen } from "./application-state.ts";
import { readDocument } from "./read-document.ts";

export interface NewDocument {
  kind: DocumentKind;
  /** The file name as uploaded, which is untrusted. */
  name: string;
  /** The content type as uploaded. */
  declared: DocumentType;
  bytes: Buffer;
}

export interface Download {
  /** A generated name. */
  fileName: string;
  content: Buffer;
}

const maxNameLength = 100;
const endings: Readonly<Record<DocumentType, string>> = {
  "application/pdf": "pdf",
  "image/png": "png",
  "image/jpeg": "jpg",
};

/**
 * Adds a document. A retry of an upload whose response was lost returns the document that the upload added.
 *
 * @param actor for the audit log
 * @throws ApiError if the file isn't accepted or a limit is exceeded
 * @returns `not_possible` if there is no application that the merchant can change
 */
export async function addDocument(
  context: OpensSeals,
  accountNo: number,
  { kind, name, declared, bytes }: NewDocument,
  actor: string,
): Promise<ApplicationDocument | "not_possible"> {
  const { db, keys } = context;
  const now = context.now();
  const reading = readDocument(bytes, declared);
  if ("fault" in reading) throw notAccepted(`The document ${reading.fault}.`);
  const { content } = reading;
  return await db.transaction().execute(async (tx) => {
    // Locked, so that concurrent uploads can't exceed the limits or add a document twice.
    const application = await lockOpen(tx, accountNo);
    if (application === undefined) return "not_possible";
    const before = await ownDocuments(tx, accountNo).where("application_id", "=", application.id).execute();
    for (const row of before) {
      const document = toDocument(context, accountNo, row);
      if (document.kind !== kind || document.type !== declared || document.name !== labelOf(name)) continue;
      if (document.size === content.length && (await contentOf(context, tx, accountNo, row))?.equals(content))
        return document;
    }
    if (before.length >= maxDocuments)
      throw notAccepted(`An application can have at most ${maxDocuments} documents. Delete a document first.`);
    if (before.reduce((sum, { size }) => sum + size, content.length) > maxDocumentsBytes)
      throw notAccepted(
        `An application's documents can have a total size of at most ${maxDocumentsBytes / 1024 / 1024} MB. Delete a document first.`,
      );
    const id = newId("doc", now, { accountNo, livemode: false });
    const row = await tx
      .insertInto("application_document")
      .values({
        account_no: accountNo,
        id,
        application_id: application.id,
        kind,
        type: declared,
        sealed_name: sealRecord(keys, documentPart("name", accountNo, application.id, id), labelOf(name)),
        size: content.length,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    const sealed = sealRecord(keys, documentPart("content", accountNo, application.id, id), content.toString("base64"));
    await tx
      .insertInto("application_document_content")
      .values({ account_no: accountNo, document_id: id, sealed })
      .execute();
    const details = { kind, type: declared, size: content.length };
    await recordAudit(tx, { actor, action: "application.document_added", accountNo, objectId: id, details }, now);
    return toDocument(context, accountNo, row);
  });
}

/**
 * @returns `missing` if the document doesn't exist or belongs to another account; `not_possible` if the application
 * can't be changed
 */
export async function deleteDocument(
  { db, now: clock }: Pick<PlatformContext, "db" | "now">,
  accountNo: number,
  id: string,
  actor: string,
): Promise<"deleted" | "missing" | "not_possible"> {
  const now = clock();
  return await db.transaction().execute(async (tx) => {
    const application = await lockOpen(tx, accountNo);
    if (application === undefined)
      return (await documentOf(tx, accountNo, id)) === undefined ? "missing" : "not_possible";
    const deleted = tx
      .deleteFrom("application_document")
      .where("account_no", "=", accountNo)
      .where("id", "=", id)
      .where("application_id", "=", application.id);
    const { numDeletedRows } = await deleted.executeTakeFirst();
    if (numDeletedRows === 0n) return "missing";
    await recordAudit(tx, { actor, action: "application.document_deleted", accountNo, objectId: id }, now);
    return "deleted";
  });
}

/** For the account's team. Returns undefined if the document doesn't exist or belongs to another account. */
export async function downloadOwnDocument(
  context: OpensSeals,
  accountNo: number,
  id: string,
): Promise<Download | undefined> {
  const row = await documentOf(context.db, accountNo, id);
  return row && (await download(context, accountNo, row));
}

/** For an operator, who can see an application's documents once it is submitted. */
export async function downloadDocument(
  context: OpensSeals,
  applicationId: string,
  id: string,
): Promise<Download | undefined> {
  const accountNo = tenantOfId(applicationId)?.accountNo;
  if (accountNo === undefined) return undefined;
  const row = await ownDocuments(context.db, accountNo)
    .innerJoin("application", (join) =>
      join
        .onRef("application.account_no", "=", "application_document.account_no")
        .onRef("application.id", "=", "application_document.application_id"),
    )
    .where("application_document.id", "=", id)
    .where("application.id", "=", applicationId)
    .where("application.submitted_at", "is not", null)
    .executeTakeFirst();
  return row && (await download(context, accountNo, row));
}

/** Returns the IDs of an application's documents in the order of their upload. */
export async function documentIds(db: Db, accountNo: number, applicationId: string): Promise<string[]> {
  const rows = ownDocuments(db, accountNo).where("application_id", "=", applicationId);
  return (await rows.orderBy("id").execute()).map(({ id }) => id);
}

/** Lists an application's documents in the order of their upload. */
export async function listDocuments(
  context: OpensSeals,
  accountNo: number,
  applicationId: string,
): Promise<ApplicationDocument[]> {
  const rows = ownDocuments(context.db, accountNo).where("application_id", "=", applicationId);
  return (await rows.orderBy("id").execute()).map((row) => toDocument(context, accountNo, row));
}

/**
 * Makes a file name safe to display: keeps the last part of a path, and removes control characters, line breaks and
 * characters that change the direction of text.
 *
 * @example labelOf("C:\\papers\\excerpt\r\n.pdf") // "excerpt.pdf"
 */
export function labelOf(name: string): string {
  const plain = withoutHidden(name.normalize("NFC").replace(/[\p{Cc}\p{Cs}\p{Co}]/gu, ""));
  const last = plain.split(/[/\\]/).at(-1) ?? "";
  return Array.from(last).slice(0, maxNameLength).join("").trim() || "document";
}

async function documentOf(db: Db, accountNo: number, id: string): Promise<Row<"application_document"> | undefined> {
  return await ownDocuments(db, accountNo).where("id", "=", id).executeTakeFirst();
}

function ownDocuments(db: Db, accountNo: number) {
  return db
    .selectFrom("application_document")
    .selectAll("application_document")
    .where("application_document.account_no", "=", accountNo);
}

async function download(
  context: OpensSeals,
  accountNo: number,
  document: Row<"application_document">,
): Promise<Download | undefined> {
  const content = await contentOf(context, context.db, accountNo, document);
  return content && { fileName: `${document.id}.${endings[document.type]}`, content };
}

/** @returns undefined if the document has just been deleted */
async function contentOf(
  context: OpensSeals,
  db: Db,
  accountNo: number,
  { id, application_id }: Row<"application_document">,
): Promise<Buffer | undefined> {
  const contents = db.selectFrom("application_document_content").select("sealed");
  const row = await contents.where("account_no", "=", accountNo).where("document_id", "=", id).executeTakeFirst();
  if (row === undefined) return undefined;
  const content = openRecord(context, documentPart("content", accountNo, application_id, id), row.sealed);
  return Buffer.from(content, "base64");
}

function toDocument(context: OpensSeals, accountNo: number, row: Row<"application_document">): ApplicationDocument {
  return {
    id: row.id,
    kind: row.kind,
    name: openRecord(context, documentPart("name", accountNo, row.application_id, row.id), row.sealed_name),
    type: row.type,
    size: row.size,
    created: unixSeconds(row.created_at),
  };
}

function notAccepted(message: string): ApiError {
  return new ApiError("parameter_invalid", message, { param: "document" });
}

export function documentPart(
  part: "name" | "content",
  accountNo: number,
  applicationId: string,
  id: string,
): SealedRecord {
  return { kind: `application_document.${part}`, accountNo, within: applicationId, id };
}
