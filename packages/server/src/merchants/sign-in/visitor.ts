/**
 * Who is in front of the dashboard: the login whose session came with a request. Trusts the cookie's signature and the
 * row behind it, and reads both anew for each request, so that a session that was ended opens nothing from the next
 * request on.
 */
import { APIError } from "better-auth/api";
import type { Auth } from "./auth.ts";
import type { Db } from "../../platform/storage/database.ts";

export interface Visitor {
  loginId: string;
  name: string;
  email: string;
  sessionId: string;
  /** A TOTP that was confirmed, or a passkey. */
  hasSecondFactor: boolean;
  /** The first of the two. */
  hasAuthenticator: boolean;
  isOperator: boolean;
  signedInAt: Date;
  /** When password and second factor were last given. */
  steppedUpAt: Date;
}

/** However busy it is. */
export const sessionMaxMs = 12 * 3_600_000;
/** For how long what needs a fresh session may be done. */
export const stepUpMs = 10 * 60_000;

export interface FoundVisitor {
  /** Null: nobody is signed in. */
  visitor: Visitor | null;
  /** To be set with the answer: a session that was used lives on. */
  cookies: string[];
}

/** @param headers the request's, with its cookies */
export async function findVisitor(
  { auth, db, now }: { auth: Auth; db: Db; now: () => Date },
  headers: Headers,
): Promise<FoundVisitor> {
  const { response: found, headers: answered } = await auth.api
    .getSession({ headers, returnHeaders: true })
    .catch((error: unknown) => {
      if (error instanceof APIError) return { response: null, headers: new Headers() }; // it was ended at this very moment
      throw error;
    });
  const cookies = answered.getSetCookie();
  if (found === null) return { visitor: null, cookies };
  const row = await db
    .selectFrom("login_session as session")
    .innerJoin("login", "login.id", "session.login_id")
    .select(["login.id", "login.name", "login.email", "login.two_factor_enabled"])
    .select(["session.id as session_id", "session.created_at", "session.stepped_up_at"])
    .select(({ exists, selectFrom }) => [
      exists(selectFrom("login_passkey").select("id").whereRef("login_id", "=", "login.id")).as("has_passkey"),
      exists(selectFrom("operator").select("login_id").whereRef("login_id", "=", "login.id")).as("is_operator"),
    ])
    .where("session.id", "=", found.session.id)
    .executeTakeFirst();
  if (row === undefined) return { visitor: null, cookies };
  if (now().getTime() - row.created_at.getTime() > sessionMaxMs) {
    await db.deleteFrom("login_session").where("id", "=", row.session_id).execute();
    return { visitor: null, cookies: [] };
  }
  const { id: loginId, name, email } = row;
  const isOperator = Boolean(row.is_operator);
  // PCI DSS 8.4.1: for who may decide over accounts a passkey alone is not enough.
  const hasAuthenticator = row.two_factor_enabled;
  const hasSecondFactor = hasAuthenticator || (!isOperator && Boolean(row.has_passkey));
  // Opened by the password alone, before there was a second factor: by whom is not known.
  if (hasSecondFactor && row.stepped_up_at === null) return { visitor: null, cookies: [] };
  return {
    visitor: {
      loginId,
      name,
      email,
      sessionId: row.session_id,
      hasSecondFactor,
      hasAuthenticator,
      isOperator,
      signedInAt: row.created_at,
      steppedUpAt: row.stepped_up_at ?? row.created_at,
    },
    cookies,
  };
}
