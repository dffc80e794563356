/**
 * Traces with OpenTelemetry. `tracing.ts` loads this file only if traces are on. The exporter and the resource read
 * their own `OTEL_*` variables; the sampler and the batches are configured here, from the standard variables too.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context } from "@opentelemetry/api";
import {
  getNumberFromEnv,
  getStringFromEnv,
  setGlobalErrorHandler,
  W3CTraceContextPropagator,
} from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import { OperatorError } from "@oriel/commands/operator-error";
import { version } from "@oriel/commands/version";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import type { Span, Tracing } from "./tracing.ts";

const kinds = { client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

export function startTracing(role: Config["role"], log: Log): Tracing {
  reportProblems(log);
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "oriel-server", "service.version": version, "oriel.role": role }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: readSampler(),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...readBatches() })],
  });
  const tracer = provider.getTracer("oriel", version);
  const propagator = new W3CTraceContextPropagator();
  const current = new AsyncLocalStorage<Context>();

  function start(name: string, kind: SpanKind, parent: Context) {
    const span = tracer.startSpan(name, { kind }, parent);
    const ours: Span = {
      set: (attributes) => void span.setAttributes(attributes),
      fail: (type) => void span.setAttribute("error.type", type).setStatus({ code: SpanStatusCode.ERROR }),
    };
    return { span, ours, context: trace.setSpan(parent, span) };
  }

  return {
    async span(name, kind, attributes, work) {
      const parent = kind === "consumer" ? ROOT_CONTEXT : (current.getStore() ?? ROOT_CONTEXT);
      const { span, ours, context } = start(name, kinds[kind], parent);
      ours.set(attributes);
      try {
        return await current.run(context, work, ours);
      } catch (error) {
        ours.fail(error instanceof Error ? error.name : "unknown");
        throw error;
      } finally {
        span.end();
      }
    },
    startRequest(headers) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, {
        get: (_, name) => headers[name],
        keys: () => Object.keys(headers),
      });
      const { span, ours, context } = start("request", SpanKind.SERVER, parent);
      return {
        ...ours,
        run: (work) => current.run(context, work),
        end(name) {
          span.updateName(name);
          span.end();
        },
      };
    },
    async close() {
      await provider
        .shutdown()
        .catch((error: unknown) => log.warn({ error: String(error) }, "Some traces weren't sent"));
    },
  };
}

/** Logs the libraries' warnings, and errors such as a collector that can't be reached. */
function reportProblems(log: Log): void {
  const report = (problem: string) => log.warn({ problem }, "OpenTelemetry reported a problem");
  setGlobalErrorHandler((error) => {
    const reason = typeof error === "string" ? error : error.message;
    log.warn({ error: reason ?? "unknown" }, "Could not send traces");
  });
  const ignore = () => {};
  diag.setLogger(
    { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

function readSampler(): Sampler {
  const name = getStringFromEnv("OTEL_TRACES_SAMPLER") ?? "parentbased_always_on";
  const ratio = getNumberFromEnv("OTEL_TRACES_SAMPLER_ARG") ?? 1;
  const roots: Record<string, () => Sampler> = {
    always_on: () => new AlwaysOnSampler(),
    always_off: () => new AlwaysOffSampler(),
    traceidratio: () => new TraceIdRatioBasedSampler(ratio),
  };
  const root = roots[name.replace(/^parentbased_/, "")]?.();
  if (root === undefined)
    throw new OperatorError(
      `OTEL_TRACES_SAMPLER is ${JSON.stringify(name)}; it must be one of ${Object.keys(roots).join(", ")}, with or without the prefix parentbased_.`,
    );
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

function readBatches() {
  const options = {
    scheduledDelayMillis: getNumberFromEnv("OTEL_BSP_SCHEDULE_DELAY"),
    exportTimeoutMillis: getNumberFromEnv("OTEL_BSP_EXPORT_TIMEOUT"),
    maxQueueSize: getNumberFromEnv("OTEL_BSP_MAX_QUEUE_SIZE"),
    maxExportBatchSize: getNumberFromEnv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE"),
  };
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
