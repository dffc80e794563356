/** Shared by all sign-in methods: password checks, audit entries, emails and errors. */
import { APIError } from "better-auth/api";
import type { FastifyReply, FastifyRequest } from "fastify";
import { recordAudit, type AuditAction } from "../../../merchants/audit/audit-log.ts";
import type { Mail } from "../../../merchants/mail/mailer.ts";
import { queueEmail } from "../../../merchants/mail/outbox.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { codesOf, passwordsOf } from "../../../merchants/sign-in/auth.ts";
import { forgetTries, takeTry } from "../../../merchants/sign-in/lockout.ts";
import { linkMails } from "../../../merchants/sign-in/mails.ts";
import { faultOfPassword, verifyPassword } from "../../../merchants/sign-in/passwords.ts";
import type { Visitor } from "../../../merchants/sign-in/visitor.ts";
import type { Tx } from "../../../platform/storage/database.ts";
import type { Context } from "../../context.ts";
import { DashboardError } from "./errors.ts";

export function signInRecords(context: Context) {
  const { db, now, config } = context;
  const mails = linkMails(config.dashboardOrigin);
  return {
    note,
    notify,
    notifyIn,

    /** Records a change of the second factor in the audit log and emails the user about it. */
    async notifyOfChange(request: FastifyRequest, action: AuditAction, what: string): Promise<void> {
      await notify(action, mails.secondFactorChanged(request.visitor.email, what));
    },

    /** @throws DashboardError */
    async provePassword({ loginId }: Visitor, password: string, param?: string): Promise<void> {
      const tried = passwordsOf(loginId);
      if (!(await takeTry(db, tried, now())).isAllowed) throw passwordWrong(param);
      const { hash } = await db
        .selectFrom("login_credential")
        .select("password as hash")
        .where("login_id", "=", loginId)
        .where("provider_id", "=", "credential")
        .executeTakeFirstOrThrow();
      if (hash === null || !(await verifyPassword({ hash, password }))) throw passwordWrong(param);
      await forgetTries(db, tried);
    },

    verifyTotp,

    /** @throws DashboardError */
    async proveCode({ loginId }: Visitor, code: string, headers: Headers): Promise<Response> {
      const answer = await verifyTotp(code, headers);
      if (!answer.ok) throw codeInvalid();
      await forgetTries(db, codesOf(loginId));
      return answer;
    },

    /** Runs better-auth's work after the response if its duration would reveal whether the email address has a user. */
    afterResponse(what: string, work: Promise<Response>): void {
      const check = async () => {
        const answer = await work;
        if (!answer.ok) throw new Error(`better-auth returned ${answer.status}`);
      };
      context.inBackground(what, check());
    },

    /** Records that the session opened by better-auth's response used a second factor. */
    async noteSecondFactor(answer: Response): Promise<void> {
      await db
        .updateTable("login_session")
        .set({ stepped_up_at: now() })
        .where("token", "=", tokenOf(answer))
        .execute();
    },
  };

  async function verifyTotp(code: string, headers: Headers): Promise<Response> {
    return await answerOf(context.auth.api.verifyTOTP({ body: { code }, headers, asResponse: true }));
  }

  /**
   * Records a change in the audit log and emails the user about it, both or neither. better-auth has committed the change
   * itself before.
   */
  async function notify(action: AuditAction, mail: Mail): Promise<void> {
    await db.transaction().execute(async (tx) => notifyIn(tx, action, mail));
  }

  /** For a change that our own code makes, in the same transaction. */
  async function notifyIn(tx: Tx, action: AuditAction, mail: Mail): Promise<void> {
    await recordAudit(tx, { actor: actorName({ email: mail.to }), action }, now());
    await queueEmail(context, tx, "sign-in", mail);
  }

  async function note(action: AuditAction, email: string): Promise<void> {
    await recordAudit(db, { actor: actorName({ email }), action }, now());
  }
}

/**
 * Turns an error that better-auth throws into a response. better-auth throws when our hook refuses a code because it
 * was already used or the limit is exceeded.
 */
export async function answerOf(response: Promise<Response>): Promise<Response> {
  return await response.catch((error: unknown) => {
    if (error instanceof APIError) return new Response(null, { status: error.statusCode });
    throw error;
  });
}

/** Copies the session's cookies to the reply. */
export function relay(reply: FastifyReply, answer: Response): void {
  for (const cookie of answer.headers.getSetCookie()) void reply.header("set-cookie", cookie);
}

/** Returns the token of the session that a response opens. Reads the cookie: the body may name the previous session. */
export function tokenOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie().find((text) => /session_token=[^;]/.test(text));
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
