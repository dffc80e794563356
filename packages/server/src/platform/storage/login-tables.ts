/** The Kysely types of the tables in `schema/sign-in.ts`. */
import type { Generated } from "kysely";
import type { Role } from "@oriel/protocol/dashboard/roles";

export interface LoginTables {
  login: {
    id: string;
    name: string;
    email: string;
    email_verified: boolean;
    image: string | null;
    two_factor_enabled: Generated<boolean>;
    /** The name for the account that is created when the email address is verified. */
    pending_account_name: string | null;
    created_at: Date;
    updated_at: Date;
  };
  login_session: {
    id: string;
    login_id: string;
    token: string;
    expires_at: Date;
    ip_address: string | null;
    user_agent: string | null;
    /**
     * When the user last entered the password and the second factor. Null: the session was opened with only a password,
     * by a user without a second factor.
     */
    stepped_up_at: Date | null;
    created_at: Date;
    updated_at: Date;
  };
  login_credential: {
    id: string;
    login_id: string;
    provider_id: string;
    /** An argon2id PHC string. */
    password: string | null;
  };
  login_verification: {
    id: string;
    identifier: string;
    value: string;
    expires_at: Date;
    created_at: Date;
    updated_at: Date;
  };
  login_second_factor: {
    id: string;
    login_id: string;
    verified: Generated<boolean>;
    /** Encrypted by better-auth. */
    secret: string;
    /** A sealed JSON array. */
    backup_codes: string;
    failed_verification_count: Generated<number>;
    locked_until: Date | null;
  };
  login_passkey: {
    id: string;
    login_id: string;
    name: string;
    /** base64url */
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    created_at: Date;
  };
  spent_code: { login_id: string; code: string; spent_at: Date };
  sign_in_failure: { email: string; failures: number; failed_at: Date; locked_until: Date | null };
  member: { account_no: number; login_id: string; role: Role; created_at: Date };
  invitation: {
    id: string;
    account_no: number;
    email: string;
    role: Role;
    token_hash: Buffer;
    /** The email address of the user who sent the invitation. */
    invited_by: string;
    created_at: Date;
    expires_at: Date;
    accepted_at: Date | null;
    revoked_at: Date | null;
  };
  operator: { login_id: string; created_at: Date };
}
