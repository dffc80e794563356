import { describe, expect, it } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import { openTracing, wantsTraces } from "./open-tracing.ts";
import { noTracing } from "./tracing.ts";

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" };
const log = { info() {}, warn() {}, error() {} };

describe("traces", () => {
  it.each<[string, NodeJS.ProcessEnv]>([
    ["no variable", {}],
    ["other OpenTelemetry variables", { OTEL_SERVICE_NAME: "payments", OTEL_TRACES_SAMPLER: "always_on" }],
    ["OTEL_SDK_DISABLED", { ...endpoint, OTEL_SDK_DISABLED: "True" }],
    ["OTEL_TRACES_EXPORTER=none", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }],
  ])("are off with %s", async (_name, env) => {
    expect(await openTracing(env, { role: "api" }, log)).toBe(noTracing);
  });

  it.each<[string, NodeJS.ProcessEnv]>([
    ["an endpoint", endpoint],
    ["an endpoint for traces", { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://127.0.0.1:4318/v1/traces" }],
    ["an exporter", { OTEL_TRACES_EXPORTER: "otlp" }],
    ["OTEL_SDK_DISABLED=false", { ...endpoint, OTEL_SDK_DISABLED: "false" }],
    ["the protocol that Oriel has", { ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "http/protobuf" }],
  ])("are on with %s", (_name, env) => {
    expect(wantsTraces(env)).toBe(true);
  });

  it.each<[NodeJS.ProcessEnv, string]>([
    [{ OTEL_TRACES_EXPORTER: "zipkin" }, "OTEL_TRACES_EXPORTER"],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"],
  ])("are refused with %j, naming the variable to change", (env, variable) => {
    expect(() => wantsTraces(env)).toThrow(OperatorError);
    expect(() => wantsTraces(env)).toThrow(variable);
  });
});

describe("a span while traces are off", () => {
  it("returns the work's result and passes on its error", async () => {
    expect(await noTracing.span("name", "client", {}, async () => 7)).toBe(7);
    const failing = noTracing.span("name", "client", {}, () => Promise.reject(new Error("no")));
    await expect(failing).rejects.toThrow("no");
  });
});
