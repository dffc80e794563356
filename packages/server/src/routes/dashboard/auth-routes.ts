/**
 * Signing in and what belongs to it: `/auth`. What may be asked is listed here, each with its schema; better-auth does the work (`sign-in/auth.ts`).
 *
 * Refuses without telling whether an address has a login: signing up, signing in and asking for a new password answer the same either way, in
 * the same time. Every try takes from its address's limit, and wrong passwords count against the login (`lockout.ts`).
 */
import { APIError } from "better-auth/api";
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import {
  BeginTotp,
  ChangePassword,
  ConfirmTotp,
  NewRecoveryCodes,
  ProvePassword,
  Reset,
  ResetRequest,
  SecondFactor,
  SignIn,
  SignUp,
  StepUp,
  VerifyEmail,
  type Me,
  type RecoveryCodes,
  type Security,
  type SessionInfo,
  type SignedIn,
  type TotpSetup,
} from "@oriel/protocol/dashboard";
import type { Context } from "../../context.ts";
import { ApiError, missingInPath } from "../../errors.ts";
import { createRateLimiter, type Rate } from "../../limits/rate-limit.ts";
import { checkName } from "../../mail/check-name.ts";
import { membershipsOf } from "../../members/members.ts";
import { removeAuthenticator } from "../../sign-in/authenticator-app.ts";
import { hasPasskey, listPasskeys } from "../../sign-in/passkeys.ts";
import { forgetTries, takeTry } from "../../sign-in/lockout.ts";
import { linkMails } from "../../sign-in/mails.ts";
import { faultOfPassword, hashPassword } from "../../sign-in/passwords.ts";
import { codesOf } from "../../sign-in/auth.ts";
import { findVisitor, type Visitor } from "../../sign-in/visitor.ts";
import { unixSeconds } from "../../unix-seconds.ts";
import { closed } from "../params.ts";
import { DashboardError } from "./errors.ts";
import { headersOf } from "./guard.ts";
import { lastSecondFactor, notForOperators, passwordWrong, relay, signInRecords, tokenOf } from "./sign-in-records.ts";

/** Anybody can lock an address that nobody has: what that leaves in the audit log has a bound. */
const lockNotes: Rate = { perSecond: 1, burst: 100 };
const maxSignUps = 200;
const ById = Type.Object({ id: Type.String({ maxLength: 100 }) }, closed);

