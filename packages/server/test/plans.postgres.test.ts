/**
 * Checks PostgreSQL's query plans on large tables. It records every statement from payments, reads, deliveries, sweeps,
 * notifications and operators, and prepares them as the service does. None of them may scan a growing table, or an
 * index over all of it, from end to end. Neither may any read all rows of an account, which can have most of them.
 * Scanning an index of the few rows in progress is fine. The plans of the statements in functions and triggers come from
 * `auto_explain`, when they run.
 */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import { disputeStatuses } from "@oriel/protocol/api";
import { statusClasses } from "@oriel/protocol/dashboard/log";
import { applicationStatuses } from "@oriel/protocol/dashboard/underwriting";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { retrievePayment } from "../src/http/routes/dashboard/payment-timeline.ts";
import { listAudit } from "../src/merchants/audit/list-audit.ts";
import {
  findMember,
  listInvitations,
  listMembers,
  membershipsOf,
  ownerAddresses,
} from "../src/merchants/members/members.ts";
import { listRequests } from "../src/merchants/request-log/request-log.ts";
import { currentApplication } from "../src/merchants/underwriting/applications.ts";
import { findAccounts, listQueue, viewApplication } from "../src/merchants/underwriting/console.ts";
import { countAttention, listAttention } from "../src/payments/attention/attention.ts";
import { listDisputes } from "../src/payments/disputes/disputes.ts";
import { recordMethodNotified } from "../src/payments/flow/threeds/authentications.ts";
import { recordBrowserReturn } from "../src/payments/flow/threeds/browser-return.ts";
import { listSavedPaymentMethods } from "../src/payments/payment-methods/payment-methods.ts";
import { readOverview } from "../src/payments/reporting/overview.ts";
import { searchPayments } from "../src/payments/reporting/payment-search.ts";
import { isSecondApproval, lockReversed } from "../src/payments/reversals/reversals.ts";
import { frameAncestorsOf } from "../src/payments/sessions/session-pages.ts";
import type { Db, DatabaseChoice } from "../src/platform/storage/database.ts";
import { needsCustomPlan } from "../src/platform/storage/preparing-client.ts";
import { createDatabaseGauges } from "../src/telemetry/database-gauges.ts";
import { deliveriesOfEvents, lastAttemptsOf } from "../src/webhooks/deliveries.ts";
import { listEventSummaries } from "../src/webhooks/events.ts";
import { sweep } from "../src/worker.ts";
import { startAdyen, type AdyenBank } from "./setup/adyen.ts";
import { applicationIn } from "./setup/application.ts";
import { cardNumbers, payAndAuthenticate } from "./setup/customer.ts";
import { newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { growingTables, growTables } from "./setup/grow-tables.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { itemAbout, itemOf, startNotifying, type Notifying } from "./setup/notifying.ts";
import { recordStatements, type RecordedStatement } from "./setup/recorded-statements.ts";
import { freshDatabase, startTestService, type Json, type TestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./setup/webhook-receiver.ts";

const copies = 20_000;
/** Every rule runs its query, but no limit is reached despite the many copies. */
const risk =
  "account_velocity=99999/h:challenge; ip_velocity=99999/h:challenge; ip_tries=99999/h; account_tries=99999/h";

let service: TestService;
let adyen: AdyenBank;
let receiver: WebhookReceiver;
let merchant: Merchant;
/** Another merchant, with an acquirer that reports outcomes later. */
let shop: Notifying;
let owner: Visitor;
/** The ID of the owner's application. */
let applicationId: string;
let recorded: RecordedStatement[];
/** The plans of the statements in functions and triggers, by text. */
const nested = new Map<string, Plan>();
const closers = closersFor(afterAll);
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  receiver.react = (_webhook, response) => void response.end("ok");
  adyen = await startAdyen();
  adyen.holdsNotifications = true;
  service = await startTestService({ risk, bankUrl: adyen.bankUrl, database: await explainingDatabase() });
  merchant = await newMerchant(service);
  shop = await startNotifying(service, adyen);
  await merchant.call("POST", "/api/v1/webhook_endpoints", { url: receiver.url });
  owner = await newVisitor(service);
  applicationId = await applicationIn("submitted", owner, await newOperator(service));
  await owner.inWorkspace("POST", "team/invitations", { email: "ann@shop.example", role: "support" });
  await doEverything();
  await growTables(service.context.db, copies);
  await planOnce();
  const stop = watchPlans();
  recorded = await recordStatements(doEverything).finally(stop);
}, 120_000);
afterAll(async () => {
  await service.close();
  await adyen.close();
  await receiver.close();
});

