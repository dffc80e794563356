/**
 * Creates a signed-in user over HTTP: signs up, verifies the email address, signs in and sets up an authenticator app.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { TOTP, URI } from "otpauth";
import type { Service } from "../../trials/chaos/service.ts";

const password = "correct horse battery 9";

export interface Visitor {
  loginId: string;
  /** @param body - A buffer is sent as a PDF. @returns the response's text @throws Error for any status except 200 */
  send(method: string, path: string, body?: object | Buffer): Promise<string>;
  /** @returns a function that sends requests over its own connection */
  connect(): (path: string) => Promise<string>;
}

export async function signIn({ db, env }: Service, apiUrl: string, email: string): Promise<Visitor> {
  const origin = `http://dashboard.localhost:${new URL(apiUrl).port}`;
  const cookies = new Map<string, string>();
  const post = async (path: string, body: object) =>
    JSON.parse(await send(new Agent(), "POST", path, body)) as Record<string, string>; // the route's type
  await post("/auth/sign-up", { name: "Robin Weaver", email, password });
  await post("/auth/verify-email", { token: await emailedToken(join(env["ORIEL_DATA_DIR"] ?? "", "mail"), email) });
  await post("/auth/sign-in", { email, password });
  const { uri = "" } = await post("/auth/totp/begin", { password });
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error("Not a TOTP");
  await post("/auth/totp/confirm", { code: totp.generate() });
  const login = await db.selectFrom("login").select("id").where("email", "=", email).executeTakeFirstOrThrow();
  return {
    loginId: login.id,
    send: (method, path, body) => send(new Agent(), method, path, body),
    connect() {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      return (path) => send(agent, "GET", path);
    },
  };

  function send(agent: Agent, method: string, path: string, body?: object | Buffer): Promise<string> {
    return new Promise((resolve, reject) => {
      const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const headers = {
        host: new URL(origin).host, // Node doesn't resolve this name
        origin,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(bytes !== undefined && {
          "content-type": Buffer.isBuffer(body) ? "application/pdf" : "application/json",
          "content-length": String(bytes.length),
        }),
      };
      const outgoing = request(`${apiUrl}${path}`, { method, agent, headers }, (response) => {
        for (const cookie of response.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
          cookies.set(name, value);
        }
        let text = "";
        response.setEncoding("utf8").on("data", (part: string) => (text += part));
        response.once("error", reject);
        response.once("end", () => {
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${method} ${path} got ${response.statusCode} ${text}`));
        });
      });
      outgoing.once("error", reject).end(bytes);
    });
  }
}

/** The token in the first email to the address. */
async function emailedToken(directory: string, email: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const names = await Promise.resolve()
      .then(() => readdirSync(directory))
      .catch((): string[] => []);
    const emails = names.map((name) => readFileSync(join(directory, name), "utf8"));
    const token = /#(\S+)/.exec(emails.find((message) => message.includes(`\nTo: ${email}\n`)) ?? "")?.[1];
    if (token) return token;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The email didn't arrive.");
}
