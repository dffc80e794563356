/**
 * `/auth`: setting a new password with a link from an email. A request for the link gets the same response, in the same
 * time, whether or not the email address has a user.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { Reset, ResetRequest } from "@oriel/protocol/dashboard/sign-in";
import { passwordsOf } from "../../../merchants/sign-in/auth.ts";
import { attemptKeyOf } from "../../../merchants/sign-in/known-device.ts";
import { clearAttempts } from "../../../merchants/sign-in/lockout.ts";
import type { Context } from "../../context.ts";
import { headersOf } from "./guard.ts";
import { linkInvalid, refuseUnsuitable, signInRecords } from "./sign-in-records.ts";

export function passwordResetRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now } = context;
  const { recordAction, afterResponse } = signInRecords(context);

  return async (app) => {
    const open = { config: { needs: "nothing" } } as const;

    app.post("/auth/reset-request", { ...open, schema: { body: ResetRequest } }, async (request) => {
      const { email } = request.body;
      const response = auth.api.requestPasswordReset({
        body: { email },
        headers: headersOf(request),
        asResponse: true,
      });
      afterResponse("request a password reset", response);
      return { status: "mail_sent" };
    });

    app.post("/auth/reset", { ...open, schema: { body: Reset } }, async (request) => {
      const { token, password } = request.body;
      const login = await loginOfReset(token);
      if (login === undefined) throw linkInvalid();
      refuseUnsuitable(password, login);
      const response = await auth.api.resetPassword({ body: { token, newPassword: password }, asResponse: true });
      if (!response.ok) throw linkInvalid();
      for (const key of new Set([
        login.email,
        attemptKeyOf(context, request.headers.cookie, login.email),
        passwordsOf(login.id),
      ]))
        await clearAttempts(db, key);
      await recordAction("login.password_reset", login.email);
      return { status: "password_set" };
    });
  };

  async function loginOfReset(token: string) {
    return await db
      .selectFrom("login_verification")
      .innerJoin("login", "login.id", "login_verification.value")
      .select(["login.id", "login.email", "login.name"])
      .where("identifier", "=", `reset-password:${token}`)
      .where("expires_at", ">", now())
      .executeTakeFirst();
  }
}