/** A database that sends the plan of each statement in a function or trigger as a notice. */
async function explainingDatabase(): Promise<DatabaseChoice> {
  const fresh = await freshDatabase(closers, inject("migratedTemplate") ?? undefined);
  if (fresh.kind !== "postgres") throw new Error("Bug: not on PostgreSQL");
  const url = new URL(fresh.url);
  const settings = {
    session_preload_libraries: "auto_explain",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
  };
  const options = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set("options", options.join(" "));
  return { kind: "postgres", url: url.href };
}

/** Lets new connections use the plans that a function keeps. Otherwise, its first runs have a plan for their values. */
async function planOnce(): Promise<void> {
  const { db } = service.context;
  const { rows } = await sql<{ signature: string }>`
    select oid::regprocedure::text as signature from pg_proc
    where pronamespace = 'public'::regnamespace and prolang = (select oid from pg_language where lanname = 'plpgsql')`.execute(
    db,
  );
  for (const { signature } of rows)
    await sql.raw(`alter function ${signature} set plan_cache_mode = force_generic_plan`).execute(db);
}

/** Keeps all plans in {@link nested} from now on. @returns a function that stops this */
function watchPlans(): () => void {
  const prototype = pg.Client.prototype;
  const { emit } = prototype;
  prototype.emit = function (this: pg.Client, event: string, ...args: unknown[]) {
    const [notice] = args as { message?: string }[];
    const json = event === "notice" ? /^duration: .* plan:\n(.*)$/s.exec(notice?.message ?? "")?.[1] : undefined;
    if (json !== undefined) {
      const explained = JSON.parse(json) as { "Query Text": string; Plan: Plan }; // as PostgreSQL writes it
      nested.set(explained["Query Text"], explained.Plan);
    }
    return Reflect.apply(emit, this, [event, ...args]);
  } as typeof emit;
  return () => void (prototype.emit = emit);
}

