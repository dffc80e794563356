/**
 * Two dashboard users, for `npm start` only: an owner of the demo merchant and an operator. They go through the normal
 * sign-up with password and second factor. Their credentials are written to `logins.json` in the data directory,
 * readable only by its owner; `npm run codes` reads it to show the codes of an authenticator app.
 */
import { randomInt } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MerchantContext } from "../merchants/context.ts";
import { addMember } from "../merchants/members/members.ts";
import type { Config } from "../platform/config.ts";

/** An entry of `logins.json`. */
export interface DemoLogin {
  what: "merchant" | "operator";
  email: string;
  password: string;
  /** `otpauth://totp/...` */
  uri: string;
}

type LoginContext = Pick<MerchantContext, "auth" | "db" | "now">;

/** Creates the users once per database and data directory. */
export async function prepareDemoLogins(context: LoginContext, { dataDir }: Pick<Config, "dataDir">): Promise<void> {
  const path = join(dataDir, "logins.json");
  const { db, now } = context;
  const known = await db.selectFrom("login").select("id").limit(1).executeTakeFirst();
  if (known !== undefined && existsSync(path)) return;
  const oldest = db.selectFrom("account").select("account_no").orderBy("id").limit(1);
  const { account_no: accountNo } = await oldest.executeTakeFirstOrThrow();
  const merchant = await createLogin(context, "merchant", "Demo merchant");
  await db
    .transaction()
    .execute((tx) =>
      addMember(tx, accountNo, { loginId: merchant.id, email: merchant.login.email }, "owner", now(), "service"),
    );
  const operator = await createLogin(context, "operator", "Demo operator");
  await db.insertInto("operator").values({ login_id: operator.id, created_at: now() }).execute();
  writeFileSync(path, `${JSON.stringify([merchant.login, operator.login], null, 2)}\n`, { mode: 0o600 });
}

async function createLogin({ auth, db }: LoginContext, what: DemoLogin["what"], name: string) {
  // `.test` addresses can't be registered (RFC 2606). A number is added if the database still has users from a data
  // directory that was deleted.
  const taken = await db.selectFrom("login").select("email").where("email", "like", `${what}%@oriel.test`).execute();
  const email = taken.length === 0 ? `${what}@oriel.test` : `${what}-${taken.length + 1}@oriel.test`;
  const password = Array.from({ length: 4 }, () => String(randomInt(10_000, 100_000))).join("-");
  await auth.api.signUpEmail({ body: { name, email, password } });
  await db.updateTable("login").set({ email_verified: true }).where("email", "=", email).execute();
  const { id } = await db.selectFrom("login").select("id").where("email", "=", email).executeTakeFirstOrThrow();

  const signedIn = await auth.api.signInEmail({ body: { email, password }, asResponse: true });
  const [cookie = ""] = signedIn.headers.getSetCookie();
  const headers = new Headers({ cookie: cookie.split(";")[0] ?? "" });
  const setup = await auth.api.enableTwoFactor({ body: { password }, headers });
  if (!("totpURI" in setup)) throw new Error("Bug: the second factor isn't TOTP");
  const secret = Buffer.from(fromBase32(new URL(setup.totpURI).searchParams.get("secret") ?? "")).toString();
  const { code } = await auth.api.generateTOTP({ body: { secret } });
  await auth.api.verifyTOTP({ body: { code }, headers });
  await db.deleteFrom("spent_code").where("login_id", "=", id).execute(); // so that the same code works at sign-in
  await db.deleteFrom("login_session").where("login_id", "=", id).execute();
  return { id, login: { what, email, password, uri: setup.totpURI } satisfies DemoLogin };
}

/** RFC 4648, section 6. */
function fromBase32(text: string): Uint8Array {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text.replaceAll("=", ""), String)
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  return Uint8Array.from(bits.match(/.{8}/g) ?? [], (byte) => parseInt(byte, 2));
}
