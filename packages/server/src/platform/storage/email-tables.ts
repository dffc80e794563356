/** The Kysely type of the table in `schema/emails.ts` and `schema/late-emails.ts`. */
import type { Generated } from "kysely";

export interface EmailTables {
  email: {
    id: string;
    queue: string;
    sealed_message: Buffer;
    tries: Generated<number>;
    failure: string | null;
    next_try_at: Date;
    expires_at: Date;
    created_at: Date;
    due_at: Date | null;
    refusals: Generated<number>;
    about: string | null;
  };
}
