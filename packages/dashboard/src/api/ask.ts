/**
 * How every page asks the service: same origin, JSON, the session's cookie, which no script can read. What the service
 * says no to becomes a {@link Refusal}. Three refusals are dealt with here, so that no page has to:
 *
 * - nobody is signed in (any more): the sign-in page, and back here afterwards;
 * - no second factor yet: the page that sets one up;
 * - the session is too old for what opens doors: the dialog asks for password and code, or a passkey, and then the same
 *   request goes again, once.
 */
import type { DashboardErrorBody } from "@oriel/protocol/dashboard";
import { allVisible } from "@oriel/protocol/foreign-text";
import { navigate } from "wouter/use-browser-location";
import { Refusal } from "./refusal.ts";
import { here, signInPath } from "./return-path.ts";
import { stepUp } from "./step-up.ts";

export interface Question {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** JSON, or a document's bytes. */
  body?: object | Blob;
  /** Sent as `Idempotency-Key`: the same for every try of one wish. */
  idempotencyKey?: string;
  signal?: AbortSignal;
  /** For a page that is about signing in: a missing session is its business. */
  isAboutSigningIn?: boolean;
}

const timeoutMs = 30_000;

export async function ask<Answer>(path: string, question: Question = {}): Promise<Answer> {
  try {
    return await askOnce<Answer>(path, question);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    if (error.code === "step_up_required" && (await stepUp.request())) return await askOnce<Answer>(path, question);
    if (error.code === "sign_in_required" && !question.isAboutSigningIn)
      navigate(signInPath(here()), { replace: true });
    if (error.code === "second_factor_required") navigate("/second-factor/set-up", { replace: true });
    throw error;
  }
}

/** A mistake of the network is said in a sentence, and nothing is tried again by itself that could change something. */
async function askOnce<Answer>(
  path: string,
  { method = "GET", body, idempotencyKey, signal }: Question,
): Promise<Answer> {
  const headers = new Headers({ accept: "application/json" });
  if (idempotencyKey !== undefined) headers.set("idempotency-key", idempotencyKey);
  if (body !== undefined) headers.set("content-type", body instanceof Blob ? body.type : "application/json");
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      body: body === undefined || body instanceof Blob ? (body ?? null) : JSON.stringify(body),
      credentials: "same-origin",
      redirect: "error",
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
  } catch (reason) {
    if (signal?.aborted) throw reason;
    throw new Refusal("The service did not answer. Look at your connection, then try again.", {
      code: "unreachable",
      status: 0,
    });
  }
  const answer: unknown = await response.json().catch(() => null);
  // What the route says it answers with, as both sides come from one build. Strangers wrote some of it: no page shows
  // what nobody can see.
  if (response.ok) return allVisible(answer) as Answer;
  throw toRefusal(response, answer);
}

function toRefusal({ status, headers }: Response, answer: unknown): Refusal {
  const { error } = (answer ?? {}) as Partial<DashboardErrorBody>; // of the shape that every refusal of ours has
  const requestId = headers.get("request-id");
  if (error === undefined)
    return new Refusal(`The service answered ${status} and said no more.`, { code: "unreadable", status, requestId });
  return new Refusal(error.message, { code: error.code, param: error.param ?? null, status, requestId });
}
