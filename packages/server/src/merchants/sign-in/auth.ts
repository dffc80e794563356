/**
 * Configures better-auth, which handles sign-in: the enabled features and the names of its tables. Its own HTTP handler
 * isn't served. Only the routes in `http/routes/dashboard/` call it, each with a schema.
 *
 * Enabled: email and password, verified email addresses, TOTP with recovery codes. Everything else is disabled,
 * including trusted devices, telemetry and above all `cookieCache`: with it, ended sessions would still work and the
 * second factor could be bypassed (GHSA-xg6x-h9c9-2m83).
 *
 * A session ends 15 minutes after a person last used it (PCI DSS 8.2.8) and 12 hours after sign-in (`visitor.ts`). Each
 * sign-in opens a new session, and sign-out deletes it on the server. Each TOTP code is checked only once (RFC 6238,
 * 5.2), whether it's right or wrong: see {@link spendCode}.
 */
import { createHmac } from "node:crypto";
import { betterAuth, type BetterAuthPlugin } from "better-auth";
import { APIError, createAuthEndpoint, createAuthMiddleware, getSessionFromCtx } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { twoFactor } from "better-auth/plugins/two-factor";
import * as z from "zod";
import type { Config } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import { createRateLimiter, type Rate } from "../../platform/limits/rate-limit.ts";
import type { Log } from "../../platform/log.ts";
import type { ServerKeys } from "../../platform/server-keys.ts";
import { stackOf } from "../../platform/stack-of.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Email } from "../emails/mailer.ts";
import { queueEmail } from "../emails/outbox.ts";
import { credentialTable, secondFactorTables, sessionTable, userTable, verificationTable } from "./auth-tables.ts";
import { cookieRules } from "./cookies.ts";
import { linkEmails } from "./emails.ts";
import { lockMs, maxAttempts, countAttempt } from "./lockout.ts";
import { maxPasswordLength, minPasswordLength, verifyPassword } from "./passwords.ts";
import { appReplacement } from "./replace-app.ts";

export type Auth = ReturnType<typeof createAuth>;

/** How long a session lasts without activity of a person. */
export const idleSeconds = 15 * 60;
/** Passes the client's IP address to better-auth. The request's own header of this name is never forwarded. */
export const addressHeader = "x-oriel-visitor-address";

/** How long the links in emails work. */
const resetSeconds = 30 * 60;
const verificationSeconds = 24 * 3600;

/** The name in authenticator apps. */
const issuer = "Oriel";

/** The limit per recipient on emails that anyone can trigger to any address. */
const emailsToOne: Rate = { perSecond: 1 / 300, burst: 6 };

export interface AuthContext {
  db: Db;
  keys: ServerKeys;
  config: Pick<Config, "dashboardOrigin">;
  log: Log;
  now: () => Date;
  hashPassword(password: string): Promise<string>;
  /** Called after a user's email address is verified for the first time. */
  onVerified(login: { id: string; email: string }): Promise<void>;
}