/** Does everything that merchants, customers, workers and sweeps do, once each. */
async function doEverything(): Promise<void> {
  const checkout = await merchant.checkout({ save_payment_method: true, customer: { email: "ana@buyers.example" } });
  const { id } = await payAndAuthenticate(checkout, cardNumbers.frictionless);
  await checkout.payment(id);
  await returnFromTheBank();
  const paid = await merchant.chargeOf(checkout);
  const savedCheckout = await merchant.checkout({ save_payment_method: true });
  await payAndAuthenticate(savedCheckout, cardNumbers.frictionlessWithoutMethod);
  const declined = await merchant.checkout();
  await declined.pay(cardNumbers.declined);
  const reserved = await merchant.charge("pm_card_visa", { capture_method: "manual" }, randomUUID());
  await merchant.capture(String(reserved.body["id"]), 4000);
  const refund = await merchant.refund(String(paid["id"]), 100);
  const canceled = await merchant.charge("pm_card_visa", { capture_method: "manual" });
  await merchant.cancel(String(canceled.body["id"]));
  const saved = String(paid["payment_method_id"]);
  await merchant.charge(saved);
  const customer = await changeCustomer(String((await merchant.chargeOf(savedCheckout))["payment_method_id"]));
  const other = await changeCustomer(saved);

  const [endpoint] = await merchant.list("webhook_endpoints");
  const [event] = await merchant.list("events");
  const deliveries = `webhook_endpoints/${String(endpoint?.["id"])}/deliveries`;
  await until("the deliveries", async () => (await merchant.list(`${deliveries}?status=pending`)).length === 0);
  await merchant.call("POST", `/api/v1/events/${String(event?.["id"])}/redeliver`, {});
  for (const path of [
    ...["checkout_sessions", "charges", "refunds", "events", deliveries].flatMap((list) => [list, `${list}?limit=100`]),
    `charges/${String(paid["id"])}`,
    `charges?session_id=${checkout.sessionId}`,
    `charges?decision_id=${String(paid["decision_id"])}`,
    `charges?starting_after=${String(paid["id"])}`,
    `charges?ending_before=${String(paid["id"])}`,
    `refunds/${String(refund.body["id"])}`,
    `refunds?charge_id=${String(paid["id"])}`,
    `decisions/${String(paid["decision_id"])}`,
    `payment_methods/${saved}`,
    "customers",
    `customers?starting_after=${customer}`,
    `customers?reference=${customer}`,
    "customers?email=ana@buyers.example",
    `customers?email=ana@buyers.example&ending_before=${customer}`,
    `customers/${customer}`,
    `customers/${customer}/payment_methods`,
    `events/${String(event?.["id"])}`,
    "events?type=payment.succeeded",
    "events?after=start",
    `events?after=${String(event?.["id"])}`,
    "events?after=start&type=payment.succeeded",
    `${deliveries}?status=failed`,
  ]) {
    await merchant.read(path);
  }
  await openDashboardPages(paid, String(event?.["id"]), String(refund.body["id"]));
  const detached = await merchant.call("POST", `/api/v1/payment_methods/${saved}/detach`, {});
  await merchant.call("DELETE", `/api/v1/customers/${other}`);
  await readLogs(String(detached.headers["request-id"]));
  await applyNotifications();
  await openTeamAndOperatorPages();
  await sweep(service.context);
  await createDatabaseGauges(service.context.telemetry.metrics.database, service.context)();
}

/** Creates and changes a customer, and attaches a card. @returns the customer's ID */
async function changeCustomer(card: string): Promise<string> {
  const person = { email: "ana@buyers.example" };
  const id = String((await merchant.call("POST", "/api/v1/customers", person)).body["id"]);
  await merchant.call("PATCH", `/api/v1/customers/${id}`, { reference: id });
  await merchant.call("POST", "/api/v1/customers", { reference: id }); // refused
  await merchant.call("POST", `/api/v1/payment_methods/${card}/attach`, { customer_id: id });
  await merchant.call("PATCH", `/api/v1/payment_methods/${card}`, { removable_by_customer: false });
  return id;
}

/** Looks for a transaction as the pages do to which the bank returns. */
async function returnFromTheBank(): Promise<void> {
  const { context } = service;
  const { tenant } = merchant;
  const [transactionId, acsTransID] = [randomUUID(), randomUUID()];
  await recordMethodNotified(context, tenant, transactionId);
  await recordBrowserReturn(context, tenant, { threeDSServerTransID: transactionId, acsTransID, hint: "Y" });
  await frameAncestorsOf(context, { owner: tenant, transactionId });
}

