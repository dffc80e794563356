/**
 * The documents of an application: names are what their sender calls them, and each is a download, never shown here.
 */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApplicationDocument, DocumentKind, DocumentType } from "@oriel/protocol/dashboard-underwriting";
import { Moment } from "../../parts/moment.tsx";
import { RecordTable } from "../../parts/record-table.tsx";

export interface DocumentTableProps {
  documents: readonly ApplicationDocument[];
  hrefOf: (id: string) => string;
  /** What else can be done with one. */
  actionOf?: (document: ApplicationDocument) => ReactNode;
}

export function DocumentTable({ documents, hrefOf, actionOf }: DocumentTableProps) {
  return (
    <RecordTable
      label="List of documents"
      items={documents}
      rowKey={({ id }) => id}
      empty="No documents."
      columns={[
        {
          name: "Name",
          cell: ({ id, name }) => (
            // Named by the service: what the sender calls it stays a text.
            <Anchor href={hrefOf(id)} download inherit className="document-name" title={name}>
              {name}
            </Anchor>
          ),
        },
        { name: "What it is", cell: ({ kind }) => kindNames[kind] },
        { name: "File", cell: ({ type, size }) => `${typeNames[type]}, ${sizeText(size)}` },
        { name: "Added", cell: ({ created }) => <Moment at={created} /> },
        ...(actionOf === undefined ? [] : [{ name: "Actions", isNameHidden: true, cell: actionOf }]),
      ]}
    />
  );
}

export const kindNames: Readonly<Record<DocumentKind, string>> = {
  registration: "Registration of the business",
  identity: "Identity of an owner",
  bank_statement: "Bank statement",
  other: "Something else",
};

const typeNames: Readonly<Record<DocumentType, string>> = {
  "application/pdf": "PDF",
  "image/png": "PNG",
  "image/jpeg": "JPEG",
};

/** @example sizeText(1_500_000) // "1.4 MB" */
export function sizeText(bytes: number): string {
  if (bytes < 1024 * 1024) return `${Math.max(1, Math.round(bytes / 1024))} kB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}
