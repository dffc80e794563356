/**
 * Turns traces on if the standard `OTEL_*` variables say so. They're off by default, and then no OpenTelemetry library
 * is loaded.
 */
import { OperatorError } from "@oriel/commands/operator-error";
import type { Config } from "../platform/config.ts";
import type { Log } from "../platform/log.ts";
import { noTracing, type Tracing } from "./tracing.ts";

/** @throws OperatorError for a protocol or an exporter that Oriel doesn't have */
export async function openTracing(env: NodeJS.ProcessEnv, { role }: Pick<Config, "role">, log: Log): Promise<Tracing> {
  if (!wantsTraces(env)) return noTracing;
  const { startTracing } = await import("./open-telemetry.ts");
  return startTracing(role, log);
}

/** Whether the standard variables turn traces on. */
export function wantsTraces(env: NodeJS.ProcessEnv): boolean {
  const { OTEL_SDK_DISABLED: isDisabled, OTEL_TRACES_EXPORTER: exporter } = env;
  if (isDisabled?.trim().toLowerCase() === "true" || exporter === "none") return false;
  const isOn = exporter || env["OTEL_EXPORTER_OTLP_ENDPOINT"] || env["OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"];
  if (!isOn) return false;
  if (exporter && exporter !== "otlp")
    throw new OperatorError(`OTEL_TRACES_EXPORTER is ${JSON.stringify(exporter)}; it must be otlp or none.`);
  const protocol = env["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"] || env["OTEL_EXPORTER_OTLP_PROTOCOL"];
  if (protocol && protocol !== "http/protobuf")
    throw new OperatorError(
      `The OTLP protocol is ${JSON.stringify(protocol)}, but Oriel sends traces only with http/protobuf. Set OTEL_EXPORTER_OTLP_TRACES_PROTOCOL to http/protobuf and OTEL_EXPORTER_OTLP_TRACES_ENDPOINT to a URL such as http://127.0.0.1:4318/v1/traces, or set OTEL_TRACES_EXPORTER to none.`,
    );
  return true;
}
