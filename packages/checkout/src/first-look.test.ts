import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { firstLook } from "./first-look.ts";

const root = document.documentElement;
/** A window with a name, in a frame unless it is said to be the page itself. */
const named = (name: string, isFullPage = false): Window =>
  Object.create(window, {
    name: { value: name },
    parent: isFullPage ? { get: () => full } : { value: {} },
    document: { value: document },
    navigator: { value: { languages: ["en-US"] } },
  }) as Window; // a window but for what is said here
let full: Window;

beforeEach(() => vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  for (const name of ["style", "lang", "dir", "data-style", "data-labels", "data-still", "data-words"])
    root.removeAttribute(name);
});

describe("the first look", () => {
  it("is what the frame's name asks for", () => {
    const { speech } = firstLook(
      named(
        JSON.stringify({ locale: "ar", appearance: { theme: "dark", labels: "floating", variables: { colorPrimary: "#060" } } }),
      ),
    );
    expect(speech.first).toBe("ar");
    expect([root.lang, root.dir, root.dataset["labels"]]).toEqual(["ar", "rtl", "floating"]);
    expect(root.style.colorScheme).toBe("dark");
    expect(root.style.getPropertyValue("--colorPrimary")).toBe("#060");
  });

  it("takes nothing else from the name: the rest is for a connected host page to choose", () => {
    const { settings } = firstLook(
      named(JSON.stringify({ locale: "de", disabled: true, challenge: "redirect", submitButton: "merchant", fields: {} })),
    );
    expect(settings).toEqual({ locale: "de" });
  });

  it("shows no words in a language that nobody asked for, but for a while only", () => {
    firstLook(named('{"locale":"de"}'));
    expect(root.dataset["words"]).toBe("coming");
    vi.advanceTimersByTime(4_000);
    expect(root.dataset["words"]).toBeUndefined();
  });

  it("waits for no words where English is asked for", () => {
    firstLook(named('{"locale":"en-GB"}'));
    expect(root.dataset["words"]).toBeUndefined();
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
  ])("is ours where the name is %.40j", (name) => {
    const { speech } = firstLook(named(name));
    expect(speech.first).toBe("en");
    expect(root.getAttribute("style") ?? "").toBe("");
    expect(root.dataset["labels"]).toBeUndefined();
  });

  it("does not look at the name of a page of its own, which is somebody else's", () => {
    full = named('{"appearance":{"labels":"hidden"}}', true);
    firstLook(full);
    expect(root.dataset["labels"]).toBeUndefined();
  });
});
