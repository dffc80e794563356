/**
 * `/auth`, for signed-in users: second factor, recovery codes, password, sessions and step-up authentication. They use
 * better-auth (`merchants/sign-in/auth.ts`). Changes that grant access need step-up authentication.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import {
  BeginTotp,
  ChangePassword,
  ConfirmTotp,
  NewRecoveryCodes,
  ProvePassword,
  StepUp,
  type RecoveryCodes,
  type Security,
  type SessionInfo,
  type TotpSetup,
} from "@oriel/protocol/dashboard/sign-in";
import type { Context } from "../../context.ts";
import { missingInPath } from "../../../platform/errors.ts";
import { codesOf } from "../../../merchants/sign-in/auth.ts";
import { forgetTries } from "../../../merchants/sign-in/lockout.ts";
import { linkMails } from "../../../merchants/sign-in/mails.ts";
import { listPasskeys } from "../../../merchants/sign-in/passkeys.ts";
import { completeAppReplacement } from "../../../merchants/sign-in/replace-app.ts";
import { sessionMaxMs, type Visitor } from "../../../merchants/sign-in/visitor.ts";
import type { Db } from "../../../platform/storage/database.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import { ById } from "../params.ts";
import { DashboardError } from "./errors.ts";
import { headersOf } from "./guard.ts";
import {
  codeInvalid,
  lastSecondFactor,
  notForOperators,
  passwordWrong,
  refuseUnsuitable,
  relay,
  signInRecords,
  tokenOf,
} from "./sign-in-records.ts";

export function securityRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now, config } = context;
  const mails = linkMails(config.dashboardOrigin);
  const { note, notify, notifyIn, noteSecondFactor, notifyOfChange, provePassword, verifyTotp, limitTries } =
    signInRecords(context);

  return async (app) => {
    app.addHook("preValidation", limitTries);
    const inside = { config: { needs: "session" } } as const;
    const fresh = { config: { needs: "session", stepUp: true } } as const;

    app.post("/auth/totp/begin", { ...fresh, schema: { body: BeginTotp } }, async (request): Promise<TotpSetup> => {
      await provePassword(request.visitor, request.body.password);
      if (request.visitor.hasAuthenticator) {
        const { uri } = await auth.api.beginAppReplacement({ headers: headersOf(request) });
        return { uri, recovery_codes: [] };
      }
      const answer = await auth.api.enableTwoFactor({
        body: request.body,
        headers: headersOf(request),
        asResponse: true,
      });
      if (!answer.ok) throw appAlreadySetUp();
      const { totpURI, backupCodes } = (await answer.json()) as { totpURI: string; backupCodes: string[] }; // from better-auth's two-factor plugin
      return { uri: totpURI, recovery_codes: backupCodes };
    });

    app.post("/auth/totp/confirm", { ...inside, schema: { body: ConfirmTotp } }, async (request, reply) => {
      if (request.visitor.hasAuthenticator) {
        await replaceApp(request, request.body.code);
        return { status: "confirmed" };
      }
      const answer = await proveCode(request, request.body.code);
      relay(reply, answer);
      await noteSecondFactor(answer);
      await notifyOfChange(request, "login.second_factor_added", "an authenticator app was set up");
      return { status: "confirmed" };
    });

    app.post("/auth/totp/remove", { ...fresh, schema: { body: ProvePassword } }, async (request) => {
      const { visitor, body } = request;
      if (visitor.isOperator) throw notForOperators();
      await provePassword(visitor, body.password);
      const outcome = await removeAuthenticator(db, visitor);
      if (outcome === "missing")
        throw new DashboardError("not_possible_now", "You haven't set up an authenticator app.");
      if (outcome === "last") throw lastSecondFactor();
      await notifyOfChange(request, "login.second_factor_removed", "the authenticator app was removed");
      return { status: "removed" };
    });

    app.post(
      "/auth/recovery-codes",
      { ...fresh, schema: { body: NewRecoveryCodes } },
      async (request): Promise<RecoveryCodes> => {
        await provePassword(request.visitor, request.body.password);
        const answer = await auth.api.generateBackupCodes({
          body: request.body,
          headers: headersOf(request),
          asResponse: true,
        });
        if (!answer.ok) throw new DashboardError("not_possible_now", "Set up an authenticator app first.");
        await notifyOfChange(request, "login.recovery_codes_renewed", "new recovery codes were made");
        const { backupCodes } = (await answer.json()) as { backupCodes: string[] }; // from better-auth's two-factor plugin
        return { recovery_codes: backupCodes };
      },
    );

    app.post("/auth/step-up", { ...inside, schema: { body: StepUp } }, async (request) => {
      const { password, code } = request.body;
      await provePassword(request.visitor, password);
      // If the app's setup isn't confirmed yet, better-auth would take a correct code as the confirmation.
      if (!request.visitor.hasAuthenticator) throw codeInvalid();
      await proveCode(request, code);
      const session = db.updateTable("login_session").set({ stepped_up_at: now() });
      await session.where("id", "=", request.visitor.sessionId).execute();
      return { status: "stepped_up" };
    });

    app.post("/auth/password", { ...fresh, schema: { body: ChangePassword } }, async (request, reply) => {
      const { current, password } = request.body;
      await provePassword(request.visitor, current, "current");
      refuseUnsuitable(password, request.visitor);
      const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
      const answer = await auth.api.changePassword({ body, headers: headersOf(request), asResponse: true });
      if (!answer.ok) throw passwordWrong("current");
      relay(reply, answer);
      // The new session keeps the timestamps of the old one, because the user didn't enter a code for it.
      const { steppedUpAt: stepped_up_at, signedInAt: created_at } = request.visitor;
      await db
        .updateTable("login_session")
        .set({ stepped_up_at, created_at })
        .where("token", "=", tokenOf(answer))
        .execute();
      await notify("login.password_changed", mails.passwordChanged(request.visitor.email));
      return { status: "password_set" };
    });

    app.get("/auth/security", inside, async ({ visitor }): Promise<Security> => ({
      sessions: await listSessions(visitor),
      passkeys: visitor.isOperator ? [] : await listPasskeys(db, visitor.loginId), // operators can't use passkeys
      has_authenticator: visitor.hasAuthenticator,
      recovery_codes_left: visitor.hasAuthenticator ? await countRecoveryCodes(visitor) : 0,
    }));

    app.post("/auth/sessions/:id/revoke", { ...inside, schema: { params: ById } }, async (request) => {
      const ended = db.deleteFrom("login_session").where("id", "=", request.params.id);
      const { numDeletedRows } = await ended.where("login_id", "=", request.visitor.loginId).executeTakeFirst();
      if (numDeletedRows === 0n) throw missingInPath("session", request.params.id);
      await note("login.session_revoked", request.visitor.email);
      return { status: "revoked" };
    });

    app.post("/auth/sessions/revoke-others", inside, async (request) => {
      const others = db.deleteFrom("login_session").where("id", "!=", request.visitor.sessionId);
      await others.where("login_id", "=", request.visitor.loginId).execute();
      await note("login.session_revoked", request.visitor.email);
      return { status: "revoked" };
    });
  };

  /** @throws DashboardError */
  async function replaceApp(request: FastifyRequest, code: string): Promise<void> {
    const { visitor } = request;
    const checked = await auth.api.checkAppReplacement({ body: { code }, headers: headersOf(request) });
    if (checked.status === "not_pending") throw setupEnded();
    if (checked.status === "wrong_code") throw codeInvalid();
    const mail = mails.secondFactorChanged(visitor.email, "the authenticator app was replaced");
    await db.transaction().execute(async (tx) => {
      if (!(await completeAppReplacement(tx, visitor, checked.sealedSecret))) throw setupEnded();
      await forgetTries(tx, codesOf(visitor.loginId));
      await notifyIn(tx, "login.second_factor_replaced", mail);
    });
  }

  /** @throws DashboardError */
  async function proveCode(request: FastifyRequest, code: string): Promise<Response> {
    const answer = await verifyTotp(code, headersOf(request));
    if (!answer.ok) throw codeInvalid();
    await forgetTries(db, codesOf(request.visitor.loginId));
    return answer;
  }

  async function listSessions(visitor: Visitor): Promise<SessionInfo[]> {
    const rows = await db
      .selectFrom("login_session")
      .select(["id", "ip_address", "user_agent", "created_at", "updated_at"])
      .where("login_id", "=", visitor.loginId)
      .where("expires_at", ">", now())
      .where("created_at", ">", new Date(now().getTime() - sessionMaxMs))
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

/**
 * Removes the authenticator app unless it is the only second factor. Locks the user's row, so that the last passkey
 * can't be removed at the same time.
 */
async function removeAuthenticator(db: Db, { loginId }: Visitor): Promise<"removed" | "missing" | "last"> {
  return await db.transaction().execute(async (tx) => {
    const login = tx.selectFrom("login").select("two_factor_enabled").where("id", "=", loginId).forUpdate();
    if (!(await login.executeTakeFirstOrThrow()).two_factor_enabled) return "missing";
    const passkey = tx.selectFrom("login_passkey").select("id").where("login_id", "=", loginId);
    if ((await passkey.executeTakeFirst()) === undefined) return "last";
    await tx.deleteFrom("login_second_factor").where("login_id", "=", loginId).execute();
    await tx.updateTable("login").set({ two_factor_enabled: false }).where("id", "=", loginId).execute();
    return "removed";
  });
}

function appAlreadySetUp(): DashboardError {
  return new DashboardError("not_possible_now", "You have already set up an authenticator app.");
}

function setupEnded(): DashboardError {
  return new DashboardError(
    "not_possible_now",
    "This setup has expired or is already complete. If your new app isn't set up yet, start again.",
  );
}
