import { afterEach, expect, expectTypeOf, test } from "vitest";
import type { callbackNames, CheckoutEventName } from "./checkout-events.ts";
import { frameSettings, readOptions } from "./checkout-options.ts";
import { readEmbedUrl } from "./embed-url.ts";
import { addCallbacks, createListeners } from "./listeners.ts";

/** The events with a callback. */
const calledFor = (callbacks: Parameters<typeof addCallbacks>[1]): string[] => {
  const names: string[] = [];
  addCallbacks({ ...createListeners(), addEntry: (name) => (names.push(name), () => {}) }, callbacks);
  return names;
};

const embedUrl = "https://pay.example.com/c/cs_01jd#s3cret-fragment_x";

test("reads an embed URL with its origin", () => {
  expect(readEmbedUrl(embedUrl)).toEqual({ href: embedUrl, origin: "https://pay.example.com", sessionId: "cs_01jd" });
  expect(readEmbedUrl("http://pay.localhost:4000/c/cs_1#x").origin).toBe("http://pay.localhost:4000");
  expect(readEmbedUrl(embedUrl.padEnd(2048, "x")).sessionId).toBe("cs_01jd");
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["an empty string", ""],
  ["a number", 5],
  ["a URL object", new URL(embedUrl)],
  ["an object that converts to a valid URL", { toString: () => embedUrl }],
  ["a relative URL", "/c/cs_01jd#s3cret-fragment_x"],
  ["a protocol-relative URL", "//pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["javascript:", "javascript:alert(1)//c/cs_01jd#s3cret-fragment_x"],
  ["data:", "data:text/html,<script>alert(1)</script>#s3cret-fragment_x"],
  ["blob:", "blob:https://pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["file:", "file:///c/cs_01jd#s3cret-fragment_x"],
  ["a URL with a user name", "https://pay.example.com@evil.example/c/cs_01jd#s3cret-fragment_x"],
  ["a URL with a password", "https://:p@pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["another path", "https://pay.example.com/pay/cs_01jd#s3cret-fragment_x"],
  ["a deeper path", "https://pay.example.com/c/cs_01jd/x#s3cret-fragment_x"],
  ["a path that goes up", "https://pay.example.com/c/../evil#s3cret-fragment_x"],
  ["an encoded path", "https://pay.example.com/c/cs%2f01jd#s3cret-fragment_x"],
  ["no id", "https://pay.example.com/c/#s3cret-fragment_x"],
  ["a query", "https://pay.example.com/c/cs_01jd?next=evil#s3cret-fragment_x"],
  ["no fragment", "https://pay.example.com/c/cs_01jd"],
  ["an empty fragment", "https://pay.example.com/c/cs_01jd#"],
  ["too long", embedUrl.padEnd(2049, "x")],
])("refuses %s as an embed URL and never repeats it in the error", (_what, value) => {
  const attempt = () => readEmbedUrl(value);
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(/^Oriel: embedUrl /);
  expect(attempt).not.toThrow(/s3cret|evil/);
});

test("applies defaults", () => {
  expect(readOptions({ embedUrl })).toMatchObject({ title: "Secure card payment", timeoutMs: 15_000 });
  expect(readOptions({ fetchEmbedUrl: async () => embedUrl }).sessionUrl).toBe(null);
  expect(readOptions({ embedUrl })).not.toHaveProperty("appearance");
  expect(readOptions({ embedUrl })).not.toHaveProperty("threeDS");
});

test("copies objects, so that later changes have no effect", () => {
  const appearance = { theme: "dark" };
  const threeDS = { presentation: "inline" };
  const settings = readOptions({ embedUrl, appearance, threeDS });
  appearance.theme = "light";
  threeDS.presentation = "overlay";
  expect(settings).toMatchObject({ appearance: { theme: "dark" }, threeDS: { presentation: "inline" } });
});

test("maps callbacks to event names", () => {
  const onChallengeStart = () => {};
  expect(calledFor(readOptions({ embedUrl, onChallengeStart, onReady: undefined }))).toEqual(["challengestart"]);
});

test("every event has a callback", () => {
  expectTypeOf<Lowercase<(typeof callbackNames)[number]>>().toEqualTypeOf<CheckoutEventName>();
  const names =
    "LoadStart Ready Resize Change Focus Blur Escape Submit ChallengeStart ChallengeEnd Decline Cancel Complete Expiring Expire Redirect Error";
  const callback = () => {};
  const given = Object.fromEntries(names.split(" ").map((name) => [`on${name}`, callback]));
  expect(calledFor(readOptions({ embedUrl, ...given }))).toEqual(names.toLowerCase().split(" "));
});

test.each([
  { presentation: "inline" },
  { presentation: "modal" },
  { presentation: "redirect" },
  { presentation: "auto" },
  { fallback: "link" },
  { fallback: "redirect" },
  { fallback: "error" },
  { redirect: "if_required" },
  { redirect: "always" },
  { redirect: "never" },
  { locale: "fr-CA" },
  { appearance: { theme: "dark", inherit: true, labels: "floating", disableAnimations: true, variables: {} } },
  { submitButton: "built-in" },
  { submitButton: "merchant" },
  { fields: { name: "required" } },
  { defaultValues: { name: "Ada" } },
  { disabled: true },
  { threeDS: { presentation: "overlay" } },
  { loader: "auto" },
  { loader: "always" },
  { loader: "never" },
  { title: "Pay" },
  { signal: new AbortController().signal },
  { debug: true },
  { testScenario: "challenge" },
])("accepts %j", (option) => {
  expect(readOptions({ embedUrl, ...option })).toMatchObject(option);
});

test.each([1, 600_000])("accepts a timeout of %d milliseconds", (timeout) => {
  expect(readOptions({ embedUrl, timeout }).timeoutMs).toBe(timeout);
});

test("the iframe's settings don't include the options for the host page", () => {
  const settings = readOptions({
    embedUrl,
    locale: "fr",
    threeDS: { presentation: "inline" },
    onReady() {},
    debug: true,
    defaultValues: { name: "Ada" },
  });
  expect(frameSettings(settings, { theme: "dark" })).toEqual({
    locale: "fr",
    appearance: { theme: "dark" },
    challenge: "inline",
    defaultValues: { name: "Ada" },
  });
});

test.each([
  ["no options", undefined, /embedUrl must be/],
  ["a string", embedUrl, /unknown option "0"/],
  ["an unknown option", { embedUrl, onPaid() {} }, /unknown option "onPaid"/],
  ["a misspelled option", { embedUrl, onReddy() {} }, /unknown option "onReddy"/],
  ["an amount", { embedUrl, amount: 1 }, /unknown option "amount"/],
  ["__proto__ as an own name", JSON.parse(`{"embedUrl":"${embedUrl}","__proto__":{}}`), /unknown option "__proto__"/],
  ["an invalid fallback", { embedUrl, fallback: "none" }, /fallback must be link, redirect, error/],
  [
    "an invalid presentation",
    { embedUrl, presentation: "popup" },
    /presentation must be inline, modal, redirect, auto/,
  ],
  ["rules", { embedUrl, appearance: { rules: {} } }, /unknown appearance option "rules"/],
  ["fonts", { embedUrl, appearance: { fonts: [] } }, /unknown appearance option "fonts"/],
  ["a z-index", { embedUrl, threeDS: { zIndex: 9 } }, /unknown threeDS option "zIndex"/],
  ["a locale that isn't a string", { embedUrl, locale: 5 }, /locale must be string/],
  ["null", { embedUrl, appearance: null }, /appearance must be object/],
  ["a timeout of 0", { embedUrl, timeout: 0 }, /timeout must be/],
  ["a timeout of more than ten minutes", { embedUrl, timeout: 600_001 }, /timeout must be/],
  ["a timeout of half a millisecond", { embedUrl, timeout: 0.5 }, /timeout must be/],
  ["an infinite timeout", { embedUrl, timeout: Infinity }, /timeout must be/],
  ["a timeout as a string", { embedUrl, timeout: "15000" }, /timeout must be/],
  ["an empty title", { embedUrl, title: "" }, /title must be/],
  ["a callback that is a name", { embedUrl, onComplete: "onPaid" }, /onComplete must be function/],
  ["a signal that isn't an AbortSignal", { embedUrl, signal: { aborted: false } }, /signal must be/],
])("refuses %s with an error that names it", (_what, options, sentence) => {
  expect(() => readOptions(options)).toThrow(TypeError);
  expect(() => readOptions(options)).toThrow(sentence);
});

const polluted = ["embedUrl", "fallback", "timeout", "title", "onComplete", "log", "channel", "signal"];
afterEach(() => {
  for (const name of polluted) Reflect.deleteProperty(Object.prototype, name);
});

test("a polluted Object.prototype doesn't affect options", () => {
  for (const name of polluted)
    Reflect.set(Object.prototype, name, name === "embedUrl" ? "https://evil.example/c/cs_1#x" : "evil");
  expect(() => readOptions({})).toThrow("embedUrl must be");
  const { sessionUrl, title, timeoutMs, fallback, signal, ...others } = readOptions({ embedUrl, onComplete() {} });
  expect(sessionUrl?.href).toBe(embedUrl);
  expect({ title, timeoutMs, fallback, signal }).toEqual({
    title: "Secure card payment",
    timeoutMs: 15_000,
    fallback: undefined,
    signal: undefined,
  });
  expect(calledFor(others)).toEqual(["complete"]);
});

test("ignores inherited options", () => {
  expect(() => readOptions(Object.create({ embedUrl }))).toThrow("embedUrl must be");
});
