/**
 * The documents of an application. Their names are user input. Documents can be downloaded but are never displayed.
 */
import { Anchor } from "@mantine/core";
import type { ReactNode } from "react";
import type { ApplicationDocument, DocumentKind, DocumentType } from "@oriel/protocol/dashboard/underwriting";
import { DateTime } from "../../parts/date-time.tsx";
import { RecordTable } from "../../parts/record-table.tsx";

export interface DocumentTableProps {
  documents: readonly ApplicationDocument[];
  hrefOf: (id: string) => string;
  /** Renders the actions for a document. */
  actionOf?: (document: ApplicationDocument) => ReactNode;
}

export function DocumentTable({ documents, hrefOf, actionOf }: DocumentTableProps) {
  return (
    <RecordTable
      label="Documents"
      items={documents}
      rowKey={({ id }) => id}
      empty="No documents."
      columns={[
        {
          name: "Name",
          cell: ({ id, name }) => (
            // The service names the downloaded file. The name that the sender gave it is only shown as text.
            <Anchor href={hrefOf(id)} download inherit className="document-name" title={name}>
              {name}
            </Anchor>
          ),
        },
        { name: "Type", cell: ({ kind }) => kindNames[kind] },
        { name: "File", cell: ({ type, size }) => `${typeNames[type]}, ${sizeText(size)}` },
        { name: "Added", cell: ({ created }) => <DateTime at={created} /> },
        ...(actionOf === undefined ? [] : [{ name: "Actions", isNameHidden: true, cell: actionOf }]),
      ]}
    />
  );
}

export const kindNames: Readonly<Record<DocumentKind, string>> = {
  registration: "Business registration",
  identity: "Owner's identity",
  bank_statement: "Bank statement",
  other: "Other",
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
