/**
 * A dashboard user: signs up by email, sets up a second factor, and sends requests as a browser on the dashboard's
 * pages would.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { TOTP, URI } from "otpauth";
import type { Role } from "@oriel/protocol/dashboard/roles";
import { sendEmails } from "./send-emails.ts";
import type { ApiResponse, Json, Method, TestService } from "./test-service.ts";
import { until } from "./until.ts";

export const password = "correct horse battery 9";

export interface Visitor {
  email: string;
  /** Sends a request with its cookies, from the dashboard's own page. Headers given here take precedence. */
  call(method: Method, path: string, body?: unknown, headers?: Record<string, string>): Promise<ApiResponse>;
  /** Calls a route of the first account's team in test mode: `inWorkspace("GET", "payments")`. */
  inWorkspace(method: Method, path: string, body?: unknown): Promise<ApiResponse>;
  /** The ID of the first account. */
  accountId: string;
  /** The same account's key in the database. */
  accountNo: number;
  /** Returns an unused code. Three codes are valid at any time. */
  code(): string;
  /** The browser's cookies. */
  cookies: Map<string, string>;
  signOut(): Promise<ApiResponse>;
  /** Confirms the password and a code. */
  signIn(): Promise<ApiResponse>;
}

let count = 0;

/** Signed in with a second factor, as owner of a new account. */
export async function newVisitor(service: TestService, { accountName = "Kiln Street" } = {}): Promise<Visitor> {
  const visitor = await signUp(service, accountName);
  return await enter(service, visitor);
}

/** Signed in with a second factor, as a member of another visitor's account. */
export async function newColleague(service: TestService, owner: Visitor, role: Role): Promise<Visitor> {
  const colleague = await enter(service, await signUp(service, undefined));
  await service.context.db
    .insertInto("member")
    .values({
      account_no: owner.accountNo,
      login_id: await loginId(service, colleague),
      role,
      created_at: service.context.now(),
    })
    .execute();
  colleague.accountId = owner.accountId;
  colleague.accountNo = owner.accountNo;
  return colleague;
}

/** Signed in with a second factor, as an operator. */
export async function newOperator(service: TestService): Promise<Visitor> {
  const operator = await enter(service, await signUp(service, undefined));
  await service.context.db
    .insertInto("operator")
    .values({ login_id: await loginId(service, operator), created_at: service.context.now() })
    .execute();
  return operator;
}

/** A browser of a user who has signed up and confirmed the email, but hasn't signed in yet. */
export async function signUp(service: TestService, accountName: string | undefined): Promise<Visitor> {
  const visitor = newBrowser(service, `visitor-${++count}@shop.example`);
  const signedUp = await visitor.call("POST", "/auth/sign-up", {
    name: "Robin Weaver",
    email: visitor.email,
    password,
    ...(accountName !== undefined && { account_name: accountName }),
  });
  if (signedUp.status !== 200) throw new Error(`Signing up: ${signedUp.text}`);
  await visitor.call("POST", "/auth/verify-email", { token: await linkToken(service, visitor.email, "verify-email") });
  return visitor;
}

