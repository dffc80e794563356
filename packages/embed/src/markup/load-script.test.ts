/** Loading the script with a fake `import()`. The browser tests cover the real one. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { version } from "../api/version.ts";
import { globalMark, type OrielGlobal } from "./find-global.ts";
import type { LoadOptions } from "./load-script.ts";

const origin = "https://pay.example.com";

let loadScript: (options: LoadOptions, importModule: (url: string) => Promise<unknown>) => Promise<OrielGlobal | null>;

beforeEach(async () => {
  // The module remembers loads and failures as long as the page exists.
  vi.resetModules();
  ({ loadScript } = await import("./load-script.ts"));
});

afterEach(() => {
  Reflect.deleteProperty(window, "Oriel");
  vi.restoreAllMocks();
  vi.useRealTimers();
  document.querySelectorAll("link").forEach((link) => link.remove());
});

/** The global that the script would install. A module doesn't know its origin until `load` sets it. */
function played(knows: string | null = null): OrielGlobal & { load: ReturnType<typeof vi.fn> } {
  let own = knows;
  const load = vi.fn((named?: string) => void (own ??= named ?? null));
  const oriel = {
    [globalMark]: true,
    load,
    reload() {},
    push() {},
    get origin() {
      return own;
    },
  };
  Object.defineProperty(window, "Oriel", { configurable: true, value: oriel });
  return oriel as unknown as ReturnType<typeof played>;
}

test("loads this package's version and passes the origin to the script", async () => {
  const importModule = vi.fn(async () => void played());
  const oriel = await loadScript({ origin }, importModule);
  expect(importModule).toHaveBeenCalledExactlyOnceWith(`${origin}/embed/v${version}/oriel.js`);
  expect(oriel?.origin).toBe(origin);
  expect(oriel).toBe(Reflect.get(window, "Oriel"));
});

test("returns the same promise for the same URL, during and after loading", async () => {
  const importModule = vi.fn(async () => void played());
  const first = loadScript({ origin, version: "1.1.0" }, importModule);
  expect(loadScript({ origin, version: "1.1.0" }, importModule)).toBe(first);
  await first;
  expect(loadScript({ origin, version: "1.1.0" }, importModule)).toBe(first);
  expect(importModule).toHaveBeenCalledOnce();
});

test("uses an existing script from the same origin, regardless of its version", async () => {
  const importModule = vi.fn();
  const there = played(origin);
  await expect(loadScript({ origin, version: "2.0.0" }, importModule)).resolves.toBe(there);
  expect(importModule).not.toHaveBeenCalled();
});

test.each([
  ["from another origin", "https://other.example.com"],
  ["with an unknown origin", null],
])("refuses an existing script %s, which can't be replaced", async (_what, knows) => {
  played(knows);
  const importModule = vi.fn();
  await expect(loadScript({ origin }, importModule)).rejects.toThrow(TypeError);
  expect(importModule).not.toHaveBeenCalled();
});

test("ignores an element or array named Oriel", async () => {
  Object.defineProperty(window, "Oriel", { configurable: true, value: [] });
  const importModule = vi.fn(async () => void played());
  await loadScript({ origin }, importModule);
  expect(importModule).toHaveBeenCalledOnce();
});

test("retries with a new URL, because the browser remembers the failed one", async () => {
  const importModule = vi.fn(async (url: string) => {
    if (!url.includes("?")) throw new TypeError("Failed to fetch dynamically imported module");
    played();
  });
  await expect(loadScript({ origin }, importModule)).resolves.not.toBe(null);
  expect(importModule.mock.calls.map(([url]) => url.split("?")[1])).toEqual([undefined, "retry=1"]);
});

test("rejects with script_blocked and the cause, and the next call retries", async () => {
  const cause = new TypeError("Failed to fetch dynamically imported module");
  const importModule = vi.fn((_url: string) => Promise.reject<unknown>(cause));
  await expect(loadScript({ origin }, importModule)).rejects.toMatchObject({
    name: "CheckoutError",
    code: "script_blocked",
    retryable: true,
    docUrl: `${origin}/embed/v1/help#script_blocked`,
    cause,
  });
  expect(importModule).toHaveBeenCalledTimes(2);
  const later = vi.fn(async (_url: string) => void played());
  await expect(loadScript({ origin }, later)).resolves.not.toBe(null);
  expect(later.mock.calls[0]?.[0]).toContain("?retry=2");
});

