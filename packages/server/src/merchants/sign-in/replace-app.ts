/**
 * Replaces a user's authenticator app, for example after they have lost their phone and signed in with a recovery code.
 * The old app works until the user has entered a code from the new one, so nobody is ever without a second factor. The
 * recovery codes stay the same.
 *
 * better-auth can only set up the first app. This plugin for it stores the new secret with a deadline, encrypted as
 * better-auth encrypts secrets, and checks the first code. Then {@link completeAppReplacement} puts the new secret in the
 * place of the old one.
 */
import { createOTP } from "@better-auth/utils/otp";
import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint, sessionMiddleware } from "better-auth/api";
import { generateRandomString, symmetricDecrypt, symmetricEncrypt } from "better-auth/crypto";
import * as z from "zod";
import type { Tx } from "../../platform/storage/database.ts";

const deadlineMs = 15 * 60_000;
const pendingOf = (loginId: string) => `replace-app:${loginId}`;

type CheckedReplacement =
  | { status: "not_pending" }
  | { status: "wrong_code" }
  /** The secret is still encrypted. */
  | { status: "right_code"; sealedSecret: string };

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
  const checkAppReplacement = createAuthEndpoint.serverOnly(
    { method: "POST", requireHeaders: true, use: [sessionMiddleware], body: z.object({ code: z.string() }) },
    async (ctx): Promise<CheckedReplacement> => {
      const { user } = ctx.context.session;
      const pending = await ctx.context.internalAdapter.findVerificationValue(pendingOf(user.id));
      if (pending === null || pending.expiresAt < new Date()) return { status: "not_pending" };
      if (!(await mayTry(user.id, ctx.body.code))) return { status: "wrong_code" };
      const secret = await symmetricDecrypt({ key: ctx.context.secretConfig, data: pending.value });
      if (!(await createOTP(secret).verify(ctx.body.code))) return { status: "wrong_code" };
      return { status: "right_code", sealedSecret: pending.value };
    },
  );
  return {
    id: "app-replacement",
    endpoints: { beginAppReplacement, checkAppReplacement },
  } satisfies BetterAuthPlugin;
}

/**
 * Replaces the app, and ends all other sessions, because one may be on the lost phone. Call it in the transaction that
 * records the change.
 *
 * @returns false if the setup has been completed or started again since the code was checked
 */
export async function completeAppReplacement(
  tx: Tx,
  { loginId, sessionId }: { loginId: string; sessionId: string },
  sealedSecret: string,
): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("login_verification")
    .where("identifier", "=", pendingOf(loginId))
    .where("value", "=", sealedSecret)
    .executeTakeFirst();
  if (numDeletedRows === 0n) return false;
  const { numUpdatedRows } = await tx
    .updateTable("login_second_factor")
    .set({ secret: sealedSecret, failed_verification_count: 0, locked_until: null })
    .where("login_id", "=", loginId)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false; // the old app has been removed, and the setup with it
  await tx.deleteFrom("login_session").where("login_id", "=", loginId).where("id", "!=", sessionId).execute();
  return true;
}