export function createAuth({ db, keys, config, log, now, hashPassword, onVerified }: AuthContext) {
  const { isSecure, prefix } = cookieRules(config);
  const emails = linkEmails(config.dashboardOrigin);
  const limiter = createRateLimiter(db);
  /**
   * better-auth calls this after its own transaction. If the process dies before the email is queued, the user doesn't
   * get a link, and requests one again: the routes that lead here can all be repeated. Where someone without a password
   * gets here, the routes have already responded, so the duration doesn't reveal whether an email was sent.
   */
  const send = async (message: Email, expiresInSeconds?: number) => {
    try {
      const { allowed } = await limiter.take(`mails to ${message.to}`, emailsToOne);
      const expiresInMs = expiresInSeconds === undefined ? undefined : expiresInSeconds * 1000;
      if (allowed) await queueEmail({ keys, now }, db, "sign-in", message, { expiresInMs });
    } catch (error) {
      log.error({ error: stackOf(error) }, "Failed to queue an email"); // better-auth would only log it, which is off
    }
  };

  return betterAuth({
    appName: "Oriel",
    baseURL: config.dashboardOrigin,
    basePath: "/auth",
    trustedOrigins: [config.dashboardOrigin],
    // Derived from the service's key file, so that the secret is neither in the environment nor in the database.
    secret: keys.sign("oriel.sign-in.1"),
    database: { db, type: "postgres", transaction: true },
    telemetry: { enabled: false },
    rateLimit: { enabled: false }, // `http/routes/dashboard/sign-in-records.ts` limits by address and user, across processes
    logger: { disabled: true }, // it would log email addresses
    onAPIError: { throw: false, onError: (error) => logBug(log, error) },
    user: userTable,
    session: {
      ...sessionTable,
      expiresIn: idleSeconds,
      disableSessionRefresh: true, // pages also send requests while nobody is there; see `sessionPlugin`
      cookieCache: { enabled: false },
    },
    account: credentialTable,
    verification: verificationTable,
    emailAndPassword: {
      enabled: true,
      requireEmailVerification: true,
      autoSignIn: false,
      minPasswordLength,
      maxPasswordLength,
      password: { hash: hashPassword, verify: verifyPassword },
      resetPasswordTokenExpiresIn: resetSeconds,
      revokeSessionsOnPasswordReset: true,
      // A user without a password has a link from the operator of the service (`restart-sign-in.ts`).
      sendResetPassword: async ({ user, token }) => {
        if (await hasPassword(user.id)) await send(emails.reset(user.email, token), resetSeconds);
      },
      onExistingUserSignUp: async ({ user }) => send(emails.existing(user.email)),
      onPasswordReset: async ({ user }) => send(emails.passwordChanged(user.email)),
    },
    emailVerification: {
      sendOnSignUp: true,
      sendOnSignIn: true,
      expiresIn: verificationSeconds,
      // The person who reads the email may not be the one who signed up with the address and chose the password.
      autoSignInAfterVerification: false,
      sendVerificationEmail: async ({ user, token }) => send(emails.verify(user.email, token), verificationSeconds),
      afterEmailVerification: async (user) => onVerified(user),
    },
    advanced: {
      useSecureCookies: false, // would add `__Secure-`, which is weaker than `__Host-`
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
        const code = ctx.path === "/two-factor/verify-totp" ? String(ctx.body?.code) : null;
        if (!(await mayTry(loginId, code)))
          throw new APIError("UNAUTHORIZED", { code: "INVALID_CODE", message: "Invalid code" });
      }),
    },
    plugins: [
      sessionPlugin(),
      appReplacement({ issuer, mayTry }),
      twoFactor({
        issuer,
        accountLockout: { enabled: true, maxFailedAttempts: maxAttempts, durationSeconds: lockMs / 1000 },
        backupCodeOptions: { amount: 10, length: 10, storeBackupCodes: "encrypted" },
        schema: secondFactorTables,
      }),
    ],
  });

  async function hasPassword(loginId: string): Promise<boolean> {
    const credential = db.selectFrom("login_credential").select("id").where("login_id", "=", loginId);
    return (await credential.executeTakeFirst()) !== undefined;
  }

  /** Counts an attempt. @param code from an app, which is then used; null for a recovery code */
  async function mayTry(loginId: string, code: string | null): Promise<boolean> {
    const { isAllowed } = await countAttempt(db, codesOf(loginId), now());
    return isAllowed && (code === null || (await spendCode({ db, keys, now }, loginId, code)));
  }

  /** Returns the user who has entered the right password and must still confirm the second factor. */
  async function challengedLogin(ctx: Parameters<typeof getSessionFromCtx>[0]): Promise<string | null> {
    const { name } = ctx.context.createAuthCookie("two_factor");
    const identifier = await ctx.getSignedCookie(name, ctx.context.secret);
    return identifier ? ((await ctx.context.internalAdapter.findVerificationValue(identifier))?.value ?? null) : null;
  }
}

/**
 * Adds `auth.api.openSession`, which opens a session for a user whom our own code has verified with a passkey, and
 * `auth.api.extendSession`, which restarts the session's idle time because a person has used the dashboard. Nothing
 * else extends a session.
 */
function sessionPlugin() {
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
  const extendSession = createAuthEndpoint.serverOnly({ method: "POST", requireHeaders: true }, async (ctx) => {
    const found = await getSessionFromCtx(ctx);
    const session =
      found &&
      (await ctx.context.internalAdapter.updateSession(found.session.token, {
        expiresAt: new Date(Date.now() + idleSeconds * 1000), // better-auth uses this clock for sessions
        updatedAt: new Date(),
      }));
    if (!found || !session) throw new APIError("UNAUTHORIZED");
    await setSessionCookie(ctx, { session, user: found.user });
    return ctx.json({ status: true });
  });
  return { id: "our-sessions", endpoints: { openSession, extendSession } } satisfies BetterAuthPlugin;
}

/** The key under which {@link countAttempt} counts a user's codes. */
export function codesOf(loginId: string): string {
  return `codes of ${loginId}`;
}

/** The key under which {@link countAttempt} counts the passwords of a signed-in user. */
export function passwordsOf(loginId: string): string {
  return `password of ${loginId}`;
}

/** Longer than the 90 seconds for which a code is valid. */
const codeRetentionMs = 10 * 60_000;

/** Marks a code as used. Returns true for only one of any number of concurrent calls. */
async function spendCode(
  { db, keys, now }: Pick<AuthContext, "db" | "keys" | "now">,
  loginId: string,
  code: string,
): Promise<boolean> {
  const old = new Date(now().getTime() - codeRetentionMs);
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
  log.error({ error: error instanceof Error ? error.stack : String(error) }, "Sign-in failed unexpectedly");
}
