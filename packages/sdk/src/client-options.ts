/**
 * Options for a client and for a single call, and their validation.
 *
 * An `apiUrl` with a path, an invalid key or idempotency key, and unbounded times or counts are refused before a
 * request is sent. A key that breaks a header would make the runtime throw an error that contains it, so it's checked
 * here. No error message repeats a value.
 */
import { setTimeout as pauseFor } from "node:timers/promises";

export interface ClientOptions {
  /** The API's URL without a path: `https://api.pay.example.com`. */
  apiUrl: string;
  /** `oriel_sk_test_...` or `oriel_sk_live_...`. Use it on servers only. */
  secretKey: string;
  /**
   * Timeout for one request in milliseconds, 1 to 600,000. Default: 30,000. A charge can wait for the acquirer for up
   * to 10 s.
   */
  timeoutMs?: number;
  /**
   * Timeout for a whole call including retries and pauses, in milliseconds, 1 to 600,000. Default: 90,000 or
   * `timeoutMs`, whichever is larger. If it's shorter than `timeoutMs`, it ends the request.
   */
  totalTimeoutMs?: number;
  /** How many times a failed call is retried, 0 to 10. Default: 3. Set to 0 to turn retries off. */
  maxRetries?: number;
  /** Default: the global `fetch`. */
  fetch?: typeof fetch;
  /** Default: the system clock. For tests. */
  clock?: Clock;
  /** Returns a number from 0 (inclusive) to 1 (exclusive) that spreads retries. Default: `Math.random`. For tests. */
  random?: () => number;
}

/** The clock that retries use. */
export interface Clock {
  /** Milliseconds since a fixed moment. Never decreases. */
  now: () => number;
  /** Resolves after `pauseMs`. Rejects immediately when the signal aborts. */
  pause: (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Options of every call. */
export interface RequestOptions {
  /** Cancels the call, even during a pause between retries. The call may still have taken effect. */
  signal?: AbortSignal;
  /** Overrides the client's `maxRetries` for this call, 0 to 10. */
  maxRetries?: number;
}

/** Options of every call that changes something. */
export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters. A request with the same key runs only once. Default: a random key per call,
   * reused for its retries.
   */
  idempotencyKey?: string;
}

/** Options of calls that need an idempotency key from you. */
export interface KeyedWriteOptions extends WriteOptions {
  /**
   * A key that identifies this operation in your system, for example the ID of the complaint that led to a refund.
   * Sending the request again with the same key has no further effect.
   */
  idempotencyKey: string;
}

/** Selects a page of a list. Lists are sorted newest first. */
export interface ListParams {
  /** 1 to 100. Default: 10. */
  limit?: number;
  /** The last ID of the previous page. */
  starting_after?: string;
  /** The first ID of the next page. Can't be combined with `starting_after`. */
  ending_before?: string;
}

/** Validated options with defaults filled in. */
export interface ClientSettings {
  base: URL;
  authorization: string;
  timeoutMs: number;
  totalTimeoutMs: number;
  maxRetries: number;
  fetch: typeof fetch;
  clock: Clock;
  random: () => number;
}

/** @throws TypeError that names the invalid option and its requirements */
export function readClientOptions(options: ClientOptions): ClientSettings {
  const timeoutMs = readTime("timeoutMs", options.timeoutMs ?? 30_000);
  return {
    base: readApiUrl(options.apiUrl),
    authorization: `Bearer ${readSecretKey(options.secretKey)}`,
    timeoutMs,
    totalTimeoutMs: readTime("totalTimeoutMs", options.totalTimeoutMs ?? Math.max(90_000, timeoutMs)),
    maxRetries: readMaxRetries(options.maxRetries ?? 3),
    fetch: options.fetch ?? fetch,
    clock: options.clock ?? systemClock,
    random: options.random ?? Math.random,
  };
}

/** @throws TypeError */
export function readMaxRetries(value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 10) return value;
  throw new TypeError("Oriel: maxRetries must be a whole number from 0 to 10.");
}

/** @throws TypeError */
export function readIdempotencyKey(value: unknown): string {
  if (typeof value === "string" && /^[\x21-\x7e]{1,255}$/.test(value)) return value;
  throw new TypeError("Oriel: idempotencyKey must be 1 to 255 visible ASCII characters.");
}

function readApiUrl(value: unknown): URL {
  const url = typeof value === "string" && URL.canParse(value) ? new URL(value) : null;
  const plain = url && (url.protocol === "https:" || url.protocol === "http:") && url.href === `${url.origin}/`;
  if (!plain)
    throw new TypeError("Oriel: apiUrl must be an http(s) URL without a path, such as https://api.pay.example.com.");
  return new URL("/api/v1/", url);
}

function readSecretKey(value: unknown): string {
  if (typeof value === "string" && /^oriel_sk_(test|live)_[0-9A-Za-z_]{1,200}$/.test(value)) return value;
  throw new TypeError("Oriel: secretKey must be a complete oriel_sk_test_... or oriel_sk_live_... key.");
}

function readTime(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new TypeError(`Oriel: ${name} must be a whole number from 1 to 600000.`);
}

const systemClock: Clock = {
  now: () => performance.now(),
  pause: (pauseMs, signal) => pauseFor(pauseMs, undefined, signal ? { signal } : {}),
};