/** Sends a dashboard user's requests, with many, few and no matches. */
async function openDashboardPages(paid: Json, eventId: string, refundId: string): Promise<void> {
  const { context } = service;
  const { tenant } = merchant;
  const id = String(paid["id"]);
  await readOverview(context, tenant, 90);
  await retrievePayment(context, tenant, id);
  await listSavedPaymentMethods(context, tenant, {});
  await listEventSummaries(context, tenant, { type: "refund.failed" });
  await listEventSummaries(context, tenant, { object_id: id });
  await deliveriesOfEvents(context.db, tenant, [eventId], 100);
  const endpoints = await merchant.list("webhook_endpoints");
  await lastAttemptsOf(context.db, tenant, endpoints.map((endpoint) => String(endpoint["id"]))); // prettier-ignore
  const ids = [
    id,
    eventId,
    refundId,
    ...["session_id", "decision_id", "payment_method_id"].map((name) => String(paid[name])),
  ];
  for (const filters of [
    {},
    { status: "succeeded" as const },
    { status: "failed" as const, decline_code: "stolen_card" as const },
    { currency: "sek", min_amount: "1", max_amount: "2", from: "1", to: "99999999999" },
    { last4: "4242" },
    { last4: "0000", brand: "amex" },
    { brand: "amex" },
    ...[
      "ana@buyers.example",
      "nobody",
      "pm_card_visa",
      "ana",
      "ana 4242",
      "ana example nobody",
      "49.00",
      "4242",
      ...ids,
    ].map((search) => ({ search })),
  ]) {
    for (const startingAfter of [null, id])
      await searchPayments(context, tenant, filters, { limit: 25, startingAfter });
  }
}

/** Reads the request log as the dashboard does, once it contains the last request. */
async function readLogs(requestId: string): Promise<void> {
  const { db } = service.context;
  const listed = (filter: Parameters<typeof listRequests>[2], page = {}) =>
    listRequests(db, merchant.tenant, filter, page);
  await until("the request log", async () => (await listed({ request_id: requestId })).data[0] ?? null);
  for (const status of [undefined, ...statusClasses]) {
    await listed({ status });
    await listed({ status, method: "POST" }, { starting_after: requestId });
  }
  const { data } = await listAudit(db, merchant.accountId, {});
  await listAudit(db, null, { starting_after: data[0]?.id });
}

/** Applies an acquirer's notifications, and reads what they changed. */
async function applyNotifications(): Promise<void> {
  const { context } = service;
  const { db } = context;
  const { tenant } = shop.merchant;
  const { id, authorization, capture } = await shop.pendingCapture();
  await shop.notify(itemAbout(capture, authorization, "CAPTURE"));
  await shop.merchant.refund(id, 100);
  const refund = await shop.latest(id);
  await shop.notify(
    itemAbout(refund, authorization, "REFUND"),
    itemAbout(refund, authorization, "REFUND_FAILED"),
    itemAbout(capture, authorization, "CAPTURE_FAILED"),
    itemOf(authorization, "TECHNICAL_CANCEL"),
    itemOf(authorization, "SECOND_CHARGEBACK"),
  );
  await isSecondApproval(db, authorization, "PSP1");
  await db.transaction().execute((tx) => lockReversed(tx, authorization));
  await retrievePayment(context, tenant, id);
  await shop.ledger(id);
  await shop.disputes(id);
  await countAttention(context, tenant);
  for (const state of [{}, { state: "open" }, { state: "resolved" }] as const)
    await listAttention(context, tenant, state);
  for (const status of [undefined, ...disputeStatuses]) await listDisputes(context, tenant, { status });
}

/** Sends the requests of a team and of the operators: members, the review queue and the accounts. */
async function openTeamAndOperatorPages(): Promise<void> {
  const { context } = service;
  const { db } = context;
  const { accountId, accountNo } = owner;
  const [{ login_id } = { login_id: "" }] = await listMembers(db, accountNo);
  await findMember(db, accountId, login_id);
  await membershipsOf(db, login_id);
  await ownerAddresses(db, accountNo);
  await listInvitations(db, accountNo, context.now());
  await currentApplication(context, accountNo);
  for (const status of [undefined, ...applicationStatuses.filter((status) => status !== "draft")]) {
    await listQueue(db, { status });
    await listQueue(db, { status, starting_after: applicationId });
  }
  await viewApplication(context, applicationId);
  for (const search of ["", accountId, owner.email, "nobody@shop.example", "Kiln", "Nobody's"])
    await findAccounts(db, search);
}

interface Plan {
  "Node Type": string;
  "Relation Name"?: string;
  "Index Name"?: string;
  "Index Cond"?: string;
  Filter?: string;
  Plans?: Plan[];
}

