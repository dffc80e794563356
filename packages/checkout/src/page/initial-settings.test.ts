import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { initialSettings } from "./initial-settings.ts";

const root = document.documentElement;
/** A window with a name, in an iframe unless it's a full page. */
const named = (name: string, isFullPage = false): Window =>
  Object.create(window, {
    name: { value: name },
    parent: isFullPage ? { get: () => full } : { value: {} },
    document: { value: document },
    navigator: { value: { languages: ["en-US"] } },
  }) as Window; // a window, apart from these properties
let full: Window;

beforeEach(() => {
  vi.useFakeTimers();
  root.lang = "en";
});
afterEach(() => {
  vi.useRealTimers();
  for (const name of ["style", "lang", "dir", "data-style", "data-labels", "data-still", "data-words"])
    root.removeAttribute(name);
});

describe("the appearance and language in the first paint", () => {
  it("follow the iframe's name", () => {
    const { settings } = initialSettings(
      named(
        JSON.stringify({
          locale: "ar",
          appearance: { theme: "dark", labels: "floating", variables: { colorPrimary: "#060" } },
        }),
      ),
    );
    expect(settings.locale).toBe("ar");
    expect([root.dir, root.dataset["labels"]]).toEqual(["rtl", "floating"]);
    expect(root.dataset["theme"]).toBe("dark");
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("#060");
  });

  it("follow the session, and each token of the host page overrides it", () => {
    const meta = document.createElement("meta");
    meta.name = "appearance";
    meta.content = JSON.stringify({
      theme: "dark",
      style: "flat",
      variables: { colorPrimary: "#060", borderRadius: "2px" },
    });
    document.head.append(meta);
    try {
      const { apply } = initialSettings(named('{"appearance":{"theme":"light","variables":{"colorPrimary":"#00f"}}}'));
      const shown = () => [root.dataset["theme"], root.dataset["style"], root.style.getPropertyValue("--borderRadius")];
      expect(shown()).toEqual(["light", "flat", "2px"]);
      expect(root.style.getPropertyValue("--colorPrimary")).toBe("#00f");
      apply({ labels: "floating" });
      expect([...shown(), root.dataset["labels"]]).toEqual(["dark", "flat", "2px", "floating"]);
    } finally {
      meta.remove();
    }
  });

  it.each([
    ["", true],
    [',"variables":{"colorText":"#000"}', true],
    [',"variables":{"colorBackground":"#fff"}', false],
  ])("let the page show through if it suits the theme, unless there is a background: %s", (more, isTransparent) => {
    const name = `{"appearance":{"theme":"light","transparent":true${more}}}`;
    const { apply } = initialSettings(named(name));
    expect(root.hasAttribute("data-transparent")).toBe(isTransparent);
    apply({ theme: "light", transparent: false });
    expect(root.hasAttribute("data-transparent")).toBe(false);
  });

  it("ignore all other settings in the name: only a connected host page may choose those", () => {
    const { settings } = initialSettings(
      named(
        JSON.stringify({ locale: "de", disabled: true, challenge: "redirect", submitButton: "merchant", fields: {} }),
      ),
    );
    expect(settings).toEqual({ locale: "de" });
  });

  it("hide texts in a language that wasn't requested, but only for a while", () => {
    initialSettings(named('{"locale":"ar"}'));
    expect([root.dataset["words"], root.dir]).toEqual(["coming", "rtl"]);
    vi.advanceTimersByTime(4_000);
    expect([root.dataset["words"], root.dir]).toEqual([undefined, "ltr"]);
  });

  it.each([
    ["fi", "fil"],
    ["pt", "pt-BR"],
    ["pt", "pt_br"],
    ["de", "da"],
  ])("hide the texts of a page in %s if %s is requested", (language, locale) => {
    root.lang = language;
    initialSettings(named(JSON.stringify({ locale })));
    expect(root.dataset["words"]).toBe("coming");
  });

  it.each([
    ["AR-EG", "rtl"],
    ["iw", "rtl"],
    ["prs", "rtl"],
    ["fas-IR", "rtl"],
    ["ur", "ltr"],
    ["arn", "ltr"],
  ])("have the direction of the texts for %s: %s", (locale, direction) => {
    initialSettings(named(JSON.stringify({ locale })));
    expect(root.dir).toBe(direction);
  });

  it.each([
    ["en", '{"locale":"en-GB"}'],
    ["de", '{"locale":"de-CH"}'],
    ["de", '{"locale":"DE_at"}'],
    ["pt-BR", '{"locale":"pt-BR"}'],
    ["zh-Hant", '{"locale":"zh-Hant-TW"}'],
    ["de", '{"locale":"auto"}'],
    ["de", ""],
  ])("don't hide the texts of a page in %s if the name is %j", (language, name) => {
    root.lang = language;
    initialSettings(named(name));
    expect(root.dataset["words"]).toBeUndefined();
    expect(root.dir).toBe("");
  });

  it.each([
    "",
    "checkout",
    "{",
    "null",
    "[]",
    '{"appearance":"red"}',
    '{"appearance":{"variables":{"colorPrimary":"url(//x)"}}}',
    "x".repeat(1e6),
  ])("are the defaults if the name is %.40j", (name) => {
    expect(initialSettings(named(name)).settings.locale).toBeUndefined();
    expect(root.getAttribute("style") ?? "").toBe("");
    expect(root.dataset["labels"]).toBeUndefined();
  });

  it("ignore the name of a full page, which belongs to someone else", () => {
    full = named('{"appearance":{"labels":"hidden"}}', true);
    initialSettings(full);
    expect(root.dataset["labels"]).toBeUndefined();
  });
});
