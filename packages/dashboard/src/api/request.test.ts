import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { csvHeartbeat } from "@oriel/protocol/dashboard/payments";
import { RequestError } from "./api-error.ts";
import { queryClient } from "./query-client.ts";
import { request, requestFile } from "./request.ts";
import { stepUp } from "./step-up.ts";

const responses: (() => Promise<Response>)[] = [];
const fetched = vi.fn<(path: string, init: RequestInit) => Promise<Response>>(async () => {
  const next = responses.shift();
  if (next === undefined) throw new Error("Bug: more requests than responses");
  return await next();
});
const respond = (status: number, body: unknown) =>
  responses.push(async () => Response.json(body, { status, headers: { "request-id": "req_1" } }));
const respondWithError = (status: number, code: string, more: object = {}) =>
  respond(status, { error: { code, message: `Message of ${code}.`, ...more } });

beforeEach(() => {
  responses.length = 0;
  fetched.mockClear();
  vi.stubGlobal("fetch", fetched);
  history.replaceState(null, "", "/acct_1/test/payments?status=failed");
});
afterEach(() => {
  stepUp.settle(false);
  vi.unstubAllGlobals();
});

describe("a request", () => {
  it("goes to the dashboard's own origin as JSON, with its idempotency key", async () => {
    respond(200, { id: "re_1" });
    expect(await request("/data/a/test/x", { method: "POST", body: { amount: 1 }, idempotencyKey: "k" })).toEqual({
      id: "re_1",
    });
    const [path, init] = fetched.mock.calls[0] ?? [];
    expect(path).toBe("/data/a/test/x");
    expect(init).toMatchObject({ method: "POST", body: '{"amount":1}', credentials: "same-origin", redirect: "error" });
    const headers = new Headers(init?.headers);
    expect([headers.get("content-type"), headers.get("idempotency-key")]).toEqual(["application/json", "k"]);
  });

  it("makes hidden characters in the response visible", async () => {
    respond(200, { name: "\u202egnp.exe", metadata: { "a\u200bb": "\u2069c" } });
    expect(await request("/x")).toEqual({ name: "[U+202E]gnp.exe", metadata: { "a[U+200B]b": "[U+2069]c" } });
  });

  it("sends no content type without a body", async () => {
    respond(200, {});
    await request("/auth/sessions/1/revoke", { method: "POST" });
    expect(fetched).toHaveBeenCalledOnce();
    expect(new Headers(fetched.mock.calls[0]?.[1].headers).has("content-type")).toBe(false);
  });
});

describe("a file", () => {
  let body: ReadableStreamDefaultController<Uint8Array>;
  let file: Promise<Blob>;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const stream = new ReadableStream<Uint8Array>({ start: (controller) => void (body = controller) });
    responses.push(async () => {
      fetched.mock.lastCall?.[1].signal?.addEventListener("abort", () => body.error(new Error("aborted")));
      return new Response(stream, { status: 200 });
    });
    file = requestFile("/payments.csv", csvHeartbeat);
  });
  afterEach(() => vi.useRealTimers());

  it("may take any time while heartbeats arrive, which aren't part of it", async () => {
    for (const piece of ["a", csvHeartbeat, `${csvHeartbeat}b${csvHeartbeat}`]) {
      await vi.advanceTimersByTimeAsync(75_000);
      body.enqueue(new TextEncoder().encode(piece));
    }
    body.close();
    expect(await (await file).text()).toBe("ab");
  });

  it("is given up if nothing arrives for two minutes", async () => {
    const [outcome] = await Promise.all([file.catch((error: unknown) => error), vi.advanceTimersByTimeAsync(120_000)]);
    expect(outcome).toMatchObject({ code: "unreachable" });
  });
});

