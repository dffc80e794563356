/**
 * `npm run bench -- dashboard`: latency of the dashboard's requests with 100,000 payments in one account. An owner and
 * an operator, both signed in, send requests in a closed loop over four connections that share the cores with the
 * service and PostgreSQL. The run fails if a query finds nothing.
 */
import type { Overview } from "@oriel/protocol/dashboard/payments";
import type {
  ApplicationResponse,
  ApplicationDocument,
  SubmitApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { completeApplication } from "../packages/server/test/setup/application.ts";
import { pdf } from "../packages/server/test/setup/test-documents.ts";
import { openService, type Service } from "../trials/chaos/service.ts";
import { createClient } from "./api/client.ts";
import { runLoop } from "./api/closed-loop.ts";
import { fillPages, variety } from "./dashboard/fill-pages.ts";
import { checkFound, requestsFor } from "./dashboard/requests.ts";
import { signIn, type Visitor } from "./dashboard/sign-in.ts";
import { fill, makeOriginal } from "./growth/fill.ts";
import { describeMachine, describePostgres } from "./machine.ts";
import { printMeasurements, writeMeasurements, type Measurement } from "./measurement.ts";

const payments = 100_000;
const budgetMs = 300;
const clients = 4;
const seconds = 4;

export const dashboardParts: readonly string[] = [];

export async function benchDashboard(): Promise<void> {
  const service = await openService({
    roles: ["all"],
    env: { ORIEL_SIGN_IN_RATE_LIMIT: "off", ORIEL_DASHBOARD_RATE_LIMIT: "off" },
  });
  const machine = { ...describeMachine(), ...(await describePostgres(service.db)) };
  const measurements: Measurement[] = [];
  try {
    const [process] = service.processes.all;
    if (process === undefined) throw new Error("Bug: no process");
    await process.start();
    const merchant = createClient(process.apiUrl, service.secretKey);
    const { endpoint, ...original } = await makeOriginal(merchant.send);
    // There's only one account so far.
    const { id: account, account_no: accountNo } = await service.db
      .selectFrom("account")
      .select(["id", "account_no"])
      .executeTakeFirstOrThrow();
    const owner = await signInOwner(service, process.apiUrl, accountNo);
    const application = await apply(owner, account);
    const operator = await signInOperator(service, process.apiUrl);
    const startedAt = Date.now();
    await fill(service.databaseUrl, original, payments, () => {}, variety);
    await fillPages(service.databaseUrl, { account, accountNo, original }, payments);
    console.log(
      `Filled with ${payments.toLocaleString("en")} payments in ${Math.round((Date.now() - startedAt) / 1000)} s`,
    );

    const senders = { owner: connections(owner), operator: connections(operator) };
    // The dashboard's route returns this type.
    const seen = JSON.parse(await owner.send("GET", `/data/${account}/test/overview?days=7`)) as Overview;
    if (seen.currencies.reduce((sum, currency) => sum + currency.payments, 0) < payments)
      throw new Error("The overview doesn't include all payments.");
    const requests = requestsFor({ account, endpoint, application, original });
    // Check all of them before measuring the first, so that an invalid run ends early.
    for (const request of requests)
      checkFound(request, await { owner, operator }[request.sender].send("GET", request.path(payments / 2)));
    for (const { name, sender, path } of requests) {
      const loop = senders[sender].map((send) => () => send(path(1 + Math.floor(Math.random() * payments))));
      await runLoop(loop, 1);
      const { p95 } = await runLoop(loop, seconds);
      console.log(`Measured: ${name}, ${p95} ms`);
      measurements.push({ what: `${name}, 95%`, unit: "ms", value: p95, budget: budgetMs });
    }
    merchant.close();
    if (service.processes.failures.length > 0)
      throw new Error("A process exited unexpectedly, so the figures are invalid.");
    writeMeasurements("dashboard", machine, measurements);
  } finally {
    printMeasurements(machine, measurements);
    await service.close(service.processes.failures.length > 0);
  }
}

async function signInOwner(service: Service, apiUrl: string, accountNo: number): Promise<Visitor> {
  const owner = await signIn(service, apiUrl, "owner@shop.example");
  await service.db
    .insertInto("member")
    .values({ account_no: accountNo, login_id: owner.loginId, role: "owner", created_at: new Date() })
    .execute();
  return owner;
}

async function signInOperator(service: Service, apiUrl: string): Promise<Visitor> {
  const operator = await signIn(service, apiUrl, "operator@oriel.example");
  await service.db.insertInto("operator").values({ login_id: operator.loginId, created_at: new Date() }).execute();
  return operator;
}

/** Applies for live mode. @returns the application's ID, once it's in the operator's queue */
async function apply(owner: Visitor, account: string): Promise<string> {
  const path = `/data/${account}/test/application`;
  // The dashboard's route returns this type.
  const saved = JSON.parse(await owner.send("PUT", path, completeApplication)) as ApplicationResponse;
  if (saved.application === null) throw new Error("Bug: a saved draft is missing");
  const uploaded = await owner.send("POST", `${path}/documents?kind=registration&name=Register.pdf`, pdf());
  const { id: document } = JSON.parse(uploaded) as ApplicationDocument; // the route's type
  const seen: SubmitApplication = { version: saved.application.version, submitted: null, documents: [document] };
  await owner.send("POST", `${path}/submit`, seen);
  return saved.application.id;
}

function connections(visitor: Visitor): ReturnType<Visitor["connect"]>[] {
  return Array.from({ length: clients }, () => visitor.connect());
}
