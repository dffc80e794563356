/**
 * The script-tag build on pages that resist. Each test has a `page` object of its own, because the global cannot be
 * taken back.
 */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { currentScriptUrl } from "../host-document.ts";
import type { OrielGlobal } from "./find-global.ts";
import { installGlobal } from "./install-global.ts";
import { complaints, emptyPage } from "../../test/empty-page.ts";

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
  return page.Oriel as OrielGlobal; // Installed a line before.
}

function markup(): HTMLElement {
  const element = document.createElement("div");
  element.setAttribute("data-oriel-checkout", "");
  element.setAttribute("data-oriel-embed-url", embedUrl);
  document.body.append(element);
  return element;
}

test("markup is mounted, and looking again mounts only what is new", () => {
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

test("markup that is added later is mounted, what is removed is ended, and what is refused is complained about once", async () => {
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

test("a script that does not know where it came from refuses markup, and says so", () => {
  vi.useFakeTimers();
  const page: Page = {};
  const element = markup();
  installGlobal(page, null);
  vi.advanceTimersByTime(0);
  expect(oriel(page).origin).toBe(null);
  expect(element.querySelector("iframe")).toBe(null);
  expect(complaints()).toEqual([expect.stringContaining("must have the origin")]);
});

test("whoever loaded such a script may say its origin, once, and nothing was complained about before", () => {
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

test("a script that knows its origin takes no other", () => {
  const page: Page = {};
  installGlobal(page, origin);
  oriel(page).load("https://evil.example");
  expect(oriel(page).origin).toBe(origin);
  expect(() => oriel(page).load("nowhere")).not.toThrow();
});

test("reload looks again too, and leaves what stands", () => {
  const page: Page = {};
  installGlobal(page, origin);
  const element = markup();
  oriel(page).reload();
  const frame = element.querySelector("iframe");
  expect(frame).not.toBe(null);
  oriel(page).reload();
  expect(element.querySelector("iframe")).toBe(frame);
});

test("the element is registered with the script, and held to the same origin", () => {
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
  const page: Page = {
    Oriel: [["launch"], "mount", ["mount", "#nowhere", { embedUrl }], ["mount", "#queued", { embedUrl }]],
  };
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