/** The indexes by name. One of few rows has, for example, only those in progress. */
type Indexes = ReadonlyMap<string, { table: string; isOfFew: boolean; definition: string }>;

/**
 * Returns each growing table of which all rows are read, or all rows of an account, and how. A query for a page of a
 * list stops early, unless it has to search for its rows.
 */
function fullScans(plan: Plan, indexes: Indexes, isPage = false): string[] {
  const { "Node Type": type, "Index Name": name = "", "Index Cond": condition = "", Plans: inner = [] } = plan;
  const index = indexes.get(name);
  const table = plan["Relation Name"] ?? index?.table ?? "";
  const isGrowing = growingTables.some((growing) => withoutSchema(growing) === table);
  const readsIndex = /^(Bitmap )?Index (Only )?Scan$/.test(type) && index?.isOfFew !== true;
  const isSearch = columnsOf(condition).some((column) => fewPerAccount.includes(table) || !isOwner(column));
  const endsEarly = isPage && !type.startsWith("Bitmap") && isWellFiltered(plan, table, indexes);
  const readsAll = /^(Parallel )?Seq Scan$/.test(type) || (readsIndex && !isSearch && !endsEarly);
  return [
    ...(isGrowing && readsAll ? [`${type} on ${table}`] : []),
    ...inner.flatMap((one) => fullScans(one, indexes, isPage || type === "Limit")),
  ];
}

/**
 * Whether a page of an account's rows has no filter, or one that an index has, too. PostgreSQL plans a page for its
 * values, so it knows then that most rows match.
 */
function isWellFiltered(plan: Plan, table: string, indexes: Indexes): boolean {
  if (plan.Filter === undefined) return true;
  const filtered = columnsOf(plan.Filter);
  const ofTable = [...indexes.values()].filter((index) => index.table === table);
  return (
    plan["Index Cond"] !== undefined &&
    ofTable.some(({ definition }) => filtered.every((column) => definition.split(/\W+/).includes(column)))
  );
}

/** An account has few rows in these, so it's fine to read all of them. */
const fewPerAccount = [
  "account",
  "application",
  "application_document",
  "application_transition",
  "invitation",
  "member",
];

function isOwner(column: string): boolean {
  return ["account_no", "account_id", "livemode"].includes(column);
}

/** The columns in a condition such as `((account_no = 1) AND (NOT livemode) AND (id = 'ch_1'))`. */
function columnsOf(condition: string): string[] {
  return condition.split(" AND ").flatMap((part) => /\w+/.exec(part.replace("NOT ", ""))?.[0] ?? []);
}

function withoutSchema(name: string): string {
  return name.replace(/^\w+\./, "");
}

/**
 * The plan as the service gets it: for these values, or prepared and run until PostgreSQL may switch to a generic plan.
 * Returns the last plan.
 */
async function plan(db: Db, { text, values }: Pick<RecordedStatement, "text" | "values">): Promise<Plan> {
  return await db.connection().execute(async (connection) => {
    const run = async (statement: string) =>
      (await sql.raw<{ "QUERY PLAN": [{ Plan: Plan }] }>(statement).execute(connection)).rows;
    await run(`prepare checked as ${text}`);
    const given = values.length === 0 ? "" : `(${values.map(literal).join(", ")})`;
    let rows: Awaited<ReturnType<typeof run>> = [];
    for (let times = 0; times < (needsCustomPlan(text) ? 1 : 7); times++)
      rows = await run(`explain (format json) execute checked${given}`);
    await run("deallocate checked");
    const found = rows[0]?.["QUERY PLAN"][0].Plan;
    if (found === undefined) throw new Error(`There is no plan for ${text}`);
    return found;
  });
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (value instanceof Date) return `'${value.toISOString()}'`;
  if (Buffer.isBuffer(value)) return `'\\x${value.toString("hex")}'`;
  if (Array.isArray(value)) return pg.escapeLiteral(`{${value.map((one) => JSON.stringify(String(one))).join(",")}}`);
  return pg.escapeLiteral(typeof value === "object" ? JSON.stringify(value) : String(value));
}

