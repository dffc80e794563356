/**
 * Sends one call to the API. The request is built once, so every retry has the same bytes and idempotency key. Every
 * outcome is a result or an {@link OrielError}.
 *
 * IDs that aren't a single path segment are refused without sending a request. Redirects aren't followed, because they
 * would send the secret key elsewhere.
 */
import { randomUUID } from "node:crypto";
import { startTimeLimit } from "@oriel/time-limit";
import {
  type ClientSettings,
  readIdempotencyKey,
  readMaxRetries,
  type RequestOptions,
  type WriteOptions,
} from "./client-options.ts";
import { OrielConnectionError, OrielError } from "./oriel-error.ts";
import { readResponse } from "./read-response.ts";
import { withRetries } from "./with-retries.ts";

type Path = readonly [resource: string, id?: string, action?: string];

export interface Sender {
  get: <T>(path: Path, query: object, options?: RequestOptions) => Promise<T>;
  post: <T>(path: Path, params: object, options?: WriteOptions) => Promise<T>;
  /** PATCH requests are idempotent by nature, so they need no key. */
  patch: <T>(path: Path, params: object, options?: RequestOptions) => Promise<T>;
  /** @param deleted the response if the object is deleted. Also the result if a lost request has deleted it */
  del: <T>(path: Path, deleted: T, options?: RequestOptions) => Promise<T>;
}

/** Receives the number of retries so far and the timeout. */
type SendOnce<T> = (retries: number, timeoutMs: number) => Promise<T>;

export function createSender(settings: ClientSettings): Sender {
  const { base, authorization } = settings;

  async function call<T>(
    url: URL,
    init: RequestInit,
    options: RequestOptions,
    idempotencyKey: string | null,
    adapt = (sendOnce: SendOnce<T>) => sendOnce,
  ): Promise<T> {
    const { signal } = options;
    const maxRetries = readMaxRetries(options.maxRetries ?? settings.maxRetries);
    const sendOnce: SendOnce<T> = async (retries, timeoutMs) => {
      const limit = startTimeLimit(timeoutMs, signal);
      try {
        const response = await settings.fetch(url.href, { ...init, redirect: "manual", signal: limit.signal });
        return await readResponse<T>(response, { idempotencyKey, retries });
      } catch (cause) {
        if (cause instanceof OrielError) throw cause;
        // Check the caller's signal first, so that a canceled call isn't retried.
        const fault = signal?.aborted
          ? faults.canceled()
          : limit.hasPassed()
            ? faults.timeout(timeoutMs)
            : faults.network();
        throw new OrielConnectionError({ ...fault, idempotencyKey, retries }, { cause });
      } finally {
        limit.release();
      }
    };
    return withRetries(adapt(sendOnce), { ...settings, maxRetries, signal });
  }

  const plain = { authorization, accept: "application/json" };
  const withBody = { ...plain, "content-type": "application/json" };

  return {
    async get(path, query, options = {}) {
      const url = new URL(readPath(path), base);
      for (const [name, value] of Object.entries(query))
        if (value !== undefined) url.searchParams.set(name, String(value));
      return call(url, { method: "GET", headers: plain }, options, null);
    },
    async post(path, params, options = {}) {
      const key = readIdempotencyKey(options.idempotencyKey ?? randomUUID());
      const headers = { ...withBody, "idempotency-key": key };
      return call(
        new URL(readPath(path), base),
        { method: "POST", headers, body: JSON.stringify(params) },
        options,
        key,
      );
    },
    async patch(path, params, options = {}) {
      const init = { method: "PATCH", headers: withBody, body: JSON.stringify(params) };
      return call(new URL(readPath(path), base), init, options, null);
    },
    async del(path, deleted, options = {}) {
      const init = { method: "DELETE", headers: plain };
      return call(new URL(readPath(path), base), init, options, null, (sendOnce) => orDeleted(sendOnce, deleted));
    },
  };
}

/** If an earlier request got no final response, it may be why the object is missing. Then the deletion has succeeded. */
function orDeleted<T>(sendOnce: SendOnce<T>, deleted: T): SendOnce<T> {
  let mayBeDeleted = false;
  return async (retries, timeoutMs) => {
    try {
      return await sendOnce(retries, timeoutMs);
    } catch (error) {
      if (mayBeDeleted && error instanceof OrielError && error.code === "resource_missing") return deleted;
      // After 408 and 429, nothing was changed.
      mayBeDeleted ||= error instanceof OrielError && error.status !== 408 && error.status !== 429;
      throw error;
    }
  };
}

const faults = {
  canceled: () => ({ code: "canceled", message: "The call was canceled." }) as const,
  timeout: (timeoutMs: number) => ({ code: "timeout", message: `No response within ${timeoutMs} ms.` }) as const,
  network: () =>
    ({
      code: "network",
      message: "Couldn't reach the payment service. Check apiUrl and your network.",
    }) as const,
};

function readPath(path: Path): string {
  return path.map((segment) => readSegment(segment)).join("/");
}

function readSegment(value: unknown): string {
  if (typeof value === "string" && /^[0-9A-Za-z_]{1,100}$/.test(value)) return value;
  throw new TypeError("Oriel: pass an ID, for example cs_01j9x.");
}