/** A browser without cookies. */
export function newBrowser(service: TestService, email: string): Visitor {
  const cookies = new Map<string, string>();
  const { dashboardOrigin: origin } = service.config;
  let totp: TOTP | null = null;
  /** Half minutes since 1970. */
  const used = new Set<number>();
  const visitor: Visitor = {
    email,
    cookies,
    accountId: "",
    accountNo: 0,
    async call(method, path, body, headers = {}) {
      // Injected, because Node's HTTP clients can't send a `Host` other than the one they connect to.
      const response = await service.app.inject({
        method,
        url: path,
        headers: {
          host: new URL(origin).host,
          origin,
          "sec-fetch-site": "same-origin",
          ...(cookies.size > 0 && { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") }),
          ...(body !== undefined && !(body instanceof Uint8Array) && { "content-type": "application/json" }),
          ...headers,
        },
        ...(body !== undefined && { payload: body instanceof Uint8Array ? Buffer.from(body) : JSON.stringify(body) }),
      });
      for (const cookie of [response.headers["set-cookie"] ?? []].flat()) {
        const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
        if (/max-age=0/i.test(cookie) || value === "") cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = response.payload;
      if (path === "/auth/totp/begin" && response.statusCode === 200) {
        const parsed = URI.parse(String((JSON.parse(text) as Json)["uri"]));
        if (!(parsed instanceof TOTP)) throw new Error("Not a TOTP");
        totp = parsed;
      }
      const isJson = String(response.headers["content-type"]).startsWith("application/json");
      return {
        status: response.statusCode,
        body: (isJson ? JSON.parse(text) : {}) as Json, // tests check it with `expect`
        text,
        headers: response.headers,
      };
    },
    inWorkspace: (method, path, body) => visitor.call(method, `/data/${visitor.accountId}/test/${path}`, body),
    code() {
      if (totp === null) throw new Error("There is no second factor yet");
      const now = Math.floor(Date.now() / 30_000);
      const step = [now, now + 1, now - 1].find((candidate) => !used.has(candidate));
      if (step === undefined) throw new Error("All three codes of this half minute are used");
      used.add(step);
      return totp.generate({ timestamp: step * 30_000 });
    },
    signOut: () => visitor.call("POST", "/auth/sign-out", {}),
    async signIn() {
      const response = await visitor.call("POST", "/auth/sign-in", { email, password });
      if (String(response.body["status"]) !== "second_factor") return response;
      return await visitor.call("POST", "/auth/second-factor", { code: visitor.code() });
    },
  };
  return visitor;
}

/** Signs in for the first time, sets up the second factor, and finds the account. */
async function enter(service: TestService, visitor: Visitor): Promise<Visitor> {
  for (const [path, body] of [
    ["/auth/sign-in", () => ({ email: visitor.email, password })],
    ["/auth/totp/begin", () => ({ password })],
    ["/auth/totp/confirm", () => ({ code: visitor.code() })],
  ] as const) {
    const response = await visitor.call("POST", path, body());
    if (response.status !== 200) throw new Error(`${path}: ${response.status} ${response.text}`);
  }
  const me = (await visitor.call("GET", "/auth/me")).body as unknown as { memberships: { account_id: string }[] };
  visitor.accountId = me.memberships[0]?.account_id ?? "";
  const account = service.context.db.selectFrom("account").select("account_no").where("id", "=", visitor.accountId);
  visitor.accountNo = (await account.executeTakeFirst())?.account_no ?? 0;
  return visitor;
}

/** Returns the token from the latest email to that address that contains a link to this path. */
export async function linkToken(service: TestService, to: string, path: string): Promise<string> {
  return await until(`an email to ${to} with a link to ${path}`, async () => {
    if (service.config.role === "api") await sendEmails(service);
    const texts = emailsTo(service, to).reverse();
    const pattern = new RegExp(`/${path}#(\\S+)`);
    return texts.map((text) => pattern.exec(text)?.[1]).find((token) => token !== undefined) ?? null;
  });
}

/** Oldest first. */
export function emailsTo(service: TestService, to: string): string[] {
  const directory = join(service.config.dataDir, "mail");
  let names: string[];
  try {
    names = readdirSync(directory).sort();
  } catch {
    return []; // no email has been written yet
  }
  return names
    .map((name) => readFileSync(join(directory, name), "utf8"))
    .filter((text) => text.includes(`\nTo: ${to}\n`));
}

async function loginId(service: TestService, { email }: Visitor): Promise<string> {
  const login = service.context.db.selectFrom("login").select("id").where("email", "=", email);
  return (await login.executeTakeFirstOrThrow()).id;
}

/** The signed-in user, according to the service. */
export const me = (visitor: Visitor) => visitor.call("GET", "/auth/me");
