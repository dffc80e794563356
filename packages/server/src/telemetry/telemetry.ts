/**
 * What the rest of the service reports: requests to the acquirer, charges, deliveries, background work and missing 3-D Secure
 * results. Each is measured and, if traces are on, becomes a span. `measure-requests.ts` does the same for requests to
 * the service.
 */
import type { DeliveryFailure } from "@oriel/protocol/api";
import type { VendorRequest, Mode } from "@oriel/vault";
import type { Config } from "../platform/config.ts";
import type { PlatformContext } from "../platform/context.ts";
import { createDatabaseGauges } from "./database-gauges.ts";
import {
  createMetrics,
  type EmailResult,
  type Metrics,
  type NotificationResult,
  type StateWithResult,
} from "./metrics.ts";
import { createPoolGauges, type Pools } from "./pool-gauges.ts";
import type { Tracing } from "./tracing.ts";

export interface MeasuredDelivery {
  id: string;
  eventType: string;
  /** The number of earlier attempts. */
  tries: number;
  /** How long it has been due. */
  lagMs: number;
  /** Whether its endpoint has been failing. Those deliveries are sent one at a time, and late. */
  isFailing: boolean;
}

export interface SentDelivery {
  /** The status of the response. Null: there was none. */
  status: number | null;
  /** Null: success. */
  failure: DeliveryFailure | null;
  durationMs: number;
}

export interface Telemetry {
  readonly metrics: Metrics;
  readonly tracing: Tracing;
  /** Wraps one request to a mode's acquirer. */
  acquirerRequest(mode: Mode): <T>(operation: VendorRequest, request: () => Promise<T>) => Promise<T>;
  /** An authorization has its final outcome. */
  chargeEnded(charge: { mode: Mode; outcome: "approved" | "declined"; durationMs: number }): void;
  /**
   * Wraps one attempt to deliver an event.
   *
   * @param send returns null if the attempt was broken off and doesn't count
   */
  delivery(delivery: MeasuredDelivery, send: () => Promise<SentDelivery | null>): Promise<void>;
  job<T>(name: string, work: () => Promise<T>): Promise<T>;
  /** An authentication ended without the bank's result, which never came. */
  resultMissing(mode: Mode, state: StateWithResult): void;
  /** An item of an acquirer's notification was accepted or refused. */
  notification(mode: Mode, result: NotificationResult): void;
  /** An attempt to send an email ended. */
  email(result: EmailResult): void;
  /** From now on, scrapes contain the gauges from the database and the connection pools. */
  watch(source: Pick<PlatformContext, "db" | "nodes" | "now" | "log">, pools: Pools): void;
  /** The metrics in Prometheus' text format. */
  scrape(): Promise<string>;
}

export function createTelemetry(config: Pick<Config, "role">, tracing: Tracing): Telemetry {
  const metrics = createMetrics(config);
  let refresh = async () => {};
  return {
    metrics,
    tracing,
    acquirerRequest: (mode) => (operation, request) =>
      tracing.span(
        `acquirer ${operation}`,
        "client",
        { "oriel.mode": mode, "oriel.operation": operation },
        async () => {
          const startedAt = performance.now();
          const end = (outcome: string) =>
            metrics.acquirerDuration.observe({ mode, operation, outcome }, (performance.now() - startedAt) / 1000);
          try {
            const response = await request();
            end("response");
            return response;
          } catch (error) {
            end(error instanceof Error && error.name === "InvalidReplyError" ? "invalid_response" : "no_response");
            throw error;
          }
        },
      ),
    chargeEnded: ({ mode, outcome, durationMs }) =>
      metrics.chargeDuration.observe({ mode, outcome }, Math.max(0, durationMs) / 1000),
    delivery: ({ id, eventType, tries, lagMs, isFailing }, send) =>
      tracing.span(
        "webhook delivery",
        "consumer",
        { "oriel.delivery_id": id, "oriel.event_type": eventType, "oriel.try": tries + 1 },
        async (span) => {
          metrics.deliveryLag.observe({ endpoint: isFailing ? "failing" : "working" }, Math.max(0, lagMs) / 1000);
          const sent = await send();
          if (sent === null) return;
          const { status, failure, durationMs } = sent;
          metrics.deliveryDuration.observe({ result: resultOf(status, failure) }, durationMs / 1000);
          if (status !== null) span.set({ "http.response.status_code": status });
          if (failure !== null) span.fail(failure);
        },
      ),
    job: (name, work) => tracing.span(`job ${name}`, "consumer", {}, work),
    resultMissing: (mode, state) => metrics.resultsMissing.inc({ mode, state }),
    notification: (mode, result) => metrics.notifications.inc({ mode, result }),
    email: (result) => metrics.emails.inc({ result }),
    watch(source, pools) {
      const readDatabase = createDatabaseGauges(metrics.database, source);
      const readPools = createPoolGauges(metrics.poolConnections, pools);
      refresh = async () => {
        readPools(); // first, so that the gauges' own statements don't count
        await readDatabase();
      };
    },
    async scrape() {
      await refresh();
      return await metrics.registry.metrics();
    },
  };
}

/** Separates an endpoint's own errors by class, because a 5xx is usually an outage and a 4xx a mistake. */
function resultOf(status: number | null, failure: DeliveryFailure | null): string {
  if (failure === null) return "succeeded";
  return failure === "response_status" && status !== null ? `response_${Math.floor(status / 100)}xx` : failure;
}
