import { afterEach, describe, expect, it, vi } from "vitest";
import { frameCallBy, readReply } from "./frame-call.ts";
import { sendRequest } from "./send-request.ts";

const call = frameCallBy(sendRequest);
const send = () => call({ method: "GET", path: "/frame/payments/dec_1", token: "token-1" });
const respond = (response: () => Promise<Response>) => {
  const sent = vi.fn<(path: string, options: RequestInit) => Promise<Response>>(response);
  vi.stubGlobal("fetch", sent);
  return sent;
};

afterEach(() => vi.unstubAllGlobals());

describe("a request", () => {
  it("is JSON with a token, and without cookies, redirects or the browser's cache", async () => {
    const sent = respond(async () => Response.json({ id: 1 }));
    expect(await call({ method: "POST", path: "/frame/payments", body: { a: 1 }, token: "token-1" })).toEqual({
      kind: "answer",
      body: { id: 1 },
    });
    expect(sent).toHaveBeenCalledExactlyOnceWith("/frame/payments", {
      method: "POST",
      headers: { "content-type": "application/json", authorization: "Bearer token-1" },
      body: '{"a":1}',
      credentials: "omit",
      cache: "no-store",
      redirect: "error",
      signal: expect.any(AbortSignal),
    });
  });

  it("without a body or token has neither header", async () => {
    const sent = respond(async () => Response.json({}));
    await call({ method: "GET", path: "/frame/why" });
    expect(sent.mock.calls[0]?.[1]).toMatchObject({ method: "GET", headers: {} });
    expect(sent.mock.calls[0]?.[1]).not.toHaveProperty("body");
  });

  it.each([
    ["the network fails", async () => Promise.reject(new TypeError("Failed to fetch"))],
    ["the response isn't JSON", async () => new Response("<html>")],
    ["the response is empty", async () => Response.json(null, { status: 400 })],
    ["the service fails", async () => Response.json({ error: { code: "internal_error" } }, { status: 500 })],
  ])("is unreachable if %s", async (_why, response) => {
    respond(response);
    expect(await send()).toEqual({ kind: "unreachable" });
  });

  it("is unreachable if no response arrives in time", async () => {
    const sent = respond(() => new Promise(() => {}));
    const signals = vi.spyOn(AbortSignal, "timeout");
    void send();
    void call({ method: "GET", path: "/frame/payments/dec_1", timeoutMs: 30_000 });
    expect(signals.mock.calls).toEqual([[15_000], [30_000]]);
    expect(sent.mock.calls[0]?.[1].signal).toBe(signals.mock.results[0]?.value);
    signals.mockRestore();
  });
});

describe("a refusal", () => {
  it("has the service's code and parameter", () => {
    const body = { error: { code: "parameter_invalid", param: "billing_details.email" }, encryption: { nonce: "n" } };
    expect(readReply({ ok: false, status: 400, body })).toEqual({
      kind: "refused",
      status: 400,
      code: "parameter_invalid",
      param: "billing_details.email",
      encryption: { nonce: "n" },
    });
  });

  it("in another format is an unknown error", () => {
    const unknown = { kind: "refused", status: 404, code: "unknown_error", encryption: null };
    expect(readReply({ ok: false, status: 404, body: { error: { code: 7, param: 7 } } })).toEqual(unknown);
    expect(readReply({ ok: false, status: 404, body: {} })).toEqual(unknown);
  });
});
