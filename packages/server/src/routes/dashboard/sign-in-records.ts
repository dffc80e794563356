/** What every way of signing in shares: the limit on tries, the password asked for again, who is told of what, and what is refused. */
import type { FastifyReply, FastifyRequest } from "fastify";
import { recordAudit, type AuditAction } from "../../audit/audit-log.ts";
import type { Context } from "../../context.ts";
import { ApiError } from "../../errors.ts";
import { createRateLimiter } from "../../limits/rate-limit.ts";
import { actorName } from "../../members/members.ts";
import { ipNetwork } from "../../risk/ip-network.ts";
import { forgetTries, takeTry } from "../../sign-in/lockout.ts";
import { linkMails } from "../../sign-in/mails.ts";
import { verifyPassword } from "../../sign-in/passwords.ts";
import type { Visitor } from "../../sign-in/visitor.ts";
import { DashboardError } from "./errors.ts";

export function signInRecords(context: Context) {
  const { db, now, mailer, config } = context;
  const mails = linkMails(config.dashboardOrigin);
  const limiter = createRateLimiter(db);

  return {
    /** A hook: each try takes from its address's limit. */
    async limitTries(request: FastifyRequest): Promise<void> {
      const tries = config.rateLimits.signIn;
      if (request.method === "GET" || tries === null) return;
      const { allowed, resetSeconds } = await limiter.take(`sign-in from ${ipNetwork(request.ip) ?? "unreadable"}`, tries);
      if (!allowed) throw new ApiError("rate_limited", "Too many tries. Wait a little.", { retryAfterSeconds: resetSeconds });
    },

    note,

    /** To the audit log, and to the login's own address. */
    async tellChange(request: FastifyRequest, action: AuditAction, what: string): Promise<void> {
      await note(action, request, request.visitor.email);
      context.inBackground("send a mail", mailer.send(mails.secondFactorChanged(request.visitor.email, what)));
    },

    /** @throws DashboardError */
    async provePassword({ loginId }: Visitor, password: string): Promise<void> {
      const tried = `password of ${loginId}`;
      if (!(await takeTry(db, tried, now())).isAllowed) throw passwordWrong();
      const { hash } = await db
        .selectFrom("login_credential")
        .select("password as hash")
        .where("login_id", "=", loginId)
        .where("provider_id", "=", "credential")
        .executeTakeFirstOrThrow();
      if (hash === null || !(await verifyPassword({ hash, password }))) throw passwordWrong();
      await forgetTries(db, tried);
    },
  };

  async function note(action: AuditAction, request: { ip: string }, email: string): Promise<void> {
    await recordAudit(db, { actor: actorName({ email }), action, details: { address: request.ip } }, now());
  }
}

/** Hands on the session's cookies. */
export function relay(reply: FastifyReply, answer: Response): void {
  for (const cookie of answer.headers.getSetCookie()) void reply.header("set-cookie", cookie);
}

/** Of the session that this answer opens, out of its cookie: what better-auth says in the body may be the one before. */
export function tokenOf(answer: Response): string {
  const cookie = answer.headers.getSetCookie().find((text) => /session_token=[^;]/.test(text));
  const [, value = ""] = /session_token=([^;]+)/.exec(cookie ?? "") ?? [];
  return decodeURIComponent(value).split(".")[0] ?? "";
}

export function passwordWrong(): DashboardError {
  return new DashboardError("password_wrong", "This is not your password.", "password");
}

export function lastSecondFactor(): DashboardError {
  return new DashboardError("not_possible_now", "This is your only second factor. Set up another one first.");
}

export function notForOperators(): DashboardError {
  return new DashboardError("not_possible_now", "Operators sign in with password and authenticator app.");
}
