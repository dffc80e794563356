/**
 * Replaces a user's authenticator app, for example after they have lost their phone and signed in with a recovery code.
 * The old app works until the user has entered a code from the new one, so nobody is ever without a second factor. The
 * recovery codes stay the same.
 *
 * better-auth can only set up the first app. This plugin for it stores the new secret with a deadline, encrypted as
 * better-auth encrypts secrets, and then puts it in the place of the old one.
 */
import { createOTP } from "@better-auth/utils/otp";
import type { BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, sessionMiddleware } from "better-auth/api";
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import * as z from "zod";

const deadlineMs = 15 * 60_000;
const pendingOf = (loginId: string) => `replace-app:${loginId}`;

/** @param mayTry counts the attempt and marks the code as used; false refuses the code without checking it */
export function appReplacement({
  issuer,
  mayTry,
}: {
  issuer: string;
  mayTry(loginId: string, code: string): Promise<boolean>;
}) {
  const beginAppReplacement = createAuthEndpoint.serverOnly(
    { method: "POST", requireHeaders: true, use: [sessionMiddleware] },
    async (ctx) => {
      const { user } = ctx.context.session;
      const secret = generateRandomString(32);
      await ctx.context.internalAdapter.deleteVerificationByIdentifier(pendingOf(user.id));
      await ctx.context.internalAdapter.createVerificationValue({
        identifier: pendingOf(user.id),
        value: await symmetricEncrypt({ key: ctx.context.secretConfig, data: secret }),
        expiresAt: new Date(Date.now() + deadlineMs), // better-auth uses this clock
      });
      return ctx.json({ uri: createOTP(secret).url(issuer, user.email) });
    },
  );
  const confirmAppReplacement = createAuthEndpoint.serverOnly(
    { method: "POST", requireHeaders: true, use: [sessionMiddleware], body: z.object({ code: z.string() }) },
    async (ctx) => {
      const { user } = ctx.context.session;
      const pending = await ctx.context.internalAdapter.findVerificationValue(pendingOf(user.id));
      if (pending === null || pending.expiresAt < new Date() || !(await mayTry(user.id, ctx.body.code)))
        throw new APIError("UNAUTHORIZED");
      const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: pending.value });
      if (!(await createOTP(secret).verify(ctx.body.code))) throw new APIError("UNAUTHORIZED");
      await ctx.context.adapter.update({
        model: "twoFactor",
        where: [{ field: "userId", value: user.id }],
        update: { secret: pending.value, failedVerificationCount: 0, lockedUntil: null },
      });
      await ctx.context.internalAdapter.deleteVerificationByIdentifier(pendingOf(user.id));
      return ctx.json({ status: true });
    },
  );
  return {
    id: "app-replacement",
    endpoints: { beginAppReplacement, confirmAppReplacement },
  } satisfies BetterAuthPlugin;
}