describe("a refusal", () => {
  it("has the response's code, field and request ID", async () => {
    respondWithError(400, "parameter_invalid", { param: "url" });
    await expect(request("/x")).rejects.toMatchObject({
      code: "parameter_invalid",
      param: "url",
      status: 400,
      requestId: "req_1",
    });
  });

  it("is also thrown for an error response that isn't our JSON", async () => {
    responses.push(async () => new Response("<h1>Bad gateway</h1>", { status: 502 }));
    await expect(request("/x")).rejects.toMatchObject({ code: "unreadable", status: 502 });
  });

  it("is also thrown for an error response in JSON of another form", async () => {
    respond(502, { error: "Bad gateway" });
    await expect(request("/x")).rejects.toMatchObject({
      code: "unreadable",
      status: 502,
      message: "The service returned an unexpected error (502). Try again.",
    });
  });

  it.each([
    ["a page", "<h1>Sign in to the network</h1>"],
    ["an incomplete body", '{"id":"re'],
    ["an empty body", ""],
    ["JSON that isn't an object", "null"],
  ])("is also thrown for a success with %s", async (_name, body) => {
    responses.push(async () => new Response(body, { status: 200 }));
    await expect(request("/x", { method: "POST", body: {} })).rejects.toMatchObject({
      code: "unreadable",
      status: 200,
    });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("is also thrown for a connection that breaks in the middle of a response", async () => {
    const body = new ReadableStream({ start: (controller) => controller.error(new TypeError("terminated")) });
    responses.push(async () => new Response(body, { status: 200 }));
    await expect(request("/x", { method: "POST", body: {} })).rejects.toMatchObject({ code: "unreachable", status: 0 });
  });

  it("is also thrown for a lost connection, and a change isn't resent automatically", async () => {
    responses.push(async () => {
      throw new TypeError("Failed to fetch");
    });
    await expect(request("/x", { method: "POST", body: {} })).rejects.toMatchObject({ code: "unreachable", status: 0 });
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});

describe("a request without a session", () => {
  it("leads to the sign-in page, with a path back, and forgets what was loaded", async () => {
    queryClient.setQueryData(["data", "a", "test", "payments"], "loaded");
    respondWithError(401, "sign_in_required");
    await expect(request("/data/a/test/payments")).rejects.toBeInstanceOf(RequestError);
    expect(location.pathname + location.search).toBe("/sign-in?return=%2Facct_1%2Ftest%2Fpayments%3Fstatus%3Dfailed");
    expect(queryClient.getQueryCache().getAll()).toEqual([]);
  });

  it("doesn't leave a page about signing in", async () => {
    respondWithError(401, "sign_in_required");
    await expect(request("/auth/sign-out", { isAboutSigningIn: true })).rejects.toBeInstanceOf(RequestError);
    expect(location.pathname).toBe("/acct_1/test/payments");
  });

  it("leads to the setup of a second factor if the user has none", async () => {
    respondWithError(403, "second_factor_required");
    await expect(request("/x")).rejects.toBeInstanceOf(RequestError);
    expect(location.pathname).toBe("/second-factor/set-up");
  });
});

describe("a request that requires a recent sign-in", () => {
  it("is resent unchanged after the user has confirmed their identity", async () => {
    respondWithError(403, "step_up_required");
    respond(200, { secret: "whsec_1" });
    const pending = request("/reveal", { method: "POST", body: { a: 1 }, idempotencyKey: "k" });
    await vi.waitFor(() => expect(stepUp.isOpen()).toBe(true));
    stepUp.settle(true);
    expect(await pending).toEqual({ secret: "whsec_1" });
    const [first, second] = fetched.mock.calls.map(([path, { method, body }]) => ({ path, method, body }));
    expect(second).toEqual(first);
  });

  it("is refused if the user cancels", async () => {
    respondWithError(403, "step_up_required");
    const pending = request("/reveal", { method: "POST" });
    await vi.waitFor(() => expect(stepUp.isOpen()).toBe(true));
    stepUp.settle(false);
    await expect(pending).rejects.toMatchObject({ code: "step_up_required" });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("asks for confirmation only once, even if it's refused again", async () => {
    respondWithError(403, "step_up_required");
    respondWithError(403, "step_up_required");
    const pending = request("/reveal", { method: "POST" });
    await vi.waitFor(() => expect(stepUp.isOpen()).toBe(true));
    stepUp.settle(true);
    await expect(pending).rejects.toMatchObject({ code: "step_up_required" });
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  it("leads to the sign-in page if the session has ended when it's resent", async () => {
    respondWithError(403, "step_up_required");
    respondWithError(401, "sign_in_required");
    const pending = request("/reveal", { method: "POST" });
    await vi.waitFor(() => expect(stepUp.isOpen()).toBe(true));
    stepUp.settle(true);
    await expect(pending).rejects.toMatchObject({ code: "sign_in_required" });
    expect(location.pathname).toBe("/sign-in");
  });
});
