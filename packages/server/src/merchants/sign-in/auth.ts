/**
 * Signing in, by better-auth: what of it is on, and how its tables are called here. Its own HTTP handler is not served:
 * `http/routes/dashboard/` has a closed list of routes, each with a schema, which call it.
 *
 * On: e-mail address and password, verified addresses, TOTP with recovery codes. Off: everything else, above all
 * `cookieCache` (a session that was ended would go on, and with it the second factor could be passed by:
 * GHSA-xg6x-h9c9-2m83), trusted devices, and telemetry.
 *
 * A session: 15 minutes from its last use (PCI DSS 8.2.8), 12 hours at most (`visitor.ts`), new at every sign-in, ended
 * on the server. A code of the second factor is looked at once (RFC 6238, 5.2), right or wrong: {@link spendCode}.
 */
import { createHmac } from "node:crypto";
import { betterAuth, type BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { twoFactor } from "better-auth/plugins/two-factor";
import * as z from "zod";
import type { Config } from "../../platform/config.ts";
import type { Log } from "../../platform/log.ts";
import { newId } from "../../platform/ids.ts";
import { createRateLimiter, type Rate } from "../../platform/limits/rate-limit.ts";
import type { Mail, Mailer } from "../mail/mailer.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import type { Db } from "../../platform/storage/database.ts";
import { cookieRules } from "./cookies.ts";
import { takeTry } from "./lockout.ts";
import { linkMails } from "./mails.ts";
import { maxPasswordLength, minPasswordLength, verifyPassword } from "./passwords.ts";

export type Auth = ReturnType<typeof createAuth>;

/** How long a session lives without being used. */
export const idleSeconds = 15 * 60;
/** By which the caller's address reaches better-auth; nobody else's header does. */
export const addressHeader = "x-oriel-visitor-address";

/** Of those that anybody can have sent to anybody. */
const mailsToOne: Rate = { perSecond: 1 / 300, burst: 6 };

export interface AuthContext {
  db: Db;
  keys: ServerKeys;
  config: Pick<Config, "dashboardOrigin">;
  mailer: Mailer;
  log: Log;
  now: () => Date;
  hashPassword(password: string): Promise<string>;
  inBackground(what: string, work: Promise<unknown>): void;
  /** After an address was verified for the first time. */
  onVerified(login: { id: string; email: string }): Promise<void>;
}

export function createAuth({
  db,
  keys,
  config,
  mailer,
  log,
  now,
  hashPassword,
  inBackground,
  onVerified,
}: AuthContext) {
  const { isSecure, prefix } = cookieRules(config);
  const mails = linkMails(config.dashboardOrigin);
  // Behind the answer: how long a mail takes must not tell whether one was sent.
  const send = (mail: Mail) => inBackground("send a mail", sendSome(mail));
  const limiter = createRateLimiter(db);
  const sendSome = async (mail: Mail) => {
    const { allowed } = await limiter.take(`mails to ${mail.to}`, mailsToOne);
    if (allowed) await mailer.send(mail);
  };
  const times = { createdAt: "created_at", updatedAt: "updated_at" };

  return betterAuth({
    appName: "Oriel",
    baseURL: config.dashboardOrigin,
    basePath: "/auth",
    trustedOrigins: [config.dashboardOrigin],
    // Of the service's key file, so that it is in no environment and no database.
    secret: keys.sign("oriel.sign-in.1"),
    database: { db, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    rateLimit: { enabled: false }, // by address and by login, for all processes together: `http/routes/dashboard/sign-in-records.ts`
    logger: { disabled: true }, // it would log addresses
    onAPIError: { throw: false, onError: (error) => logBug(log, error) },
    user: {
      modelName: "login",
      fields: { emailVerified: "email_verified", ...times },
      additionalFields: { pendingAccountName: { type: "string", required: false, fieldName: "pending_account_name" } },
    },
    session: {
      modelName: "login_session",
      fields: {
        userId: "login_id",
        expiresAt: "expires_at",
        ipAddress: "ip_address",
        userAgent: "user_agent",
        ...times,
      },
      expiresIn: idleSeconds,
      updateAge: 60,
      cookieCache: { enabled: false },
    },
    account: {
      modelName: "login_credential",
      fields: {
        userId: "login_id",
        accountId: "account_id",
        providerId: "provider_id",
        accessToken: "access_token",
        refreshToken: "refresh_token",
        idToken: "id_token",
        accessTokenExpiresAt: "access_token_expires_at",
        refreshTokenExpiresAt: "refresh_token_expires_at",
        ...times,
      },
    },
    verification: { modelName: "login_verification", fields: { expiresAt: "expires_at", ...times } },
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength,
      maxPasswordLength,
      password: { hash: hashPassword, verify: verifyPassword },
      resetPasswordTokenExpiresIn: 30 * 60,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => send(mails.reset(user.email, token)),
      onExistingUserSignUp: async ({ user }) => send(mails.existing(user.email)),
      onPasswordReset: async ({ user }) => send(mails.passwordChanged(user.email)),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      expiresIn: 24 * 3600,
      // Whoever signed up with somebody else's address knows the password; whoever reads the mail need not be the one
      // who typed it.
      autoSignInAfterVerification: false,
      sendVerificationEmail: async ({ user, token }) => send(mails.verify(user.email, token)),
      afterEmailVerification: async (user) => onVerified(user),
    },
    advanced: {
      useSecureCookies: false, // would prefix `__Secure-`, which promises less than `__Host-`
      cookiePrefix: prefix,
      defaultCookieAttributes: { sameSite: "strict", secure: isSecure, httpOnly: true, path: "/" },
      ipAddress: { ipAddressHeaders: [addressHeader] },
      database: { generateId: () => newId("login", now()) },
    },
    hooks: {
      before: createAuthMiddleware(async (ctx) => {
        if (ctx.path !== "/two-factor/verify-totp" && ctx.path !== "/two-factor/verify-backup-code") return;
        const loginId = (await getSessionFromCtx(ctx))?.user.id ?? (await challengedLogin(ctx));
        if (loginId === null) return;
        const isTotp = ctx.path === "/two-factor/verify-totp";
        const { isAllowed } = await takeTry(db, codesOf(loginId), now());
        if (!isAllowed || (isTotp && !(await spendCode({ db, keys, now }, loginId, String(ctx.body?.code)))))
          throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
      }),
    },
    plugins: [
      sessionOpener(),
      twoFactor({
        issuer: "Oriel",
        accountLockout: { enabled: true, maxFailedAttempts: 10, durationSeconds: 30 * 60 },
        backupCodeOptions: { amount: 10, length: 10, storeBackupCodes: "encrypted" },
        schema: {
          user: { fields: { twoFactorEnabled: "two_factor_enabled" } },
          twoFactor: {
            modelName: "login_second_factor",
            fields: {
              userId: "login_id",
              backupCodes: "backup_codes",
              failedVerificationCount: "failed_verification_count",
              lockedUntil: "locked_until",
            },
          },
        },
      }),
    ],
  });

  /** Whose password was right, while the second factor is awaited. */
  async function challengedLogin(ctx: Parameters<typeof getSessionFromCtx>[0]): Promise<string | null> {
    const { name } = ctx.context.createAuthCookie("two_factor");
    const identifier = await ctx.getSignedCookie(name, ctx.context.secret);
    return identifier ? ((await ctx.context.internalAdapter.findVerificationValue(identifier))?.value ?? null) : null;
  }
}

/** `auth.api.openSession`: a session for who proved itself in our own code, by a passkey. */
function sessionOpener() {
  const openSession = createAuthEndpoint.serverOnly(
    { method: "POST", body: z.object({ loginId: z.string() }) },
    async (ctx) => {
      const { loginId } = ctx.body;
      const user = await ctx.context.internalAdapter.findUserById(loginId);
      const session = user && (await ctx.context.internalAdapter.createSession(loginId));
      if (!user || !session) throw new APIError("UNAUTHORIZED");
      await setSessionCookie(ctx, { session, user });
      return ctx.json({ status: true });
    },
  );
  return { id: "session-opener", endpoints: { openSession } } satisfies BetterAuthPlugin;
}

/** What {@link takeTry} counts the codes of a login by. */
export function codesOf(loginId: string): string {
  return `codes of ${loginId}`;
}

/** A code's window is 90 seconds; it is remembered for longer. */
const rememberCodesMs = 10 * 60_000;

/** Whether nobody has tried this code at this login yet. One winner among any number. */
async function spendCode(
  { db, keys, now }: Pick<AuthContext, "db" | "keys" | "now">,
  loginId: string,
  code: string,
): Promise<boolean> {
  const old = new Date(now().getTime() - rememberCodesMs);
  await db.deleteFrom("spent_code").where("login_id", "=", loginId).where("spent_at", "<", old).execute();
  const spent = createHmac("sha256", keys.sign("oriel.spent-code.1")).update(code).digest("base64url");
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("spent_code")
    .values({ login_id: loginId, code: spent, spent_at: now() })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

function logBug(log: Log, error: unknown): void {
  if (error instanceof APIError) return;
  log.error({ error: error instanceof Error ? error.stack : String(error) }, "Signing in failed unexpectedly");
}
