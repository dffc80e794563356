/**
 * The interface for traces, and its version that does nothing. `open-telemetry.ts` has the one that sends them. Spans contain the attributes listed where they're created and nothing else: no URL, header, body or error
 * message, because those can contain secrets or card data.
 */
import type { IncomingHttpHeaders } from "node:http";

export type SpanAttributes = Record<string, string | number | boolean>;

/**
 * `client`: a request from us. `consumer`: work from a queue. It begins a trace of its own, even if a request caused the
 * process to look at the queue.
 */
export type SpanKind = "client" | "consumer";

export interface Span {
  set(attributes: SpanAttributes): void;
  fail(type: string): void;
}

/** The span of a request, which doesn't end where it starts. */
export interface RequestSpan extends Span {
  /** Runs the work within the span, so that the spans that it starts are children. */
  run<T>(work: () => T): T;
  end(name: string): void;
}

export interface Tracing {
  /** Runs the work in a span. If the work throws, the span has failed. */
  span<T>(name: string, kind: SpanKind, attributes: SpanAttributes, work: (span: Span) => Promise<T>): Promise<T>;
  /** Starts the span of a request. Its parent is in the `traceparent` header, if there is one. Null: tracing is off. */
  startRequest(headers: IncomingHttpHeaders): RequestSpan | null;
  /** Sends the remaining spans. */
  close(): Promise<void>;
}

const noSpan: Span = { set() {}, fail() {} };

export const noTracing: Tracing = {
  span: (_name, _kind, _attributes, work) => work(noSpan),
  startRequest: () => null,
  async close() {},
};
