/**
 * Sends every request from a page to the service: same origin, JSON, with the session cookie, which scripts can't read.
 * An error response, or one that can't be read, becomes a {@link RequestError}. Three refusals are handled here for all
 * pages:
 *
 * - Nobody is signed in: forget everything that was loaded, so that the back button doesn't show it, go to the sign-in
 *   page, and come back here afterwards.
 * - The user has no second factor: go to the page that sets one up.
 * - The sign-in isn't recent enough: ask for password and code, or a passkey, in a dialog, and send the same request
 *   once more.
 */
import { navigate } from "wouter/use-browser-location";
import { readAnswer, RequestError } from "./api-error.ts";
import { queryClient } from "./query-client.ts";
import { here, signInPath } from "./return-path.ts";
import { stepUp } from "./step-up.ts";

export interface RequestOptions {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON, or as the bytes of a document. */
  body?: object | Blob;
  /** Sent as `Idempotency-Key`. Retries of one action use the same key. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** For pages about signing in, which handle a missing session themselves. */
  isAboutSigningIn?: boolean;
}

const timeoutMs = 30_000;

export async function ask<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
  try {
    return await askOnce<Answer>(path, options);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === "step_up_required" && (await stepUp.request())) return await askOnce<Answer>(path, options);
    if (error.code === "sign_in_required" && !options.isAboutSigningIn) {
      navigate(signInPath(here()), { replace: true });
      queryClient.clear();
    }
    if (error.code === "second_factor_required") navigate("/second-factor/set-up", { replace: true });
    throw error;
  }
}

/** Turns network errors into a message for the user. Never retries, because the request may have changed something. */
async function askOnce<Answer>(
  path: string,
  { method = "GET", body, idempotencyKey, signal }: RequestOptions,
): Promise<Answer> {
  const headers = new Headers({ accept: "application/json" });
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  if (body !== undefined) headers.set("content-type", body instanceof Blob ? body.type : "application/json");
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    text = await response.text(); // the connection can also break in the middle of the body
  } catch (reason) {
    if (signal?.aborted) throw reason;
    throw new RequestError("Can't reach the service. Check your connection and try again.", {
      code: "unreachable",
      status: 0,
    });
  }
  return readAnswer(response.status, response.headers.get("request-id"), parse(text));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
