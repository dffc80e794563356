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
import { readResponse, RequestError } from "./api-error.ts";
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
/** A file sends a heartbeat between searches, each of which may take up to three statements of 20 seconds. */
const stalledAfterMs = 120_000;

export async function request<Data>(path: string, options: RequestOptions = {}): Promise<Data> {
  return await handlingRefusals(() => sendRequest<Data>(path, options), options);
}

/**
 * Fetches a file, so that an error is shown on the page and not saved as a file. It may take any time while it grows.
 *
 * @param heartbeat an ASCII character that the service sends while it has nothing else. It's removed from the file
 */
export async function requestFile(path: string, heartbeat: string): Promise<Blob> {
  return await handlingRefusals(() => fetchFile(path, heartbeat));
}

async function handlingRefusals<Data>(
  send: () => Promise<Data>,
  { isAboutSigningIn = false }: Pick<RequestOptions, "isAboutSigningIn"> = {},
): Promise<Data> {
  try {
    return await sendWithStepUp(send);
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.code === "sign_in_required" && !isAboutSigningIn) {
      navigate(signInPath(here()), { replace: true });
      queryClient.clear();
    }
    if (error.code === "second_factor_required") navigate("/second-factor/set-up", { replace: true });
    throw error;
  }
}

async function sendWithStepUp<Data>(send: () => Promise<Data>): Promise<Data> {
  try {
    return await send();
  } catch (error) {
    const isStepUpRequired = error instanceof RequestError && error.code === "step_up_required";
    if (isStepUpRequired && (await stepUp.request())) return await send();
    throw error;
  }
}

/** Turns network errors into a message for the user. Never retries, because the request may have changed something. */
async function sendRequest<Data>(
  path: string,
  { method = "GET", body, idempotencyKey, signal }: RequestOptions,
): Promise<Data> {
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
    throw unreachable();
  }
  return readResponse(response.status, response.headers.get("request-id"), parse(text));
}

async function fetchFile(path: string, heartbeat: string): Promise<Blob> {
  const stalled = new AbortController();
  let timer = setTimeout(() => stalled.abort(), stalledAfterMs);
  const progress = () => {
    clearTimeout(timer);
    timer = setTimeout(() => stalled.abort(), stalledAfterMs);
  };
  let response: Response;
  let file: Blob;
  try {
    response = await fetch(path, { credentials: "same-origin", redirect: "error", signal: stalled.signal });
    file = await readFile(response, heartbeat, progress);
  } catch {
    throw unreachable();
  } finally {
    clearTimeout(timer);
  }
  if (response.ok) return file;
  return readResponse(response.status, response.headers.get("request-id"), parse(await file.text()));
}

async function readFile({ body, headers }: Response, heartbeat: string, onProgress: () => void): Promise<Blob> {
  const removed = heartbeat.charCodeAt(0);
  const parts: BlobPart[] = [];
  const reader = body?.getReader();
  for (let read = await reader?.read(); read !== undefined && !read.done; read = await reader?.read()) {
    onProgress();
    parts.push(read.value.filter((byte) => byte !== removed));
  }
  return new Blob(parts, { type: headers.get("content-type") ?? "" });
}

function unreachable(): RequestError {
  const message = "Can't reach the service. Check your connection and try again.";
  return new RequestError(message, { code: "unreachable", status: 0 });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
