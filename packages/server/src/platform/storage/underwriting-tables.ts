/** The Kysely types of the tables in `schema/underwriting.ts`. */
import type { Generated } from "kysely";
import type { ApplicationStatus, DocumentKind, DocumentType } from "@oriel/protocol/dashboard/underwriting";

export interface UnderwritingTables {
  application: {
    id: string;
    account_no: number;
    status: ApplicationStatus;
    /** `ApplicationDetails` as JSON. */
    sealed_details: Buffer;
    /** The reason for the last decision, shown to the merchant. */
    reason: string | null;
    /** In the audit log's format for actors. */
    bank_account_set_by: string | null;
    bank_account_set_at: Date | null;
    created_at: Date;
    /** When it was last submitted. */
    submitted_at: Date | null;
    decided_at: Date | null;
  };
  application_transition: {
    account_no: number;
    position: Generated<number>;
    application_id: string;
    actor: string;
    from_status: ApplicationStatus | null;
    to_status: ApplicationStatus;
    reason: string | null;
    created_at: Date;
  };
  application_document: {
    account_no: number;
    id: string;
    application_id: string;
    kind: DocumentKind;
    type: DocumentType;
    /** Sealed because file names often contain people's names. */
    sealed_name: Buffer;
    size: number;
    created_at: Date;
  };
  application_document_content: { account_no: number; document_id: string; sealed: Buffer };
}
