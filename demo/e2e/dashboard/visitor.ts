/** Users of the dashboard who sign up, read their email and have an authenticator app. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, type Page } from "@playwright/test";
import { TOTP, URI } from "otpauth";
import { addresses } from "../urls.ts";

export const password = "correct horse battery 9";
const dataDir = process.env["ORIEL_E2E_DATA_DIR"] ?? "";

export interface Visitor {
  email: string;
  password: string;
  accountId: string;
  /** Returns an unused code. At most three are available within 30 seconds. */
  code(): string;
}

let count = 0;

/** A unique email address. It contains the process ID because tests run in several processes. */
export function newEmail(name: string): string {
  return `${name}-${process.pid}-${++count}@shop.example`;
}

/** Sends a request from the page itself: same origin, with the browser's cookies. */
export async function request<Data>(page: Page, method: string, path: string, body?: object): Promise<Data> {
  const { status, text } = await page.evaluate(
    async ([method, path, body]) => {
      const response = await fetch(path, {
        method,
        ...(body !== null && { headers: { "content-type": "application/json" }, body }),
      });
      return { status: response.status, text: await response.text() };
    },
    [method, path, body === undefined ? null : JSON.stringify(body)] as const,
  );
  if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text) as Data; // the route's response
}

/**
 * Signs up and signs in the owner of a new account, with a second factor. Leaves the page somewhere on the dashboard.
 */
export async function newMerchant(
  page: Page,
  { name = "Robin Weaver", accountName = "Kiln Street" } = {},
): Promise<Visitor> {
  const email = await newLogin(page, { name, account_name: accountName });
  const code = await setUpApp(page);
  const { memberships } = await request<{ memberships: { account_id: string }[] }>(page, "GET", "/auth/me");
  return { email, password, accountId: memberships[0]?.account_id ?? "", code };
}

/**
 * Signs up a user and signs in with the password, before there is a second factor. Without an account name, the user
 * isn't a member of any team.
 * @returns the user's email address
 */
export async function newLogin(page: Page, more: { name?: string; account_name?: string } = {}): Promise<string> {
  await page.goto(`${addresses.dashboard}/sign-up`);
  const email = newEmail("merchant");
  await request(page, "POST", "/auth/sign-up", { name: "Robin Weaver", email, password, ...more });
  await request(page, "POST", "/auth/verify-email", {
    token: (await emailedLink(email, "verify-email")).split("#")[1] ?? "",
  });
  await request(page, "POST", "/auth/sign-in", { email, password });
  return email;
}

/** @returns a function that returns the app's codes */
export async function setUpApp(page: Page): Promise<() => string> {
  const { uri } = await request<{ uri: string }>(page, "POST", "/auth/totp/begin", { password });
  const code = codesOf(uri);
  await request(page, "POST", "/auth/totp/confirm", { code: code() });
  return code;
}

/** Adds a virtual device with passkeys that always verifies the user. */
export async function plugInPasskeys(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("WebAuthn.enable");
  await devtools.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: "internal",
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** The operator that `npm start` creates. Codes work once, so the processes of the tests share them out. */
export function demoOperator(): Omit<Visitor, "accountId"> {
  const logins = JSON.parse(readFileSync(join(dataDir, "logins.json"), "utf8")) as Record<
    "what" | "email" | "password" | "uri",
    string
  >[];
  const operator = logins.find(({ what }) => what === "operator");
  if (operator === undefined) throw new Error("npm start created no operator");
  return { email: operator.email, password: operator.password, code: codesOf(operator.uri, isFirstToUse) };
}

/** Whether no other process of the tests has used the operator's code of this time step. */
function isFirstToUse(step: number): boolean {
  try {
    writeFileSync(join(dataDir, `operator-code-${step}`), "", { flag: "wx" });
    return true;
  } catch {
    return false;
  }
}

/**
 * Returns the codes of an authenticator app: the current, the next and the previous one.
 * @param isFree whether this process can use the code of a time step
 */
export function codesOf(uri: string, isFree: (step: number) => boolean = () => true): () => string {
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error("Not a TOTP");
  /** Time steps of 30 seconds since 1970. */
  const used = new Set<number>();
  return () => {
    const now = Math.floor(Date.now() / 30_000);
    const step = [now, now + 1, now - 1].find((candidate) => !used.has(candidate) && isFree(candidate));
    if (step === undefined) throw new Error("All three codes of this time step are used");
    used.add(step);
    return totp.generate({ timestamp: step * 30_000 });
  };
}

/** The link to `path` in the latest email to the address. */
export async function emailedLink(to: string, path: string): Promise<string> {
  let link: string | undefined;
  await expect
    .poll(() => (link = findLink(to, path)), { message: `an email to ${to} with a link to ${path}`, timeout: 15_000 })
    .toBeDefined();
  return link ?? "";
}

function findLink(to: string, path: string): string | undefined {
  const directory = join(dataDir, "mail");
  const texts = readdirSync(directory)
    .sort()
    .reverse()
    .map((name) => readFileSync(join(directory, name), "utf8"));
  const pattern = new RegExp(`http\\S+/${path}#\\S+`);
  return texts.filter((text) => text.includes(`\nTo: ${to}\n`)).map((text) => pattern.exec(text)?.[0])[0];
}
