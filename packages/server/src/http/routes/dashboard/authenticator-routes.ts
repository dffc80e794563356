/**
 * `/auth`, for signed-in users: the authenticator app and its recovery codes. They use better-auth
 * (`merchants/sign-in/auth.ts`). All changes but the confirmation of a new app need step-up authentication.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import type { FastifyRequest } from "fastify";
import {
  BeginTotp,
  ConfirmTotp,
  NewRecoveryCodes,
  ProvePassword,
  type RecoveryCodes,
  type TotpSetup,
} from "@oriel/protocol/dashboard/sign-in";
import { codesOf } from "../../../merchants/sign-in/auth.ts";
import { linkEmails } from "../../../merchants/sign-in/emails.ts";
import { clearAttempts } from "../../../merchants/sign-in/lockout.ts";
import { completeAppReplacement } from "../../../merchants/sign-in/replace-app.ts";
import type { Visitor } from "../../../merchants/sign-in/visitor.ts";
import type { Db } from "../../../platform/storage/database.ts";
import type { Context } from "../../context.ts";
import { DashboardError } from "./errors.ts";
import { headersOf } from "./guard.ts";
import { codeInvalid, lastSecondFactor, notForOperators, relay, signInRecords } from "./sign-in-records.ts";

export function authenticatorRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, config } = context;
  const { notifyIn, recordSecondFactor, notifyOfChange, provePassword, proveCode } = signInRecords(context);

  return async (app) => {
    const inside = { config: { needs: "session" } } as const;
    const withStepUp = { config: { needs: "session", stepUp: true } } as const;

    app.post(
      "/auth/totp/begin",
      { ...withStepUp, schema: { body: BeginTotp } },
      async (request): Promise<TotpSetup> => {
        await provePassword(request.visitor, request.body.password);
        if (request.visitor.hasAuthenticator) {
          const { uri } = await auth.api.beginAppReplacement({ headers: headersOf(request) });
          return { uri, recovery_codes: [] };
        }
        const response = await auth.api.enableTwoFactor({
          body: request.body,
          headers: headersOf(request),
          asResponse: true,
        });
        if (!response.ok) throw appAlreadySetUp();
        const { totpURI, backupCodes } = (await response.json()) as { totpURI: string; backupCodes: string[] }; // from better-auth's two-factor plugin
        return { uri: totpURI, recovery_codes: backupCodes };
      },
    );

    app.post("/auth/totp/confirm", { ...inside, schema: { body: ConfirmTotp } }, async (request, reply) => {
      if (request.visitor.hasAuthenticator) {
        await replaceApp(request, request.body.code);
        return { status: "confirmed" };
      }
      const response = await proveCode(request.visitor, request.body.code, headersOf(request));
      relay(reply, response);
      await recordSecondFactor(response);
      await notifyOfChange(request, "login.second_factor_added", "an authenticator app was set up");
      return { status: "confirmed" };
    });

    app.post("/auth/totp/remove", { ...withStepUp, schema: { body: ProvePassword } }, async (request) => {
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
      { ...withStepUp, schema: { body: NewRecoveryCodes } },
      async (request): Promise<RecoveryCodes> => {
        await provePassword(request.visitor, request.body.password);
        const response = await auth.api.generateBackupCodes({
          body: request.body,
          headers: headersOf(request),
          asResponse: true,
        });
        if (!response.ok) throw new DashboardError("not_possible_now", "Set up an authenticator app first.");
        await notifyOfChange(request, "login.recovery_codes_renewed", "new recovery codes were made");
        const { backupCodes } = (await response.json()) as { backupCodes: string[] }; // from better-auth's two-factor plugin
        return { recovery_codes: backupCodes };
      },
    );
  };

  /** @throws DashboardError */
  async function replaceApp(request: FastifyRequest, code: string): Promise<void> {
    const { visitor } = request;
    const checked = await auth.api.checkAppReplacement({ body: { code }, headers: headersOf(request) });
    if (checked.status === "not_pending") throw setupEnded();
    if (checked.status === "wrong_code") throw codeInvalid();
    const email = linkEmails(config.dashboardOrigin).secondFactorChanged(
      visitor.email,
      "the authenticator app was replaced",
    );
    await db.transaction().execute(async (tx) => {
      if (!(await completeAppReplacement(tx, visitor, checked.sealedSecret))) throw setupEnded();
      await clearAttempts(tx, codesOf(visitor.loginId));
      await notifyIn(tx, "login.second_factor_replaced", email);
    });
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
