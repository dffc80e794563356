/**
 * `/auth`: sign-in and sign-out, with better-auth (`merchants/sign-in/auth.ts`). Only those of its endpoints can be
 * reached that have a route here or in the files for sign-up, password reset, passkeys and signed-in users.
 *
 * The responses don't reveal whether an email address has a user: sign-up, sign-in and password reset respond the same
 * way, in the same time. Each attempt counts against the limit of its IP address. Wrong passwords also count against
 * the user (`merchants/sign-in/lockout.ts`), or against the browser if the user has signed in from it before
 * (`known-device.ts`).
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { SecondFactor, SignIn, type SignedIn } from "@oriel/protocol/dashboard/sign-in";
import { codesOf } from "../../../merchants/sign-in/auth.ts";
import { linkEmails } from "../../../merchants/sign-in/emails.ts";
import { knownDeviceCookie, attemptKeyOf } from "../../../merchants/sign-in/known-device.ts";
import { clearAttempts, countAttempt } from "../../../merchants/sign-in/lockout.ts";
import { hasPasskey } from "../../../merchants/sign-in/passkeys.ts";
import { findVisitor } from "../../../merchants/sign-in/visitor.ts";
import { ApiError } from "../../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../../platform/limits/rate-limit.ts";
import type { Context } from "../../context.ts";
import { DashboardError } from "./errors.ts";
import { headersOf } from "./guard.ts";
import { catchApiError, codeInvalid, relay, signInRecords } from "./sign-in-records.ts";

/** Anyone can lock an email address, even one without a user, so the audit entries about locks are limited. */
const auditedLocks: Rate = { perSecond: 1, burst: 100 };

export function signInRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now, config } = context;
  const emails = linkEmails(config.dashboardOrigin);
  const { recordAction, notify, recordSecondFactor, verifyTotp } = signInRecords(context);
  const limiter = createRateLimiter(db);

  return async (app) => {
    const open = { config: { needs: "nothing" } } as const;

    app.post("/auth/sign-in", { ...open, schema: { body: SignIn } }, async (request, reply): Promise<SignedIn> => {
      const { email, password } = request.body;
      const key = attemptKeyOf(context, request.headers.cookie, email);
      const { isAllowed, isLast } = await countAttempt(db, key, now());
      if (!isAllowed) {
        await context.hashPassword(password); // takes as long as checking the password
        throw signInFailed();
      }
      const response = await auth.api.signInEmail({
        body: { email, password },
        headers: headersOf(request),
        asResponse: true,
      });
      if (response.status === 403)
        throw new DashboardError(
          "address_unverified",
          "Confirm your email address first. An email with a new link is on its way.",
        );
      if (!response.ok) {
        if (isLast && (await limiter.take("audited locks", auditedLocks)).allowed)
          await recordAction("login.locked", email);
        throw signInFailed();
      }
      await clearAttempts(db, key);
      const { twoFactorRedirect, token } = (await response.json()) as { twoFactorRedirect?: boolean; token?: string }; // better-auth's response
      if (token !== undefined && (await hasPasskey(db, email))) {
        // better-auth doesn't know that a passkey is required. Delete its session, whose token nobody has received.
        await db.deleteFrom("login_session").where("token", "=", token).execute();
        return { status: "passkey" };
      }
      relay(reply, response);
      if (twoFactorRedirect) return { status: "second_factor" };
      void reply.header("set-cookie", knownDeviceCookie(context, email));
      await recordAction("login.signed_in", email);
      return { status: "signed_in" };
    });

    app.post(
      "/auth/second-factor",
      { ...open, schema: { body: SecondFactor } },
      async (request, reply): Promise<SignedIn> => {
        const { code, recovery_code } = request.body;
        const headers = headersOf(request);
        if ((code === undefined) === (recovery_code === undefined))
          throw new ApiError("parameter_missing", "Send either `code` or `recovery_code`.", { param: "code" });
        // If there is a session, better-auth would check the code against that session's user and wouldn't count
        // failures.
        if ((await findVisitor(context, headers)).visitor !== null)
          throw new DashboardError("not_possible_now", "You are already signed in.");
        const response =
          code === undefined
            ? await catchApiError(
                auth.api.verifyBackupCode({ body: { code: recovery_code ?? "" }, headers, asResponse: true }),
              )
            : await verifyTotp(code, headers);
        relay(reply, response);
        if (!response.ok) throw codeInvalid();
        const { user } = (await response.json()) as { user: { id: string; email: string } }; // from better-auth's two-factor plugin
        await clearAttempts(db, codesOf(user.id));
        await recordSecondFactor(response);
        void reply.header("set-cookie", knownDeviceCookie(context, user.email));
        if (code !== undefined) await recordAction("login.signed_in", user.email);
        else await notify("login.recovery_code_used", emails.recoveryCodeUsed(user.email));
        return { status: "signed_in" };
      },
    );

    app.post("/auth/sign-out", open, async (request, reply) => {
      relay(reply, await auth.api.signOut({ headers: headersOf(request), asResponse: true }));
      return reply.header("clear-site-data", '"cache"').send({ status: "signed_out" });
    });
  };
}

function signInFailed(): DashboardError {
  return new DashboardError(
    "sign_in_failed",
    "Wrong email address or password. After ten wrong passwords, sign-in is locked for half an hour. To unlock it, reset your password.",
  );
}
