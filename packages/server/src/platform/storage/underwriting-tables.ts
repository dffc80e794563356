/** The tables of migration 0012, as Kysely sees them. */
import type { Generated } from "kysely";
import type { ApplicationStatus, DocumentKind, DocumentType } from "@oriel/protocol/dashboard-underwriting";

export interface UnderwritingTables {
  application: {
    id: string;
    account_id: string;
    status: ApplicationStatus;
    /** JSON of `ApplicationDetails`. */
    sealed_details: Buffer;
    /** What the merchant reads of the last decision. */
    reason: string | null;
    /** As the audit log names them. */
    bank_account_set_by: string | null;
    bank_account_set_at: Date | null;
    created_at: Date;
    /** For the last time. */
    submitted_at: Date | null;
    decided_at: Date | null;
  };
  application_transition: {
    position: Generated<number>;
    application_id: string;
    actor: string;
    from_status: ApplicationStatus | null;
    to_status: ApplicationStatus;
    reason: string | null;
    created_at: Date;
  };
  application_document: {
    id: string;
    application_id: string;
    kind: DocumentKind;
    type: DocumentType;
    /** People's names stand in what they call their files. */
    sealed_name: Buffer;
    size: number;
    created_at: Date;
  };
  application_document_content: { document_id: string; sealed: Buffer };
}
