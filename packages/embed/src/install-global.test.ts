/** The script-tag build on pages that resist. Each test has a `page` object of its own, because the global cannot be taken back. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentScriptUrl } from "./host-document.ts";
import { installGlobal } from "./install-global.ts";

const origin = "https://pay.example.com";
const embedUrl = `${origin}/c/cs_1#x`;

interface Page {
  Oriel?: unknown;
}

beforeEach(() => {
  // @ts-expect-error happy-dom adds its switches to window.
  window.happyDOM.settings.disableIframePageLoading = true;
  // happy-dom tells that it loads no frames.
  vi.spyOn(console, "error").mockImplementation(() => {});
  document.body.replaceChildren();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** What the console was told by us. */
function complaints(): string[] {
  return vi
    .mocked(console.error)
    .mock.calls.map(([first]) => String(first))
    .filter((text) => text.includes("Oriel:"));
}

function oriel(page: Page): { load(): void; push(...commands: unknown[]): void } {
  return page.Oriel as ReturnType<typeof oriel>; // Installed a line before.
}

function markup(attributes: Record<string, string> = {}): HTMLElement {
  const element = document.createElement("div");
  element.setAttribute("data-oriel-checkout", "");
  for (const [name, value] of Object.entries({ "data-oriel-embed-url": embedUrl, ...attributes }))
    element.setAttribute(name, value);
  document.body.append(element);
  return element;
}

test("markup is mounted, and looking again mounts only what is new", () => {
  const page: Page = {};
  const first = markup();
  installGlobal(page, origin);
  expect(first.querySelectorAll("iframe")).toHaveLength(1);
  const second = markup();
  oriel(page).load();
  expect(first.querySelectorAll("iframe")).toHaveLength(1);
  expect(second.querySelectorAll("iframe")).toHaveLength(1);
});

test("markup whose session has changed gets the new session's frame", () => {
  const page: Page = {};
  const element = markup();
  installGlobal(page, origin);
  element.setAttribute("data-oriel-embed-url", `${origin}/c/cs_2#y`);
  oriel(page).load();
  expect([...element.querySelectorAll("iframe")].map((frame) => frame.getAttribute("src"))).toEqual([`${origin}/c/cs_2#y`]);
});

test.each([
  ["another origin", "https://evil.example/c/cs_1#x", origin],
  ["another port", `${origin}:8443/c/cs_1#x`, origin],
  ["another scheme", "http://pay.example.com/c/cs_1#x", origin],
  ["an origin nobody vouches for", embedUrl, null],
  ["no address", "", origin],
])("markup that names %s is refused on the console, and the next element is mounted all the same", (_what, url, scriptOrigin) => {
  const bad = markup({ "data-oriel-embed-url": url });
  const good = markup();
  installGlobal({}, scriptOrigin);
  expect(bad.querySelector("iframe")).toBe(null);
  expect(complaints().length).toBeGreaterThan(0);
  expect(good.querySelector("iframe") !== null).toBe(scriptOrigin !== null);
});

test("a callback is only ever the page's own function", async () => {
  const named = vi.fn();
  Reflect.set(window, "onLost", named);
  const clobber = document.createElement("form");
  clobber.id = "onClobbered";
  document.body.append(clobber);
  for (const name of ["onLost", "onClobbered", "toString", "onMissing"]) markup({ "data-oriel-on-error": name });
  vi.useFakeTimers();
  installGlobal({}, origin);
  vi.advanceTimersByTime(15_000);
  vi.useRealTimers();
  expect(named).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ code: "handshake_timeout" }));
  expect(complaints()).toEqual([
    expect.stringContaining('names "onClobbered"'),
    expect.stringContaining('names "toString"'),
    expect.stringContaining('names "onMissing"'),
  ]);
  Reflect.deleteProperty(window, "onLost");
});

test("the global is frozen, and neither writable nor configurable", () => {
  const page: Page = {};
  installGlobal(page, origin);
  expect(Object.getOwnPropertyDescriptor(page, "Oriel")).toMatchObject({ writable: false, configurable: false });
  expect(Object.isFrozen(page.Oriel)).toBe(true);
});

test("loaded twice, the first stays and new markup is found", () => {
  const page: Page = {};
  installGlobal(page, origin);
  const first = page.Oriel;
  const element = markup();
  installGlobal(page, origin);
  expect(page.Oriel).toBe(first);
  expect(element.querySelectorAll("iframe")).toHaveLength(1);
});

test("an element named Oriel is found by inheritance only, and does not keep the script out", () => {
  const page: Page = Object.create({ Oriel: document.createElement("form") });
  installGlobal(page, origin);
  expect(Object.hasOwn(page, "Oriel")).toBe(true);
});

test("commands queued before it came are run, later ones at once, and wrong ones are reported", () => {
  document.body.innerHTML = '<div id="queued"></div><div id="later"></div>';
  const page: Page = { Oriel: [["launch"], "mount", ["mount", "#nowhere", { embedUrl }], ["mount", "#queued", { embedUrl }]] };
  installGlobal(page, null);
  expect(document.querySelector("#queued iframe")).not.toBe(null);
  expect(complaints()).toHaveLength(3);
  oriel(page).push(["mount", "#later", { embedUrl }]);
  expect(document.querySelector("#later iframe")).not.toBe(null);
});

test("the running script is found past an element that is named currentScript", () => {
  const script = document.createElement("script");
  Object.defineProperty(script, "src", { value: `${origin}/embed/v1/oriel.js` });
  Object.defineProperty(document, "currentScript", { configurable: true, value: { src: "https://evil.example/x.js" } });
  const accessor = vi.spyOn(Document.prototype, "currentScript", "get").mockReturnValue(script);
  expect(currentScriptUrl()).toBe(`${origin}/embed/v1/oriel.js`);
  accessor.mockReturnValue(null);
  expect(currentScriptUrl()).toBe(null);
  Reflect.deleteProperty(document, "currentScript");
});
