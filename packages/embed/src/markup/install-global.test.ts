/**
 * The script-tag build. Each test has its own `page` object, because the global can't be removed.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { complaints, emptyPage } from "../../test/empty-page.ts";
import { currentScriptUrl } from "../page/host-document.ts";
import type { OrielGlobal } from "./find-global.ts";
import { installGlobal } from "./install-global.ts";

const origin = "https://pay.example.com";
const embedUrl = `${origin}/c/cs_1#x`;

interface Page {
  Oriel?: unknown;
}

beforeEach(emptyPage);

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

function oriel(page: Page): OrielGlobal {
  return page.Oriel as OrielGlobal; // installed by installGlobal
}

function markup(): HTMLElement {
  const element = document.createElement("div");
  element.setAttribute("data-oriel-checkout", "");
  element.setAttribute("data-oriel-embed-url", embedUrl);
  document.body.append(element);
  return element;
}

test("mounts markup, and loading again mounts only new elements", () => {
  const page: Page = {};
  const first = markup();
  installGlobal(page, origin);
  const frame = first.querySelector("iframe");
  expect(frame).not.toBe(null);
  const second = markup();
  oriel(page).load();
  expect(first.querySelector("iframe")).toBe(frame);
  expect(second.querySelectorAll("iframe")).toHaveLength(1);
});

test("mounts added markup, destroys removed checkouts, and reports refused elements once", async () => {
  const page: Page = {};
  installGlobal(page, origin);
  const bad = markup();
  bad.dataset["orielEmbedUrl"] = "https://evil.example/c/cs_1#x";
  const element = markup();
  await vi.waitFor(() => expect(element.querySelector("iframe")).not.toBe(null));
  element.remove();
  await vi.waitFor(() => expect(element.querySelector("iframe")).toBe(null));
  expect(complaints()).toHaveLength(1);
});

test("refuses markup with a console error if the script's origin is unknown", () => {
  vi.useFakeTimers();
  const page: Page = {};
  const element = markup();
  installGlobal(page, null);
  vi.advanceTimersByTime(0);
  expect(oriel(page).origin).toBe(null);
  expect(element.querySelector("iframe")).toBe(null);
  expect(complaints()).toEqual([
    expect.stringContaining("must have the origin of oriel.js, unknown until you call Oriel.load(origin)"),
  ]);
});

test("load sets an unknown origin only once, and accepts markup without console errors", () => {
  vi.useFakeTimers();
  const page: Page = {};
  const element = markup();
  installGlobal(page, null);
  oriel(page).load(`${origin}/embed/v1/oriel.js`);
  vi.advanceTimersByTime(0);
  expect(oriel(page).origin).toBe(origin);
  expect(element.querySelectorAll("iframe")).toHaveLength(1);
  expect(complaints()).toEqual([]);
  oriel(page).load("https://evil.example");
  expect(oriel(page).origin).toBe(origin);
});

test("load doesn't replace a known origin", () => {
  const page: Page = {};
  installGlobal(page, origin);
  oriel(page).load("https://evil.example");
  expect(oriel(page).origin).toBe(origin);
  expect(() => oriel(page).load("nowhere")).not.toThrow();
});

test("reload mounts new markup and keeps existing checkouts", () => {
  const page: Page = {};
  installGlobal(page, origin);
  const element = markup();
  oriel(page).reload();
  const frame = element.querySelector("iframe");
  expect(frame).not.toBe(null);
  oriel(page).reload();
  expect(element.querySelector("iframe")).toBe(frame);
});

test("registers the element with the same origin restriction", () => {
  Reflect.set(HTMLElement.prototype, "attachInternals", () => ({ setFormValue() {}, setValidity() {} }));
  const good = document.createElement("oriel-checkout");
  good.setAttribute("embed-url", embedUrl);
  document.body.append(good);
  installGlobal({}, origin);
  const found = document.querySelector("oriel-checkout");
  expect(found?.shadowRoot?.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
  found?.setAttribute("embed-url", "https://evil.example/c/cs_1#x");
  found?.toggleAttribute("disabled", true);
  expect(found?.handle?.state).toBe("loading");
  expect(found?.shadowRoot?.querySelector("iframe")?.getAttribute("src")).toBe(embedUrl);
  expect(complaints()[0]).toContain("must have the origin");
});

test.each([
  ["no queue", {}],
  ["a queue", { Oriel: [] }],
])("with %s, the global is frozen, and neither writable nor configurable", (_what, page: Page) => {
  installGlobal(page, origin);
  expect(Object.getOwnPropertyDescriptor(page, "Oriel")).toMatchObject({ writable: false, configurable: false });
  expect(Object.isFrozen(page.Oriel)).toBe(true);
});

test("loading the script twice keeps the first global and mounts new markup", () => {
  const page: Page = {};
  installGlobal(page, origin);
  const first = page.Oriel;
  const element = markup();
  installGlobal(page, origin);
  expect(page.Oriel).toBe(first);
  expect(element.querySelectorAll("iframe")).toHaveLength(1);
});

test("installs the global even if an element is named Oriel", () => {
  const page: Page = Object.create({ Oriel: document.createElement("form") });
  installGlobal(page, origin);
  expect(Object.hasOwn(page, "Oriel")).toBe(true);
});

test("runs queued commands, runs later ones immediately and reports invalid ones", () => {
  document.body.innerHTML = '<div id="queued"></div><div id="later"></div>';
  const page: Page = {
    Oriel: [["launch"], "mount", ["mount", "#nowhere", { embedUrl }], ["mount", "#queued", { embedUrl }]],
  };
  installGlobal(page, null);
  expect(document.querySelector("#queued iframe")).not.toBe(null);
  expect(complaints()).toHaveLength(3);
  oriel(page).push(["mount", "#later", { embedUrl }]);
  expect(document.querySelector("#later iframe")).not.toBe(null);
});

test("finds the running script even if an element is named currentScript", () => {
  const script = document.createElement("script");
  Object.defineProperty(script, "src", { value: `${origin}/embed/v1/oriel.js` });
  Object.defineProperty(document, "currentScript", { configurable: true, value: { src: "https://evil.example/x.js" } });
  const accessor = vi.spyOn(Document.prototype, "currentScript", "get").mockReturnValue(script);
  expect(currentScriptUrl()).toBe(`${origin}/embed/v1/oriel.js`);
  accessor.mockReturnValue(null);
  expect(currentScriptUrl()).toBe(null);
  Reflect.deleteProperty(document, "currentScript");
});
