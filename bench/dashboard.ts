/**
 * `npm run bench -- dashboard`: how long what the dashboard's pages ask for takes, with a hundred thousand payments of one account in the tables. An owner who has
 * signed in by the front door asks in a closed loop with four connections, which share the cores with the service and PostgreSQL.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { TOTP, URI } from "otpauth";
import type { Overview } from "@oriel/protocol/dashboard-payments";
import { createChance } from "../scripts/chaos/chance.ts";
import { openService, type Service } from "../scripts/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { runLoop } from "./api/closed-loop.ts";
import { copyOf, fill, makeOriginal } from "./growth/fill.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { printMeasurements, writeMeasurements, type Measurement } from "./measurement.ts";

const payments = 100_000;
const budgetMs = 300;
const clients = 4;
const seconds = 4;
const password = "correct horse battery 9";

/** What each page asks for. `any`: the number of some payment. */
const questions: Record<string, (any: number) => string> = {
  "overview, 7 days": () => "overview?days=7",
  "overview, 90 days": () => "overview?days=90",
  payments: () => "payments",
  "payments, deep in": (any) => `payments?starting_after=${copyOf("ch", any)}`,
  "payments, by state and amount": () => "payments?status=succeeded&currency=eur&min_amount=4000&max_amount=5000",
  "payments, where nothing fits": () => "payments?status=canceled&currency=jpy",
  "payments, declined": () => "payments?decline_code=do_not_honor",
  "payments, by card": () => "payments?brand=visa&last4=4242",
  "payments, searched by id": (any) => `payments?search=${copyOf("cs", any)}`,
  "payments, searched by e-mail": () => "payments?search=nobody@shop.example",
  "one payment": (any) => `payments/${copyOf("ch", any)}`,
  "saved payment methods": () => "payment-methods",
  events: () => "events",
  "events of a type": () => "events?type=payment.succeeded",
  "one event": (any) => `events/${copyOf("evt", any)}`,
  "webhook endpoints": () => "webhook_endpoints",
  "secret keys": () => "keys",
  "request log": () => "requests",
  "request log, what failed": () => "requests?status=5xx",
  settings: () => "settings",
  team: () => "team",
  integrate: () => "integrate",
  application: () => "application",
  audit: () => "audit",
};

export const dashboardParts: readonly string[] = [];

export async function benchDashboard(): Promise<void> {
  const service = await openService({
    roles: ["all"],
    chance: createChance(1),
    env: { ORIEL_SIGN_IN_RATE_LIMIT: "off", ORIEL_DASHBOARD_RATE_LIMIT: "off" },
  });
  const machine = { ...describeMachine(), ...(await describePostgres(service.db)) };
  const measurements: Measurement[] = [];
  try {
    const [process] = service.processes.all;
    if (process === undefined) throw new Error("Bug: no process");
    await process.start();
    const merchant = createClient(process.apiUrl, service.secretKey);
    const { endpoint: _, ...original } = await makeOriginal(merchant.send);
    await fill(service.databaseUrl, original, payments, (done) => console.log(`Filling: ${done.toLocaleString("en")} payments`));
    const visitors = await signIn(service, process.apiUrl);
    const seen = JSON.parse((await visitors[0]?.("overview?days=7")) ?? "{}") as Partial<Overview>; // of the dashboard's route
    if ((seen.currencies?.[0]?.payments ?? 0) < payments) throw new Error("The overview does not see all payments.");
    for (const [name, path] of Object.entries(questions)) {
      const loop = visitors.map((ask) => () => ask(path(1 + Math.floor(Math.random() * payments))));
      await runLoop(loop, 1);
      const { p95 } = await runLoop(loop, seconds);
      console.log(`Measured: ${name}, ${p95} ms`);
      measurements.push({ what: `${name}, 95 %`, unit: "ms", value: p95, budget: budgetMs });
    }
    merchant.close();
    if (service.processes.surprises.length > 0) throw new Error("A process ended by itself: the figures are worth nothing.");
    writeMeasurements("dashboard", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    await service.close(service.processes.surprises.length > 0);
  }
}

type Ask = (path: string) => Promise<string>;

/** An owner of the account, on so many connections. */
async function signIn({ db, env }: Service, apiUrl: string): Promise<Ask[]> {
  const origin = `http://dashboard.localhost:${new URL(apiUrl).port}`;
  const cookies = new Map<string, string>();
  const email = "owner@shop.example";
  const post = async (path: string, body: object) =>
    JSON.parse(await send(new Agent(), "POST", path, JSON.stringify(body))) as Record<string, string>; // of the dashboard's routes
  await post("/auth/sign-up", { name: "Robin Weaver", email, password });
  await post("/auth/verify-email", { token: await mailedToken(join(env["ORIEL_DATA_DIR"] ?? "", "mail")) });
  await post("/auth/sign-in", { email, password });
  const { uri = "" } = await post("/auth/totp/begin", { password });
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error("Not a TOTP");
  await post("/auth/totp/confirm", { code: totp.generate() });
  const account = await db.selectFrom("account").select("id").executeTakeFirstOrThrow();
  const login = await db.selectFrom("login").select("id").where("email", "=", email).executeTakeFirstOrThrow();
  await db
    .insertInto("member")
    .values({ account_id: account.id, login_id: login.id, role: "owner", created_at: new Date() })
    .execute();
  return Array.from({ length: clients }, () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    return (path) => send(agent, "GET", `/data/${account.id}/test/${path}`);
  });

  function send(agent: Agent, method: string, path: string, body = ""): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = {
        host: new URL(origin).host, // a name that Node does not resolve
        origin,
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        ...(body !== "" && { "content-type": "application/json", "content-length": String(Buffer.byteLength(body)) }),
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
          else reject(new Error(`${method} ${path} was answered ${response.statusCode} ${text}`));
        });
      });
      outgoing.once("error", reject).end(body);
    });
  }
}

/** Of the only mail that there is. */
async function mailedToken(directory: string): Promise<string> {
  for (let tries = 0; tries < 100; tries++) {
    const [name] = await Promise.resolve()
      .then(() => readdirSync(directory))
      .catch((): string[] => []);
    const token = name && /#(\S+)/.exec(readFileSync(join(directory, name), "utf8"))?.[1];
    if (token) return token;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("The mail did not come.");
}
