/**
 * Passkeys: WebAuthn credentials that a device unlocks with a fingerprint, a face or a PIN. The device verifies the
 * user each time (`userVerification: "required"`), so a passkey counts as two factors and is enough to sign in.
 * Operators can't use passkeys (PCI DSS 8.4.1).
 *
 * A passkey is verified by its signature over our challenge, made on our origin. A challenge can be used once, within
 * five minutes and for one purpose: a user's registration or step-up, or sign-in, when the user isn't known yet. A
 * counter that doesn't increase is refused, because the authenticator may be a copy.
 */
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type AuthenticationResponseJSON,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
} from "@simplewebauthn/server";
import type { PasskeyInfo } from "@oriel/protocol/dashboard/sign-in";
import type { Config } from "../../platform/config.ts";
import { newId } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import type { Visitor } from "./visitor.ts";

interface PasskeyContext {
  db: Db;
  config: Pick<Config, "dashboardOrigin">;
  now: () => Date;
}

/** What a challenge is for; registration and step-up include the user's ID. */
type Purpose = "sign-in" | `register ${string}` | `step-up ${string}`;

const challengeMs = 5 * 60_000;
const maxPasskeys = 20;

export async function registrationOptions(
  context: PasskeyContext,
  visitor: Visitor,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  const known = await passkeysOf(context.db, visitor.loginId);
  const options = await generateRegistrationOptions({
    rpName: "Oriel",
    rpID: relyingParty(context),
    userName: visitor.email,
    userDisplayName: visitor.name,
    userID: new TextEncoder().encode(visitor.loginId),
    attestationType: "none",
    excludeCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
    authenticatorSelection: { residentKey: "required", userVerification: "required" },
  });
  await storeChallenge(context, options.challenge, `register ${visitor.loginId}`);
  return options;
}

/** @returns false if the response isn't a valid registration by this user, or the user has too many passkeys */
export async function addPasskey(
  context: PasskeyContext,
  visitor: Visitor,
  { name, response }: { name: string; response: RegistrationResponseJSON },
): Promise<boolean> {
  const { db, now, config } = context;
  const expectedChallenge = await spend(context, response, `register ${visitor.loginId}`);
  if (expectedChallenge === null || (await passkeysOf(db, visitor.loginId)).length >= maxPasskeys) return false;
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response,
    expectedChallenge,
    expectedOrigin: config.dashboardOrigin,
    expectedRPID: relyingParty(context),
    requireUserVerification: true,
  }).catch(unverified);
  if (!verified || registrationInfo === undefined) return false;
  const { id, publicKey, counter } = registrationInfo.credential;
  const { numInsertedOrUpdatedRows } = await db
    .insertInto("login_passkey")
    .values({
      id: newId("login", now()),
      login_id: visitor.loginId,
      name,
      credential_id: id,
      public_key: Buffer.from(publicKey),
      counter,
      transports: response.response.transports ?? [],
      created_at: now(),
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Returns the options for sign-in, where the device identifies the user, or for a known user's step-up. */
export async function authenticationOptions(
  context: PasskeyContext,
  visitor: Visitor | null,
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  const known = visitor === null ? [] : await passkeysOf(context.db, visitor.loginId);
  const options = await generateAuthenticationOptions({
    rpID: relyingParty(context),
    userVerification: "required",
    allowCredentials: known.map(({ credential_id: id, transports }) => ({ id, transports })),
  });
  await storeChallenge(context, options.challenge, visitor === null ? "sign-in" : `step-up ${visitor.loginId}`);
  return options;
}

/**
 * @param visitor null at sign-in; otherwise only this user's passkeys are accepted
 * @returns the passkey's user, or null if the response is invalid
 */
export async function provePasskey(
  context: PasskeyContext,
  visitor: Visitor | null,
  response: AuthenticationResponseJSON,
): Promise<{ loginId: string; email: string } | null> {
  const { db, config } = context;
  const expectedChallenge = await spend(context, response, visitor === null ? "sign-in" : `step-up ${visitor.loginId}`);
  const passkey = await db
    .selectFrom("login_passkey")
    .innerJoin("login", "login.id", "login_passkey.login_id")
    .select(["login_id", "login.email", "credential_id", "public_key", "counter"])
    .where("credential_id", "=", response.id)
    .where("login.email_verified", "=", true)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("operator")
            .select("operator.login_id")
            .whereRef("operator.login_id", "=", "login_passkey.login_id"),
        ),
      ),
    )
    .executeTakeFirst();
  if (expectedChallenge === null || passkey === undefined) return null;
  if (visitor !== null && visitor.loginId !== passkey.login_id) return null;
  const { verified, authenticationInfo } = await verifyAuthenticationResponse({
    response,
    expectedChallenge,
    expectedOrigin: config.dashboardOrigin,
    expectedRPID: relyingParty(context),
    requireUserVerification: true,
    credential: { id: passkey.credential_id, publicKey: new Uint8Array(passkey.public_key), counter: passkey.counter },
  }).catch(unverified);
  if (!verified || authenticationInfo === undefined) return null;
  // The condition on the old counter lets only one of two concurrent responses succeed. Authenticators without a
  // counter always send zero.
  const { newCounter } = authenticationInfo;
  const { numUpdatedRows } = await db
    .updateTable("login_passkey")
    .set({ counter: newCounter })
    .where("credential_id", "=", passkey.credential_id)
    .where("counter", "=", passkey.counter)
    .executeTakeFirst();
  return numUpdatedRows === 1n ? { loginId: passkey.login_id, email: passkey.email } : null;
}

