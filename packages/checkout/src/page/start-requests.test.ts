import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startRequests } from "./start-requests.ts";

const secret = "cs_secret_123";
let requests: { path: string; body: unknown }[];

beforeEach(() => {
  requests = [];
  vi.stubGlobal("fetch", async (path: string, { body }: RequestInit = {}) => {
    requests.push({ path, body });
    return Response.json({});
  });
  document.documentElement.lang = "de";
  document.documentElement.dataset["texts"] = "/assets/texts/1/";
  document.documentElement.dataset["code"] = "/assets/pay.js";
});
afterEach(() => {
  vi.unstubAllGlobals();
  history.replaceState(null, "");
});

/** A window at that path, with a secret in the fragment. */
function windowAt(pathname: string, changes: Record<string, unknown> = {}) {
  const location = { pathname, search: "", hash: `#${secret}` };
  const read = { document, history, location, origin: "https://pay.example", ...changes };
  return read as unknown as typeof window; // what the function reads
}
const code = { startPaying() {} };

describe("the requests that every payment needs", () => {
  it("are the session, the later code and the page's own texts, and the secret leaves the URL", async () => {
    const replaceState = vi.fn<History["replaceState"]>();
    const { started } = startRequests(windowAt("/c/cs_1", { history: { replaceState } }), async () => code);
    if (typeof started === "string") throw new Error(started);
    expect(requests).toEqual([
      { path: "/assets/pay.js", body: undefined },
      { path: "/frame/sessions/cs_1/open", body: JSON.stringify({ client_secret: secret }) },
      { path: "/assets/texts/1/de.json", body: undefined },
    ]);
    expect(replaceState).toHaveBeenCalledExactlyOnceWith({ secret }, "", "/c/cs_1");
    expect(await started.code).toBe(code);
    expect(await started.texts).toEqual({});
    expect(await started.opening).toMatchObject({ ok: true });
  });

  it.each([
    ["invalid", "/c/", {}],
    ["sandboxed", "/c/cs_1", { origin: "null" }],
  ])("aren't sent by a page that is %s", (why, path, changes) => {
    const importCode = vi.fn(async () => code);
    expect(startRequests(windowAt(path, changes), importCode).started).toBe(why);
    expect(importCode).not.toHaveBeenCalled();
    expect(requests).toEqual([]);
  });

  it("import the code only after `load`, for which some browsers would wait otherwise", async () => {
    const readyState = vi.spyOn(document, "readyState", "get").mockReturnValue("loading");
    const importCode = vi.fn(async () => code);
    const waiting: (() => void)[] = [];
    const addEventListener = (_type: string, listener: () => void) => waiting.push(listener);
    const { started } = startRequests(windowAt("/c/cs_1", { addEventListener }), importCode);
    readyState.mockRestore();
    if (typeof started === "string") throw new Error(started);
    await started.texts;
    expect(importCode).not.toHaveBeenCalled();
    for (const listener of waiting) listener();
    expect(await started.code).toBe(code);
  });

  it("tell a browser that refuses the code from one that can't load it", async () => {
    vi.spyOn(HTMLScriptElement, "supports").mockReturnValue(true);
    const { started } = startRequests(windowAt("/c/cs_1"), () => Promise.reject(new TypeError("failed")));
    if (typeof started === "string") throw new Error(started);
    expect(await started.code).toBe(null);
    expect(started.isTooOld()).toBe(false);
    document.dispatchEvent(
      Object.assign(new Event("securitypolicyviolation"), { effectiveDirective: "script-src-elem" }),
    );
    expect(started.isTooOld()).toBe(true);
  });
});
