/** The Kysely type of the table in `schema/emails.ts`. */
import type { Generated } from "kysely";

export interface MailTables {
  email: {
    id: string;
    queue: string;
    sealed_message: Buffer;
    tries: Generated<number>;
    failure: string | null;
    next_try_at: Date;
    expires_at: Date;
    created_at: Date;
  };
}
