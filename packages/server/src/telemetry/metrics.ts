/**
 * All metrics of a process, in a registry of their own. `docs/operate.md` describes them, and the dashboard and the
 * alert rules in `deploy` use them.
 *
 * Labels have few values: routes are patterns, and no label is an ID, a merchant or a customer.
 */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from "prom-client";
import { version } from "@oriel/commands/version";
import type { Mode, RefusedBecause } from "@oriel/vault";
import type { Config } from "../platform/config.ts";

/** In seconds. The acquirer's timeout is 20 seconds. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20];
/** In seconds. A delivery waits for hours if no worker runs. */
const lagBuckets = [0.1, 0.5, 1, 2, 5, 10, 30, 60, 300, 900, 3600, 4 * 3600];

const modes: readonly Mode[] = ["test", "live"];

/** The states in which an authentication waits for the bank's result. */
export const statesWithResult = ["challenge", "decoupled", "awaiting_result"] as const;

export type StateWithResult = (typeof statesWithResult)[number];

/** Whether an item of an acquirer's notification was accepted, or why it was refused. */
const notificationResults = [
  "accepted",
  "invalid",
  "wrong_signature",
  "other_merchant_account",
  "other_mode",
] as const satisfies ("accepted" | RefusedBecause)[];

export type NotificationResult = (typeof notificationResults)[number];

/** What became of an attempt to send an email. After `failed`, others follow. */
const emailResults = ["sent", "failed", "refused", "expired", "unreadable"] as const;

export type EmailResult = (typeof emailResults)[number];

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics({ role }: Pick<Config, "role">) {
  const registry = new Registry();
  const registers = [registry];

  new Gauge({
    name: "oriel_build_info",
    help: "1, with the version and the role of the process.",
    labelNames: ["version", "role"],
    registers,
  }).set({ version, role }, 1);

  const resultsMissing = new Counter({
    name: "oriel_three_d_secure_results_missing_total",
    help: "Authentications that ended because the bank never sent their 3-D Secure result.",
    labelNames: ["mode", "state"],
    registers,
  });
  // Without a first value of 0, Prometheus wouldn't see the first increase.
  for (const mode of modes) for (const state of statesWithResult) resultsMissing.inc({ mode, state }, 0);

  const notifications = new Counter({
    name: "oriel_acquirer_notifications_total",
    help: "Notifications from acquirers. Anyone can send one that is refused.",
    labelNames: ["mode", "result"],
    registers,
  });
  for (const mode of modes) for (const result of notificationResults) notifications.inc({ mode, result }, 0);

  const emails = new Counter({
    name: "oriel_emails_total",
    help: "Attempts to send an email. After `failed`, others follow. After `refused`, `expired` and `unreadable`, none does.",
    labelNames: ["result"],
    registers,
  });
  for (const result of emailResults) emails.inc({ result }, 0);

  return {
    registry,
    httpRequests: new Counter({
      name: "oriel_http_requests_total",
      help: "HTTP requests by route pattern, method and status.",
      labelNames: ["route", "method", "status"],
      registers,
    }),
    httpDuration: new Histogram({
      name: "oriel_http_request_duration_seconds",
      help: "Time from the request's arrival to the end of its response.",
      labelNames: ["route", "method"],
      buckets: callBuckets,
      registers,
    }),
    chargeDuration: new Histogram({
      name: "oriel_charge_duration_seconds",
      help: "Time from the start of an authorization to its final outcome. The count is the number of outcomes.",
      labelNames: ["mode", "outcome"],
      buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 60, 300, 1200],
      registers,
    }),
    acquirerDuration: new Histogram({
      name: "oriel_acquirer_request_duration_seconds",
      help: "Duration of a request to the acquirer or its directory server.",
      labelNames: ["mode", "operation", "outcome"],
      buckets: callBuckets,
      registers,
    }),
    resultsMissing,
    notifications,
    emails,
    deliveryLag: new Histogram({
      name: "oriel_delivery_lag_seconds",
      help: "How late an attempt to deliver an event begins, by the state of its endpoint.",
      labelNames: ["endpoint"],
      buckets: lagBuckets,
      registers,
    }),
    deliveryDuration: new Histogram({
      name: "oriel_delivery_duration_seconds",
      help: "Duration of one attempt to deliver an event.",
      labelNames: ["result"],
      buckets: callBuckets,
      registers,
    }),
    poolConnections: new Gauge({
      name: "oriel_pool_connections",
      help: "Connections to PostgreSQL by pool and state. `waiting`: callers that wait for a connection.",
      labelNames: ["pool", "state"],
      registers,
    }),
    database: createDatabaseMetrics(registers),
  };
}

/** The gauges that `database-gauges.ts` reads from the database. */
function createDatabaseMetrics(registers: Registry[]) {
  return {
    up: new Gauge({
      name: "oriel_database_up",
      help: "1 if the database responded to the queries for the gauges below, 0 if not. Without a response, they're absent.",
      registers,
    }),
    nodesMissing: new Gauge({
      name: "oriel_database_nodes_missing",
      help: "Workers of a Citus cluster that don't respond. Their accounts aren't included in the gauges below.",
      registers,
    }),
    attemptsDue: new Gauge({
      name: "oriel_attempts_due",
      help: "Attempts that are due to be sent to the acquirer or looked up there.",
      labelNames: ["mode"],
      registers,
    }),
    attemptsDueAge: new Gauge({
      name: "oriel_attempts_due_oldest_age_seconds",
      help: "How long the oldest due attempt has been due.",
      labelNames: ["mode"],
      registers,
    }),
    attemptsUnknown: new Gauge({
      name: "oriel_attempts_unknown",
      help: "Attempts that were sent to the acquirer and whose outcome is unknown.",
      labelNames: ["mode"],
      registers,
    }),
    attemptsUnknownAge: new Gauge({
      name: "oriel_attempts_unknown_oldest_age_seconds",
      help: "Age of the oldest attempt whose outcome is unknown.",
      labelNames: ["mode"],
      registers,
    }),
    attemptsAccepted: new Gauge({
      name: "oriel_attempts_accepted",
      help: "Attempts that the acquirer has accepted and whose outcome it hasn't reported yet.",
      labelNames: ["mode"],
      registers,
    }),
    attentionOpen: new Gauge({
      name: "oriel_attention_open",
      help: "What needs a person's attention and isn't resolved.",
      labelNames: ["mode"],
      registers,
    }),
    deliveriesDue: new Gauge({
      name: "oriel_deliveries_due",
      help: "Deliveries that are due, by the state of their endpoint. At most 1,000 are counted for each endpoint.",
      labelNames: ["endpoint"],
      registers,
    }),
    deliveriesDueAge: new Gauge({
      name: "oriel_deliveries_due_oldest_age_seconds",
      help: "How long the oldest due delivery has been due, by the state of its endpoint.",
      labelNames: ["endpoint"],
      registers,
    }),
    emailsWaiting: new Gauge({
      name: "oriel_emails_waiting",
      help: "Emails that haven't been sent yet, without refused ones. At most 10,000 are counted.",
      registers,
    }),
    emailsRefused: new Gauge({
      name: "oriel_emails_refused",
      help: "Emails that the mail server refused, because of the recipient or the message, and that are tried again. At most 10,000 are counted.",
      registers,
    }),
    emailsAge: new Gauge({
      name: "oriel_emails_waiting_oldest_age_seconds",
      help: "Time since the first attempt was due, of the waiting email for which that is longest.",
      registers,
    }),
  };
}

/** Adds Node's own metrics: event loop lag, memory, CPU time, garbage collection and open files. */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry });
}