async function readIndexes(): Promise<Indexes> {
  const { rows } = await sql<{ name: string; table: string; isOfFew: boolean; definition: string }>`
    select indexrelid::regclass::text as name, indrelid::regclass::text as table,
      indpred is not null and reltuples < ${copies / 10} as "isOfFew", pg_get_indexdef(indexrelid) as definition
    from pg_index join pg_class on pg_class.oid = indexrelid`.execute(service.context.db);
  return new Map(
    rows.map(({ name, table, ...index }) => [withoutSchema(name), { table: withoutSchema(table), ...index }]),
  );
}

it("no statement scans a growing table from end to end", async () => {
  const queries = new Map<string, RecordedStatement>();
  for (const statement of recorded) {
    const isOurs = /^\s*(select|insert|update|delete|with)\b/i.test(statement.text);
    if (isOurs) queries.set(statement.text, statement);
  }
  const { db } = service.context;
  const indexes = await readIndexes();
  const found: string[] = [];
  for (const query of queries.values()) {
    for (const what of fullScans(await plan(db, query), indexes)) found.push(`${what}: ${query.text}`);
  }
  expect(queries.size).toBeGreaterThan(100);
  expect(found).toEqual([]);
});

it("no statement in a function or trigger scans a growing table from end to end", async () => {
  const indexes = await readIndexes();
  for (const { text } of recorded) nested.delete(text);
  const found = [...nested].flatMap(([text, run]) => fullScans(run, indexes).map((what) => `${what}: ${text}`));
  expect(nested.size).toBeGreaterThan(60);
  expect(found).toEqual([]);
});

function sorts({ "Node Type": type, Plans: inner = [] }: Plan): boolean {
  return type.endsWith("Sort") || inner.some(sorts);
}

/** Opens pages without filters, which an index can return in order. */
async function openPages(endpointId: string): Promise<void> {
  const { context } = service;
  const { tenant } = merchant;
  const deliveries = `webhook_endpoints/${endpointId}/deliveries`;
  for (const page of ["checkout_sessions", "charges", "refunds", "events", deliveries]) await merchant.read(page);
  await searchPayments(context, tenant, {}, { limit: 25, startingAfter: null });
  await listSavedPaymentMethods(context, tenant, {});
  await listEventSummaries(context, tenant, {});
  await listRequests(context.db, tenant, {}, {});
}

it("pages without filters are read in the order of an index", async () => {
  const isPage = ({ text, values }: RecordedStatement) =>
    /^\s*select\b.* order by .* limit /is.test(text) && values.includes(merchant.tenant.accountNo);
  const [endpoint] = await merchant.list("webhook_endpoints");
  const pages = (await recordStatements(() => openPages(String(endpoint?.["id"])))).filter(isPage);
  expect(pages).toHaveLength(9);
  const sorted: string[] = [];
  for (const page of pages) if (sorts(await plan(service.context.db, page))) sorted.push(page.text);
  expect(sorted).toEqual([]);
});

it.each<[string, string, unknown[]]>([
  ["without an index", "select * from charge where metadata = $1", ["{}"]],
  [
    "in index order while searching by another column",
    "select * from charge where amount = $1 order by id limit 10",
    [7],
  ],
  ["of an account by its owner alone", "select * from refund where account_no = $1 and amount = $2", [1, 7]],
  [
    "in the order of an account's index while searching by another column",
    "select * from charge where account_no = $1 and livemode = $2 and currency = $3 order by id limit 10",
    [1, false, "xxx"],
  ],
  [
    "in a partial index of almost all of its rows",
    "select * from attempt where account_no = $1 and livemode = $2 and charge_id is not null and amount = $3",
    [1, false, 7],
  ],
])("a statement that scans a growing table %s is detected", async (_name, text, values) => {
  expect(fullScans(await plan(service.context.db, { text, values }), await readIndexes())).toHaveLength(1);
});