test("rejects with script_blocked if the file sets no global, such as an ad blocker's replacement", async () => {
  await expect(loadScript({ origin, retries: 0 }, () => Promise.resolve({}))).rejects.toMatchObject({
    code: "script_blocked",
  });
});

test("rejects with script_blocked after the time limit for all attempts", async () => {
  vi.useFakeTimers();
  const importModule = vi.fn(() => new Promise(() => {}));
  const failed = vi.fn();
  loadScript({ origin }, importModule).catch(failed);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(importModule).toHaveBeenCalledTimes(2);
  expect(failed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(failed).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "script_blocked" }));
});

/** Simulates a browser that supports modulepreload. `outcome` is the event that each link fires. */
function playPreload(outcome: "load" | "error"): HTMLLinkElement[] {
  const links: HTMLLinkElement[] = [];
  vi.spyOn(HTMLLinkElement.prototype, "relList", "get").mockReturnValue({
    supports: () => true,
  } as unknown as DOMTokenList);
  vi.spyOn(document.documentElement, "append").mockImplementation((link) => {
    if (!(link instanceof HTMLLinkElement)) return;
    links.push(link);
    queueMicrotask(() => link.dispatchEvent(new Event(outcome)));
  });
  return links;
}

test("with integrity, preloads the script with the page's nonce before importing it", async () => {
  const links = playPreload("load");
  const importModule = vi.fn(async () => void played());
  await loadScript({ origin, integrity: "sha384-abc/+1=", nonce: "n0nce" }, importModule);
  expect(links).toHaveLength(1);
  expect(links[0]).toMatchObject({ rel: "modulepreload", integrity: "sha384-abc/+1=", nonce: "n0nce" });
  expect(links[0]?.getAttribute("crossorigin")).toBe("");
  // The fragment distinguishes it from a module that the page loaded before without the check.
  const checked = `${origin}/embed/v${version}/oriel.js#sha384-abc/+1=`;
  expect(links[0]?.href).toBe(checked);
  expect(importModule).toHaveBeenCalledExactlyOnceWith(checked);
});

test("never imports a script that doesn't match its integrity", async () => {
  const links = playPreload("error");
  const importModule = vi.fn();
  await expect(loadScript({ origin, integrity: "sha384-abc" }, importModule)).rejects.toMatchObject({
    code: "script_blocked",
  });
  expect(links).toHaveLength(2);
  expect(importModule).not.toHaveBeenCalled();
});

test("imports nothing if the browser can't check the integrity", async () => {
  vi.spyOn(HTMLLinkElement.prototype, "relList", "get").mockReturnValue({
    supports: () => false,
  } as unknown as DOMTokenList);
  const importModule = vi.fn();
  await expect(loadScript({ origin, integrity: "sha384-abc" }, importModule)).rejects.toMatchObject({
    code: "script_blocked",
    cause: expect.objectContaining({ message: expect.stringContaining("integrity") }),
  });
  expect(importModule).not.toHaveBeenCalled();
});

test.each([
  ["no options", undefined],
  ["no origin", {}],
  ["a URL with a path as origin", { origin: "https://pay.example.com/x" }],
  ["a scheme that is not the web's", { origin: "data:text/javascript,1" }],
  ["a version that is a path", { origin: "https://pay.example.com", version: "../../evil" }],
  ["an invalid integrity", { origin: "https://pay.example.com", integrity: "md5-abc" }],
  ["too many retries", { origin: "https://pay.example.com", retries: 6 }],
  ["a timeout of 0", { origin: "https://pay.example.com", timeout: 0 }],
])("refuses %s with a TypeError and imports nothing", async (_what, options) => {
  const importModule = vi.fn();
  await expect(loadScript(options as never, importModule)).rejects.toThrow(TypeError);
  expect(importModule).not.toHaveBeenCalled();
});
