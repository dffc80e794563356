/**
 * `/auth`, for signed-in users: password, sessions and step-up authentication. They use better-auth
 * (`merchants/sign-in/auth.ts`). Setting a new password needs step-up authentication.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ChangePassword, StepUp, type Security, type SessionInfo } from "@oriel/protocol/dashboard/sign-in";
import { linkEmails } from "../../../merchants/sign-in/emails.ts";
import { listPasskeys } from "../../../merchants/sign-in/passkeys.ts";
import { sessionMaxMs, type Visitor } from "../../../merchants/sign-in/visitor.ts";
import { missingInPath } from "../../../platform/errors.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import type { Context } from "../../context.ts";
import { ById } from "../params.ts";
import { headersOf } from "./guard.ts";
import { codeInvalid, passwordWrong, refuseUnsuitable, relay, signInRecords, tokenOf } from "./sign-in-records.ts";

export function securityRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now, config } = context;
  const emails = linkEmails(config.dashboardOrigin);
  const { recordAction, notify, provePassword, proveCode } = signInRecords(context);

  return async (app) => {
    const inside = { config: { needs: "session" } } as const;
    const withStepUp = { config: { needs: "session", stepUp: true } } as const;

    app.post("/auth/step-up", { ...inside, schema: { body: StepUp } }, async (request) => {
      const { password, code } = request.body;
      await provePassword(request.visitor, password);
      // If the app's setup isn't confirmed yet, better-auth would take a correct code as the confirmation.
      if (!request.visitor.hasAuthenticator) throw codeInvalid();
      await proveCode(request.visitor, code, headersOf(request));
      const session = db.updateTable("login_session").set({ stepped_up_at: now() });
      await session.where("id", "=", request.visitor.sessionId).execute();
      return { status: "stepped_up" };
    });

    app.post("/auth/password", { ...withStepUp, schema: { body: ChangePassword } }, async (request, reply) => {
      const { current, password } = request.body;
      await provePassword(request.visitor, current, "current");
      refuseUnsuitable(password, request.visitor);
      const body = { currentPassword: current, newPassword: password, revokeOtherSessions: true };
      const response = await auth.api.changePassword({ body, headers: headersOf(request), asResponse: true });
      if (!response.ok) throw passwordWrong("current");
      relay(reply, response);
      // The new session keeps the timestamps of the old one, because the user didn't enter a code for it.
      const { steppedUpAt: stepped_up_at, signedInAt: created_at } = request.visitor;
      await db
        .updateTable("login_session")
        .set({ stepped_up_at, created_at })
        .where("token", "=", tokenOf(response))
        .execute();
      await notify("login.password_changed", emails.passwordChanged(request.visitor.email));
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
      await recordAction("login.session_revoked", request.visitor.email);
      return { status: "revoked" };
    });

    app.post("/auth/sessions/revoke-others", inside, async (request) => {
      const others = db.deleteFrom("login_session").where("id", "!=", request.visitor.sessionId);
      await others.where("login_id", "=", request.visitor.loginId).execute();
      await recordAction("login.session_revoked", request.visitor.email);
      return { status: "revoked" };
    });
  };

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
    const response = await auth.api.viewBackupCodes({ body: { userId: loginId } }).catch(() => null);
    return response?.backupCodes.length ?? 0;
  }
}
