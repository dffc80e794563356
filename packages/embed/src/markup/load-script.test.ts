/** The script by `import()`, which is played here: the real one is met in the browser tests. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { globalMark, type OrielGlobal } from "./find-global.ts";
import type { LoadOptions } from "./load-script.ts";
import { version } from "../version.ts";

const origin = "https://pay.example.com";

let loadScript: (options: LoadOptions, importModule: (url: string) => Promise<unknown>) => Promise<OrielGlobal | null>;

beforeEach(async () => {
  // What was loaded, and what failed, is remembered as long as the page.
  vi.resetModules();
  ({ loadScript } = await import("./load-script.ts"));
});

afterEach(() => {
  Reflect.deleteProperty(window, "Oriel");
  vi.restoreAllMocks();
  vi.useRealTimers();
  document.querySelectorAll("link").forEach((link) => link.remove());
});

/** What the script would put on the page. A module does not know where it came from until it is told. */
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

test("this package's own version is loaded, and the script is told where it came from", async () => {
  const importModule = vi.fn(async () => void played());
  const oriel = await loadScript({ origin }, importModule);
  expect(importModule).toHaveBeenCalledExactlyOnceWith(`${origin}/embed/v${version}/oriel.js`);
  expect(oriel?.origin).toBe(origin);
  expect(oriel).toBe(Reflect.get(window, "Oriel"));
});

test("called again for the same address it is the same answer, also while it loads", async () => {
  const importModule = vi.fn(async () => void played());
  const first = loadScript({ origin, version: "1.1.0" }, importModule);
  expect(loadScript({ origin, version: "1.1.0" }, importModule)).toBe(first);
  await first;
  expect(loadScript({ origin, version: "1.1.0" }, importModule)).toBe(first);
  expect(importModule).toHaveBeenCalledOnce();
});

test("a script of the same origin that is there already is taken, whatever its version", async () => {
  const importModule = vi.fn();
  const there = played(origin);
  await expect(loadScript({ origin, version: "2.0.0" }, importModule)).resolves.toBe(there);
  expect(importModule).not.toHaveBeenCalled();
});

test.each([
  ["of another origin", "https://other.example.com"],
  ["of nobody knows where", null],
])("a script %s cannot be replaced, and is refused", async (_what, knows) => {
  played(knows);
  const importModule = vi.fn();
  await expect(loadScript({ origin }, importModule)).rejects.toThrow(TypeError);
  expect(importModule).not.toHaveBeenCalled();
});

test("an element or an array of that name is no script", async () => {
  Object.defineProperty(window, "Oriel", { configurable: true, value: [] });
  const importModule = vi.fn(async () => void played());
  await loadScript({ origin }, importModule);
  expect(importModule).toHaveBeenCalledOnce();
});

test("one failure is tried again, under an address that the browser does not remember as failed", async () => {
  const importModule = vi.fn(async (url: string) => {
    if (!url.includes("?")) throw new TypeError("Failed to fetch dynamically imported module");
    played();
  });
  await expect(loadScript({ origin }, importModule)).resolves.not.toBe(null);
  expect(importModule.mock.calls.map(([url]) => url.split("?")[1])).toEqual([undefined, "retry=1"]);
});

test("a script that does not come is script_blocked with its cause, and the next call tries anew", async () => {
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

test("a file that leaves no global behind, such as an ad blocker's stand-in, is script_blocked", async () => {
  await expect(loadScript({ origin, retries: 0 }, () => Promise.resolve({}))).rejects.toMatchObject({
    code: "script_blocked",
  });
});

test("a script that never comes is script_blocked when the time of all tries is over", async () => {
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

/** Plays a browser that knows modulepreload; `outcome` is what it makes of the link. */
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

test("with integrity the browser checks the bytes before they are imported, under the page's nonce", async () => {
  const links = playPreload("load");
  const importModule = vi.fn(async () => void played());
  await loadScript({ origin, integrity: "sha384-abc/+1=", nonce: "n0nce" }, importModule);
  expect(links).toHaveLength(1);
  expect(links[0]).toMatchObject({ rel: "modulepreload", integrity: "sha384-abc/+1=", nonce: "n0nce" });
  expect(links[0]?.getAttribute("crossorigin")).toBe("");
  expect(links[0]?.href).toBe(`${origin}/embed/v${version}/oriel.js`);
  expect(importModule).toHaveBeenCalledOnce();
});

test("what is not what integrity says is never imported", async () => {
  const links = playPreload("error");
  const importModule = vi.fn();
  await expect(loadScript({ origin, integrity: "sha384-abc" }, importModule)).rejects.toMatchObject({
    code: "script_blocked",
  });
  expect(links).toHaveLength(2);
  expect(importModule).not.toHaveBeenCalled();
});

test("a browser that cannot check integrity is refused, and nothing is imported", async () => {
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
  ["an address that is more than an origin", { origin: "https://pay.example.com/x" }],
  ["a scheme that is not the web's", { origin: "data:text/javascript,1" }],
  ["a version that is a path", { origin: "https://pay.example.com", version: "../../evil" }],
  ["an integrity that is none", { origin: "https://pay.example.com", integrity: "md5-abc" }],
  ["too many tries", { origin: "https://pay.example.com", retries: 6 }],
  ["no time", { origin: "https://pay.example.com", timeout: 0 }],
])("%s is refused with a TypeError, and nothing is imported", async (_what, options) => {
  const importModule = vi.fn();
  await expect(loadScript(options as never, importModule)).rejects.toThrow(TypeError);
  expect(importModule).not.toHaveBeenCalled();
});
