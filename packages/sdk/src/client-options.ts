/**
 * What a caller may set, for a client and for one call, and the reading of it.
 *
 * Refused before anything is sent: an `apiUrl` with a path, a key or an idempotency key that could break a header (the
 * runtime's own error would repeat the header, and with it the key), and times and counts without a bound. No refusal
 * repeats the value.
 */
import { setTimeout as pauseFor } from "node:timers/promises";

export interface ClientOptions {
  /** Where the API is, without a path: `https://api.pay.example.com`. */
  apiUrl: string;
  /** `oriel_sk_test_...` or `oriel_sk_live_...`. For servers only. */
  secretKey: string;
  /**
   * How long one request may take, in milliseconds, 1 to 600 000. Default 30 000: a charge waits for the bank up to 10
   * s.
   */
  timeoutMs?: number;
  /**
   * How long one call may take with its retries and pauses, in milliseconds, 1 to 600 000. Default 90 000, or
   * `timeoutMs` where that is more. When it is shorter than `timeoutMs`, it ends the request.
   */
  totalTimeoutMs?: number;
  /** How often a call that failed on the way is sent again, 0 to 10. Default 3; 0 switches retries off. */
  maxRetries?: number;
  /** Default: the global one. */
  fetch?: typeof fetch;
  /** Default: the runtime's. For tests. */
  clock?: Clock;
  /** A number from 0 up to, not including, 1, to spread retries. Default: `Math.random`. For tests. */
  random?: () => number;
}

/** Time, as retries see it. */
export interface Clock {
  /** Milliseconds since any fixed moment. Never goes back. */
  now: () => number;
  /** Resolves after `pauseMs`; rejects at once when the signal is aborted. */
  pause: (pauseMs: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** What every call takes. */
export interface RequestOptions {
  /** Gives up waiting, also between two retries. The call may have had its effect all the same. */
  signal?: AbortSignal;
  /** Instead of the client's, for this call: 0 to 10. */
  maxRetries?: number;
}

/** What every call that changes something takes. */
export interface WriteOptions extends RequestOptions {
  /**
   * 1 to 255 visible ASCII characters. The same key never does the work twice. Default: a random one per call, the same
   * in its retries.
   */
  idempotencyKey?: string;
}

/** For what must not be done twice because it was sent twice. */
export interface KeyedWriteOptions extends WriteOptions {
  /**
   * One for each time that it is meant, kept with what it is for: the complaint's id, say. Sent again under it, nothing
   * happens a second time.
   */
  idempotencyKey: string;
}

/** Which page of a list, newest first. */
export interface ListParams {
  /** 1 to 100. Default 10. */
  limit?: number;
  /** The last id of the page before. */
  starting_after?: string;
  /** The first id of the page after. Not together with `starting_after`. */
  ending_before?: string;
}

/** Options that were read: complete, and within their bounds. */
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

/** @throws TypeError that names the option and what it must be */
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
    throw new TypeError("Oriel: apiUrl must be an http(s) address without a path, as in https://api.pay.example.com");
  return new URL("/api/v1/", url);
}

function readSecretKey(value: unknown): string {
  if (typeof value === "string" && /^oriel_sk_(test|live)_[0-9A-Za-z_]{1,200}$/.test(value)) return value;
  throw new TypeError("Oriel: secretKey must be a whole oriel_sk_test_... or oriel_sk_live_... key.");
}

function readTime(name: string, value: unknown): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= 600_000) return value;
  throw new TypeError(`Oriel: ${name} must be a whole number from 1 to 600000.`);
}

const systemClock: Clock = {
  now: () => performance.now(),
  pause: (pauseMs, signal) => pauseFor(pauseMs, undefined, signal ? { signal } : {}),
};
