/** Shared by all sign-in methods: password checks, audit entries, emails and errors. */
import { APIError } from "better-auth/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import { recordAudit, type AuditAction } from "../../../merchants/audit/audit-log.ts";
import type { Email } from "../../../merchants/emails/mailer.ts";
import { queueEmail } from "../../../merchants/emails/outbox.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { codesOf, passwordsOf } from "../../../merchants/sign-in/auth.ts";
import { linkEmails } from "../../../merchants/sign-in/emails.ts";
import { clearAttempts, countAttempt } from "../../../merchants/sign-in/lockout.ts";
import { faultOfPassword, verifyPassword } from "../../../merchants/sign-in/passwords.ts";
import type { Visitor } from "../../../merchants/sign-in/visitor.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Context } from "../../context.ts";
import { DashboardError } from "./errors.ts";

export function signInRecords(context: Context) {
  const { db, now, config } = context;
  const emails = linkEmails(config.dashboardOrigin);
  return {
    recordAction,
    notify,
    notifyIn,

    /** Records a change of the second factor in the audit log and emails the user about it. */
    async notifyOfChange(request: FastifyRequest, action: AuditAction, what: string): Promise<void> {
      await notify(action, emails.secondFactorChanged(request.visitor.email, what));
    },

    /** @throws DashboardError */
    async provePassword({ loginId }: Visitor, password: string, param?: string): Promise<void> {
      const key = passwordsOf(loginId);
      if (!(await countAttempt(db, key, now())).isAllowed) throw passwordWrong(param);
      const { hash } = await db
        .selectFrom("login_credential")
        .select("password as hash")
        .where("login_id", "=", loginId)
        .where("provider_id", "=", "credential")
        .executeTakeFirstOrThrow();
      if (hash === null || !(await verifyPassword({ hash, password }))) throw passwordWrong(param);
      await clearAttempts(db, key);
    },

    verifyTotp,

    /** @throws DashboardError */
    async proveCode({ loginId }: Visitor, code: string, headers: Headers): Promise<Response> {
      const response = await verifyTotp(code, headers);
      if (!response.ok) throw codeInvalid();
      await clearAttempts(db, codesOf(loginId));
      return response;
    },

    /** Runs better-auth's work after the response if its duration would reveal whether the email address has a user. */
    afterResponse(what: string, work: Promise<Response>): void {
      const check = async () => {
        const response = await work;
        if (!response.ok) throw new Error(`better-auth returned ${response.status}`);
      };
      context.inBackground(what, check());
    },

    /** Records that the session opened by better-auth's response used a second factor. */
    async recordSecondFactor(response: Response): Promise<void> {
      await db
        .updateTable("login_session")
        .set({ stepped_up_at: now() })
        .where("token", "=", tokenOf(response))
        .execute();
    },
  };

  async function verifyTotp(code: string, headers: Headers): Promise<Response> {
    return await catchApiError(context.auth.api.verifyTOTP({ body: { code }, headers, asResponse: true }));
  }

  /**
   * Records a change in the audit log and emails the user about it, both or neither. better-auth has committed the
   * change itself before.
   */
  async function notify(action: AuditAction, email: Email): Promise<void> {
    await db.transaction().execute(async (tx) => notifyIn(tx, action, email));
  }

  /** For a change that our own code makes, in the same transaction. */
  async function notifyIn(tx: Tx, action: AuditAction, email: Email): Promise<void> {
    await recordAudit(tx, { actor: actorName({ email: email.to }), action }, now());
    await queueEmail(context, tx, "sign-in", email);
  }

  async function recordAction(action: AuditAction, email: string): Promise<void> {
    await recordAudit(db, { actor: actorName({ email }), action }, now());
  }
}

/**
 * Turns an error that better-auth throws into a response. better-auth throws when our hook refuses a code because it
 * was already used or the limit is exceeded.
 */
export async function catchApiError(response: Promise<Response>): Promise<Response> {
  return await response.catch((error: unknown) => {
    if (error instanceof APIError) return new Response(null, { status: error.statusCode });
    throw error;
  });
}

/** Copies the session's cookies to the reply. */
export function relay(reply: FastifyReply, response: Response): void {
  for (const cookie of response.headers.getSetCookie()) void reply.header("set-cookie", cookie);
}

/** Returns the token of the session that a response opens. Reads the cookie: the body may name the previous session. */
export function tokenOf(response: Response): string {
  const cookie = response.headers.getSetCookie().find((text) => /session_token=[^;]/.test(text));
  const [, value = ""] = /session_token=([^;]+)/.exec(cookie ?? "") ?? [];
  return decodeURIComponent(value).split(".")[0] ?? "";
}

/** @param param the field with the password */
export function passwordWrong(param = "password"): DashboardError {
  return new DashboardError("password_wrong", "This password is incorrect.", param);
}

export function lastSecondFactor(): DashboardError {
  return new DashboardError("not_possible_now", "This is your only second factor. Set up another one first.");
}

export function notForOperators(): DashboardError {
  return new DashboardError("not_possible_now", "Operators sign in with a password and an authenticator app.");
}

export function codeInvalid(): DashboardError {
  return new DashboardError(
    "code_invalid",
    "This code is wrong or was already used. Wait for the next code, then try again.",
    "code",
  );
}

export function refuseUnsuitable(password: string, person: { email: string; name: string }): void {
  const fault = faultOfPassword(password, person);
  if (fault !== null) throw new DashboardError("password_unsuitable", fault, "password");
}

export function linkInvalid(): DashboardError {
  return new DashboardError("link_invalid", "This link has already been used or has expired. Request a new link.");
}
