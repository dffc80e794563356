/**
 * Runs the service in this process until SIGTERM or SIGINT. Then it keeps serving for `drainMs`, refuses new
 * connections, and waits for work in progress. If startup fails, everything that was opened is closed again.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import pino from "pino";
import { OperatorError } from "@oriel/commands/operator-error";
import { originAt } from "@oriel/http-listener/origin-at";
import { createApp } from "./app.ts";
import { openListener } from "./http/client-connections.ts";
import type { Context } from "./http/context.ts";
import { openSigningKey } from "./http/embed/signing-key.ts";
import { defaultDist, defaultReleases } from "./http/routes/built-files.ts";
import type { Config } from "./platform/config.ts";
import { checkLiveStart } from "./platform/live-start.ts";
import { sayIfLost } from "./platform/storage/database-loss.ts";
import type { ServiceConfig } from "./service-config.ts";
import { openService, type Service } from "./service.ts";
import { describeProcess } from "./telemetry/describe-process.ts";
import { openMetricsListener } from "./telemetry/metrics-listener.ts";
import { collectProcessMetrics } from "./telemetry/metrics.ts";
import { openTracing } from "./telemetry/open-tracing.ts";

export interface ServeOptions {
  /** Runs after the migrations and before the service accepts requests. */
  prepare?: (service: Service) => Promise<void>;
  /** The directory of the built pages; null serves none, for tests of the API alone. */
  dist?: string | null;
}

/** @throws OperatorError with the reason why the service can't start */
export async function serve(
  config: ServiceConfig,
  { prepare = async () => {}, dist = defaultDist }: ServeOptions = {},
): Promise<void> {
  const { promise: stopped, resolve: stop } = Promise.withResolvers<void>();
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.once(signal, () => stop());

  const log = pino({ level: config.logLevel }, openLogDestination());
  log.info(describeProcess(config), "Starting Oriel");
  await checkLiveStart(config);
  const tracing = await openTracing(process.env, config, log);
  const service = await sayIfLost("while the service was starting", () => openService(config, log, { tracing }));
  let app: FastifyInstance | null = null;
  let retire = async () => {};
  let closeMetrics = async () => {};
  try {
    await sayIfLost("while the service was starting", () => prepare(service));
    closeMetrics = await serveMetrics(config, service.context);
    if (config.role === "worker") {
      log.info({}, "Working");
    } else {
      const { acquirer, liveAcquirer, trustProxy } = config;
      const resultsKeys = { test: acquirer.resultsKey, live: liveAcquirer?.resultsKey ?? null };
      const files =
        dist === null ? null : { dist, releases: defaultReleases, signingKey: () => openSigningKey(config) };
      const listener = openListener(config, log);
      app = await createApp(service.context, { loggerInstance: log, resultsKeys, files, trustProxy, listener });
      await listen(app, config);
      retire = async () => {
        listener.retire();
        await pause(config.drainMs);
      };
    }
    await stopped;
    service.context.readiness.stop();
    log.info({}, "Stopping");
    await retire();
  } finally {
    await app?.close();
    await service.close();
    await closeMetrics();
  }
}

/**
 * Buffers log lines for up to a tenth of a second, because a write for each line takes 7 % of the processor time of a
 * charge. What is buffered is written when the process exits, also because of an error. Only SIGKILL loses it.
 */
function openLogDestination() {
  const destination = pino.destination({ fd: 1, sync: false, minLength: 4096, periodicFlush: 100 });
  process.on("exit", () => destination.flushSync());
  return destination;
}

async function serveMetrics({ metrics }: Config, context: Context): Promise<() => Promise<void>> {
  if (metrics === null) return async () => {};
  collectProcessMetrics(context.telemetry.metrics.registry);
  const close = await openMetricsListener(metrics, context).catch((error: unknown) => {
    throw asListenError(error, metrics, "ORIEL_METRICS_PORT");
  });
  context.log.info({}, `Serving metrics at ${originAt(metrics.host, metrics.port)}/metrics`);
  return close;
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<void> {
  try {
    await app.listen({ host, port, listenTextResolver: (address) => `Listening on ${address}` });
  } catch (error) {
    throw asListenError(error, { host, port }, "ORIEL_PORT");
  }
}

/** @returns an OperatorError that names the variable if the port can't be used, and other errors unchanged */
function asListenError(error: unknown, { host, port }: { host: string; port: number }, variable: string): unknown {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (code === "EADDRINUSE")
    return new OperatorError(
      `Port ${port} on ${host} is in use. Stop the process that uses it, or set ${variable} to another port.`,
      { cause: error },
    );
  if (code === "EACCES")
    return new OperatorError(
      `This user isn't allowed to use port ${port} on ${host}. Set ${variable} to another port.`,
      { cause: error },
    );
  return error;
}