export function authRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now, mailer, config } = context;
  const mails = linkMails(config.dashboardOrigin);
  const { note, tellChange, provePassword, limitTries } = signInRecords(context);
  const limiter = createRateLimiter(db);
  const signingUp = { waiting: 0, last: Promise.resolve<unknown>(undefined) };

  return async (app) => {
    app.addHook("preValidation", limitTries);
    const open = { config: { needs: "nothing" } } as const;
    const inside = { config: { needs: "session" } } as const;
    const fresh = { config: { needs: "session", stepUp: true } } as const;

    app.post("/auth/sign-up", { ...open, schema: { body: SignUp } }, async (request) => {
      const { name, email, password, account_name = null } = request.body;
      checkName(name, "name");
      if (account_name !== null) checkName(account_name, "account_name");
      refuseUnsuitable(password, { email, name });
      const body = { name, email, password, pendingAccountName: account_name };
      if (signingUp.waiting >= maxSignUps)
        throw new ApiError("rate_limited", "Too many sign up just now. Wait a little.", { retryAfterSeconds: 5 });
      signingUp.waiting++;
      const headers = headersOf(request);
      // One after the other: each holds a connection to the database while it hashes.
      const signedUp = signingUp.last
        .then(() => auth.api.signUpEmail({ body, headers, asResponse: true }))
        .finally(() => signingUp.waiting--);
      signingUp.last = signedUp.catch(() => {});
      behindTheAnswer("sign up", signedUp);
      return { status: "mail_sent" };
    });

    app.post("/auth/verify-email", { ...open, schema: { body: VerifyEmail } }, async ({ body }) => {
      const answer = await auth.api.verifyEmail({ query: { token: body.token }, asResponse: true });
      if (!answer.ok) throw linkInvalid();
      return { status: "verified" };
    });

    app.post("/auth/sign-in", { ...open, schema: { body: SignIn } }, async (request, reply): Promise<SignedIn> => {
      const { email, password } = request.body;
      const { isAllowed, isLast } = await takeTry(db, email, now());
      if (!isAllowed) {
        await hashPassword(password); // takes as long as a look at it
        throw signInFailed();
      }
      const answer = await auth.api.signInEmail({ body: { email, password }, headers: headersOf(request), asResponse: true });
      if (answer.status === 403)
        throw new DashboardError("address_unverified", "Confirm your address first. We have just sent you another link.");
      if (!answer.ok) {
        if (isLast && (await limiter.take("audited locks", lockNotes)).allowed) await note("login.locked", request, email);
        throw signInFailed();
      }
      await forgetTries(db, email);
      const { twoFactorRedirect, token } = (await answer.json()) as { twoFactorRedirect?: boolean; token?: string }; // its own words
      if (token !== undefined && (await hasPasskey(db, email))) {
        // To better-auth the password was all that there is. Nobody has heard of this session yet.
        await db.deleteFrom("login_session").where("token", "=", token).execute();
        return { status: "passkey" };
      }
      relay(reply, answer);
      if (twoFactorRedirect) return { status: "second_factor" };
      await note("login.signed_in", request, email);
      return { status: "signed_in" };
    });

    app.post("/auth/second-factor", { ...open, schema: { body: SecondFactor } }, async (request, reply): Promise<SignedIn> => {
      const { code, recovery_code } = request.body;
      const headers = headersOf(request);
      if ((code === undefined) === (recovery_code === undefined))
        throw new ApiError("parameter_missing", "Send `code` or `recovery_code`, one of the two.", { param: "code" });
      // better-auth would look at the session's own codes instead, and count nothing.
      if ((await findVisitor(context, headers)).visitor !== null)
        throw new DashboardError("not_possible_now", "You are signed in already.");
      const answer =
        code === undefined
          ? await answerOf(auth.api.verifyBackupCode({ body: { code: recovery_code ?? "" }, headers, asResponse: true }))
          : await verifyTotp(code, headers);
      relay(reply, answer);
      if (!answer.ok) throw codeInvalid();
      const { user } = (await answer.json()) as { user: { id: string; email: string } }; // of the plugin two-factor
      await forgetTries(db, codesOf(user.id));
      await noteSecondFactor(answer);
      await note(code === undefined ? "login.recovery_code_used" : "login.signed_in", request, user.email);
      if (code === undefined)
        context.inBackground(
          "send a mail",
          mailer.send(mails.secondFactorChanged(user.email, "a recovery code was used to sign in")),
        );
      return { status: "signed_in" };
    });

    app.post("/auth/sign-out", open, async (request, reply) => {
      relay(reply, await auth.api.signOut({ headers: headersOf(request), asResponse: true }));
      return reply.header("clear-site-data", '"cache", "storage"').send({ status: "signed_out" });
    });

    app.post("/auth/reset-request", { ...open, schema: { body: ResetRequest } }, async (request) => {
      const { email } = request.body;
      const asked = auth.api.requestPasswordReset({ body: { email }, headers: headersOf(request), asResponse: true });
      behindTheAnswer("ask for a new password", asked);
      return { status: "mail_sent" };
    });

    app.post("/auth/reset", { ...open, schema: { body: Reset } }, async (request) => {
      const { token, password } = request.body;
      const login = await loginOfReset(token);
      if (login === undefined) throw linkInvalid();
      refuseUnsuitable(password, login);
      const answer = await auth.api.resetPassword({ body: { token, newPassword: password }, asResponse: true });
      if (!answer.ok) throw linkInvalid();
      await forgetTries(db, login.email);
      await note("login.password_reset", request, login.email);
      return { status: "password_set" };
    });

    app.get("/auth/me", inside, async ({ visitor }): Promise<Me> => ({
      login: {
        id: visitor.loginId,
        name: visitor.name,
        email: visitor.email,
        has_second_factor: visitor.hasSecondFactor,
      },
      memberships: visitor.hasSecondFactor ? await membershipsOf(db, visitor.loginId) : [],
      is_operator: visitor.isOperator,
      live: config.live,
      checkout_origin: config.checkoutOrigin,
      api_url: config.apiUrl,
    }));

    app.post("/auth/totp/begin", { ...fresh, schema: { body: BeginTotp } }, async (request): Promise<TotpSetup> => {
      await provePassword(request.visitor, request.body.password);
      const answer = await auth.api.enableTwoFactor({ body: request.body, headers: headersOf(request), asResponse: true });
      if (!answer.ok) throw new DashboardError("not_possible_now", "There is an authenticator app at this login already.");
      const { totpURI, backupCodes } = (await answer.json()) as { totpURI: string; backupCodes: string[] }; // of the plugin two-factor
      return { uri: totpURI, recovery_codes: backupCodes };
    });

    app.post("/auth/totp/confirm", { ...inside, schema: { body: ConfirmTotp } }, async (request, reply) => {
      const answer = await proveCode(request, request.body.code);
      relay(reply, answer);
      await noteSecondFactor(answer);
      await tellChange(request, "login.second_factor_added", "an authenticator app was set up");
      return { status: "confirmed" };
    });

    app.post("/auth/totp/remove", { ...fresh, schema: { body: ProvePassword } }, async (request) => {
      const { visitor, body } = request;
      if (visitor.isOperator) throw notForOperators();
      await provePassword(visitor, body.password);
      const outcome = await removeAuthenticator(db, visitor);
      if (outcome === "missing") throw new DashboardError("not_possible_now", "There is no authenticator app at this login.");
      if (outcome === "last") throw lastSecondFactor();
      await tellChange(request, "login.second_factor_removed", "the authenticator app was removed");
      return { status: "removed" };
    });

    app.post(
      "/auth/recovery-codes",
      { ...fresh, schema: { body: NewRecoveryCodes } },
      async (request): Promise<RecoveryCodes> => {
        await provePassword(request.visitor, request.body.password);
        const answer = await auth.api.generateBackupCodes({ body: request.body, headers: headersOf(request), asResponse: true });
        if (!answer.ok) throw new DashboardError("not_possible_now", "Set up an authenticator app first.");
        await tellChange(request, "login.recovery_codes_renewed", "new recovery codes were made");
        const { backupCodes } = (await answer.json()) as { backupCodes: string[] }; // of the plugin two-factor
        return { recovery_codes: backupCodes };
      },
    );

    app.post("/auth/step-up", { ...inside, schema: { body: StepUp } }, async (request) => {
      const { password, code } = request.body;
      await provePassword(request.visitor, password);
      await proveCode(request, code);
      const session = db.updateTable("login_session").set({ stepped_up_at: now() });
      await session.where("id", "=", request.visitor.sessionId).execute();
      return { status: "stepped_up" };
    });

    app.post("/auth/password", { ...fresh, schema: { body: ChangePassword } }, async (request, reply) => {
      const { current, password } = request.body;
      await provePassword(request.visitor, current);
      refuseUnsuitable(password, request.visitor);
      const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
      const answer = await auth.api.changePassword({ body, headers: headersOf(request), asResponse: true });
      if (!answer.ok) throw passwordWrong();
      relay(reply, answer);
      // Another session, and no younger than the one that it takes the place of: nobody gave a code for it.
      const { steppedUpAt: stepped_up_at, signedInAt: created_at } = request.visitor;
      await db.updateTable("login_session").set({ stepped_up_at, created_at }).where("token", "=", tokenOf(answer)).execute();
      await note("login.password_changed", request, request.visitor.email);
      context.inBackground("send a mail", mailer.send(mails.passwordChanged(request.visitor.email)));
      return { status: "password_set" };
    });

    app.get("/auth/security", inside, async ({ visitor }): Promise<Security> => ({
      sessions: await listSessions(visitor),
      passkeys: visitor.isOperator ? [] : await listPasskeys(db, visitor.loginId), // an operator's open nothing
      has_authenticator: visitor.hasAuthenticator,
      recovery_codes_left: visitor.hasAuthenticator ? await countRecoveryCodes(visitor) : 0,
    }));

    app.post("/auth/sessions/:id/revoke", { ...inside, schema: { params: ById } }, async (request) => {
      const ended = db.deleteFrom("login_session").where("id", "=", request.params.id);
      const { numDeletedRows } = await ended.where("login_id", "=", request.visitor.loginId).executeTakeFirst();
      if (numDeletedRows === 0n) throw missingInPath("session", request.params.id);
      await note("login.session_revoked", request, request.visitor.email);
      return { status: "revoked" };
    });

    app.post("/auth/sessions/revoke-others", inside, async (request) => {
      const others = db.deleteFrom("login_session").where("id", "!=", request.visitor.sessionId);
      await others.where("login_id", "=", request.visitor.loginId).execute();
      await note("login.session_revoked", request, request.visitor.email);
      return { status: "revoked" };
    });
  };

  async function verifyTotp(code: string, headers: Headers): Promise<Response> {
    return await answerOf(auth.api.verifyTOTP({ body: { code }, headers, asResponse: true }));
  }

  /** @throws DashboardError */
  async function proveCode(request: FastifyRequest, code: string): Promise<Response> {
    const answer = await verifyTotp(code, headersOf(request));
    if (!answer.ok) throw codeInvalid();
    await forgetTries(db, codesOf(request.visitor.loginId));
    return answer;
  }

  /** The session that this answer opens was opened with all that there is. */
  async function noteSecondFactor(answer: Response): Promise<void> {
    await db.updateTable("login_session").set({ stepped_up_at: now() }).where("token", "=", tokenOf(answer)).execute();
  }

  /** What takes longer for an address that has a login, or for one that has none, is not waited for. */
  function behindTheAnswer(what: string, work: Promise<Response>): void {
    const check = async () => {
      const answer = await work;
      if (!answer.ok) throw new Error(`better-auth answered ${answer.status}`);
    };
    context.inBackground(what, check());
  }

  async function loginOfReset(token: string) {
    return await db
      .selectFrom("login_verification")
      .innerJoin("login", "login.id", "login_verification.value")
      .select(["login.email", "login.name"])
      .where("identifier", "=", `reset-password:${token}`)
      .where("expires_at", ">", new Date())
      .executeTakeFirst();
  }

  async function listSessions(visitor: Visitor): Promise<SessionInfo[]> {
    const rows = await db
      .selectFrom("login_session")
      .select(["id", "ip_address", "user_agent", "created_at", "updated_at"])
      .where("login_id", "=", visitor.loginId)
      .where("expires_at", ">", new Date())
      .orderBy("updated_at", "desc")
      .limit(100)
      .execute();
    return rows.map((row) => ({
      id: row.id,
      is_this_one: row.id === visitor.sessionId,
      ip: row.ip_address ?? "",
      user_agent: row.user_agent ?? "",
      created: unixSeconds(row.created_at),
      last_used: unixSeconds(row.updated_at),
    }));
  }

  async function countRecoveryCodes({ loginId }: Visitor): Promise<number> {
    const answer = await auth.api.viewBackupCodes({ body: { userId: loginId } }).catch(() => null);
    return answer?.backupCodes.length ?? 0;
  }
}

/** A code that was looked at before, or is one too many, is refused by our hook, which better-auth throws instead of answering. */
async function answerOf(asked: Promise<Response>): Promise<Response> {
  return await asked.catch((error: unknown) => {
    if (error instanceof APIError) return new Response(null, { status: error.statusCode });
    throw error;
  });
}

function refuseUnsuitable(password: string, person: { email: string; name: string }): void {
  const fault = faultOfPassword(password, person);
  if (fault !== null) throw new DashboardError("password_unsuitable", fault, "password");
}

function signInFailed(): DashboardError {
  return new DashboardError(
    "sign_in_failed",
    "Address and password do not fit. After ten wrong ones a login rests for half an hour; a new password by mail ends that.",
  );
}

function codeInvalid(): DashboardError {
  return new DashboardError("code_invalid", "This code is wrong, or was used before. Wait for the next one.", "code");
}

function linkInvalid(): DashboardError {
  return new DashboardError("link_invalid", "This link was used, or is too old. Ask for a new one.");
}