export async function listPasskeys(db: Db, loginId: string): Promise<PasskeyInfo[]> {
  const rows = await passkeysOf(db, loginId);
  return rows.map(({ id, name, created_at }) => ({ id, name, created: unixSeconds(created_at) }));
}

/** Says whether the user must sign in with a passkey in addition to the password. */
export async function hasPasskey(db: Db, email: string): Promise<boolean> {
  const passkey = db
    .selectFrom("login_passkey")
    .innerJoin("login", "login.id", "login_passkey.login_id")
    .select("login_passkey.id");
  return (await passkey.where("login.email", "=", email.toLowerCase()).executeTakeFirst()) !== undefined;
}

/** Removes a passkey unless it is the user's last second factor. */
export async function removePasskey(db: Db, visitor: Visitor, id: string): Promise<"removed" | "missing" | "last"> {
  return await db.transaction().execute(async (tx) => {
    const login = tx.selectFrom("login").select("two_factor_enabled").where("id", "=", visitor.loginId).forUpdate();
    const { two_factor_enabled: hasTotp } = await login.executeTakeFirstOrThrow();
    const known = await passkeysOf(tx, visitor.loginId);
    if (!known.some((passkey) => passkey.id === id)) return "missing";
    if (known.length === 1 && !hasTotp) return "last";
    await tx.deleteFrom("login_passkey").where("id", "=", id).execute();
    return "removed";
  });
}

async function passkeysOf(db: Db, loginId: string) {
  const own = db.selectFrom("login_passkey").select(["id", "name", "credential_id", "transports", "created_at"]);
  return await own.where("login_id", "=", loginId).orderBy("created_at").execute();
}

function relyingParty({ config }: PasskeyContext): string {
  return new URL(config.dashboardOrigin).hostname;
}

async function storeChallenge({ db, now }: PasskeyContext, challenge: string, purpose: Purpose): Promise<void> {
  const moment = now();
  await db
    .insertInto("login_verification")
    .values({
      id: newId("login", moment),
      identifier: `passkey:${challenge}`,
      value: purpose,
      expires_at: new Date(moment.getTime() + challengeMs),
      created_at: moment,
      updated_at: moment,
    })
    .execute();
}

/** Deletes the challenge that the response is for. @returns the challenge if it was ours and for this purpose */
async function spend(
  { db, now }: PasskeyContext,
  { response }: { response: { clientDataJSON: string } },
  purpose: Purpose,
): Promise<string | null> {
  const challenge = challengeOf(response.clientDataJSON);
  if (challenge === null) return null;
  const spent = await db
    .deleteFrom("login_verification")
    .where("identifier", "=", `passkey:${challenge}`)
    .returning(["value", "expires_at"])
    .executeTakeFirst();
  return spent !== undefined && spent.value === purpose && spent.expires_at > now() ? challenge : null;
}

function challengeOf(clientDataJSON: string): string | null {
  try {
    const data = JSON.parse(Buffer.from(clientDataJSON, "base64url").toString()) as { challenge?: unknown }; // untrusted
    return typeof data.challenge === "string" ? data.challenge : null;
  } catch {
    return null; // not JSON
  }
}

/** The library throws if a response doesn't verify. */
function unverified(): { verified: false; registrationInfo?: undefined; authenticationInfo?: undefined } {
  return { verified: false };
}
