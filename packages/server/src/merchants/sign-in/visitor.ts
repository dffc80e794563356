/**
 * The dashboard's visitor: the user whose session came with a request. The cookie's signature and the session's row are
 * checked on each request, so an ended session stops working with the next request.
 *
 * A request doesn't extend the session, because pages also send requests while nobody is there. Only `POST
 * /auth/activity` does, which the page sends when a person types, clicks, taps or scrolls.
 */
import { APIError } from "better-auth/api";
import type { Db } from "../../platform/storage/database.ts";
import type { Auth } from "./auth.ts";

export interface Visitor {
  loginId: string;
  name: string;
  email: string;
  sessionId: string;
  /** Whether the user has a confirmed authenticator app (TOTP) or, unless they are an operator, a passkey. */
  hasSecondFactor: boolean;
  /** Whether the user has a confirmed authenticator app. */
  hasAuthenticator: boolean;
  isOperator: boolean;
  signedInAt: Date;
  /** When the user last used a password with a second factor, or a passkey. */
  steppedUpAt: Date;
}

/** The maximum age of a session, even if it is in use. */
export const sessionMaxMs = 12 * 3_600_000;
/** How long step-up authentication is valid. */
export const stepUpMs = 10 * 60_000;

export interface FoundVisitor {
  /** Null if nobody is signed in. */
  visitor: Visitor | null;
  /** `Set-Cookie` values for the response. */
  cookies: string[];
}

/** @param headers the request's headers, including cookies */
export async function findVisitor(
  { auth, db, now }: { auth: Auth; db: Db; now: () => Date },
  headers: Headers,
): Promise<FoundVisitor> {
  const { response: found, headers: responseHeaders } = await auth.api
    .getSession({ headers, returnHeaders: true })
    .catch((error: unknown) => {
      if (error instanceof APIError) return { response: null, headers: new Headers() }; // the session has just ended
      throw error;
    });
  const cookies = responseHeaders.getSetCookie();
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
  // A passkey alone isn't enough for operators (PCI DSS 8.4.1).
  const hasAuthenticator = row.two_factor_enabled;
  const hasSecondFactor = hasAuthenticator || (!isOperator && Boolean(row.has_passkey));
  // The session was opened with only the password before the second factor was set up, perhaps by someone else.
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
