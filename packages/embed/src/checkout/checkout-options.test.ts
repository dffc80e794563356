import { afterEach, expect, expectTypeOf, test } from "vitest";
import type { callbackNames, CheckoutEventName } from "./checkout-events.ts";
import { frameSettings, readOptions } from "./checkout-options.ts";
import { readEmbedUrl } from "./embed-url.ts";

const embedUrl = "https://pay.example.com/c/cs_01jd#s3cret-fragment_x";

test("an embed URL gives its origin and itself", () => {
  expect(readEmbedUrl(embedUrl)).toEqual({ href: embedUrl, origin: "https://pay.example.com", sessionId: "cs_01jd" });
  expect(readEmbedUrl("http://pay.localhost:4000/c/cs_1#x").origin).toBe("http://pay.localhost:4000");
  expect(readEmbedUrl(embedUrl.padEnd(2048, "x")).sessionId).toBe("cs_01jd");
});

test.each([
  ["nothing", undefined],
  ["null", null],
  ["an empty text", ""],
  ["a number", 5],
  ["a URL object", new URL(embedUrl)],
  ["a text that only an object gives", { toString: () => embedUrl }],
  ["a relative address", "/c/cs_01jd#s3cret-fragment_x"],
  ["a protocol-relative address", "//pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["javascript:", "javascript:alert(1)//c/cs_01jd#s3cret-fragment_x"],
  ["data:", "data:text/html,<script>alert(1)</script>#s3cret-fragment_x"],
  ["blob:", "blob:https://pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["file:", "file:///c/cs_01jd#s3cret-fragment_x"],
  ["a user name", "https://pay.example.com@evil.example/c/cs_01jd#s3cret-fragment_x"],
  ["a password", "https://:p@pay.example.com/c/cs_01jd#s3cret-fragment_x"],
  ["another path", "https://pay.example.com/pay/cs_01jd#s3cret-fragment_x"],
  ["a deeper path", "https://pay.example.com/c/cs_01jd/x#s3cret-fragment_x"],
  ["a path that climbs", "https://pay.example.com/c/../evil#s3cret-fragment_x"],
  ["an encoded path", "https://pay.example.com/c/cs%2f01jd#s3cret-fragment_x"],
  ["no id", "https://pay.example.com/c/#s3cret-fragment_x"],
  ["a query", "https://pay.example.com/c/cs_01jd?next=evil#s3cret-fragment_x"],
  ["no fragment", "https://pay.example.com/c/cs_01jd"],
  ["an empty fragment", "https://pay.example.com/c/cs_01jd#"],
  ["too long", embedUrl.padEnd(2049, "x")],
])("refuses an embed URL that is %s, and never repeats it", (_what, value) => {
  const attempt = () => readEmbedUrl(value);
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(/^Oriel: embedUrl /);
  expect(attempt).not.toThrow(/s3cret|evil/);
});

test("defaults", () => {
  expect(readOptions({ embedUrl })).toMatchObject({ title: "Secure card payment", timeoutMs: 15_000, callbacks: [] });
  expect(readOptions({ embedUrl, title: undefined, onReady: undefined }).callbacks).toEqual([]);
  expect(readOptions({ fetchEmbedUrl: async () => embedUrl }).url).toBe(null);
  expect(readOptions({ embedUrl })).not.toHaveProperty("appearance");
  expect(readOptions({ embedUrl })).not.toHaveProperty("threeDS");
});

test("objects are copied, so that changing them later changes nothing", () => {
  const appearance = { theme: "dark" };
  const threeDS = { presentation: "inline" };
  const settings = readOptions({ embedUrl, appearance, threeDS });
  appearance.theme = "light";
  threeDS.presentation = "overlay";
  expect(settings).toMatchObject({ appearance: { theme: "dark" }, threeDS: { presentation: "inline" } });
});

test("callbacks go by their event's name", () => {
  const onChallengeStart = () => {};
  expect(readOptions({ embedUrl, onChallengeStart }).callbacks).toEqual([["challengestart", onChallengeStart]]);
});

test("every event has a callback", () => {
  expectTypeOf<Lowercase<(typeof callbackNames)[number]>>().toEqualTypeOf<CheckoutEventName>();
  const names =
    "LoadStart Ready Resize Change Focus Blur Escape Submit ChallengeStart ChallengeEnd Decline Cancel Complete Expiring Expire Redirect Error";
  const callback = () => {};
  const given = Object.fromEntries(names.split(" ").map((name) => [`on${name}`, callback]));
  expect(readOptions({ embedUrl, ...given }).callbacks.map(([event]) => event)).toEqual(names.toLowerCase().split(" "));
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

test("what the frame is told holds none of the host page's own business", () => {
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
  ["a text", embedUrl, /no option "0"/],
  ["an unknown option", { embedUrl, onPaid() {} }, /no option "onPaid"/],
  ["a misspelt option", { embedUrl, onReddy() {} }, /no option "onReddy"/],
  ["an amount", { embedUrl, amount: 1 }, /no option "amount"/],
  ["__proto__ as an own name", JSON.parse(`{"embedUrl":"${embedUrl}","__proto__":{}}`), /no option "__proto__"/],
  ["another fallback", { embedUrl, fallback: "none" }, /fallback must be link, redirect, error/],
  ["another presentation", { embedUrl, presentation: "popup" }, /presentation must be inline, modal, redirect, auto/],
  ["rules", { embedUrl, appearance: { rules: {} } }, /no token in appearance "rules"/],
  ["fonts", { embedUrl, appearance: { fonts: [] } }, /no token in appearance "fonts"/],
  ["a z-index", { embedUrl, threeDS: { zIndex: 9 } }, /no option threeDS. "zIndex"/],
  ["a locale that is no text", { embedUrl, locale: 5 }, /locale must be string/],
  ["a null", { embedUrl, appearance: null }, /appearance must be object/],
  ["a timeout of none", { embedUrl, timeout: 0 }, /timeout must be/],
  ["a timeout of over ten minutes", { embedUrl, timeout: 600_001 }, /timeout must be/],
  ["a timeout of half a millisecond", { embedUrl, timeout: 0.5 }, /timeout must be/],
  ["an endless timeout", { embedUrl, timeout: Infinity }, /timeout must be/],
  ["a timeout as text", { embedUrl, timeout: "15000" }, /timeout must be/],
  ["an empty title", { embedUrl, title: "" }, /title must be/],
  ["a callback that is a name", { embedUrl, onComplete: "onPaid" }, /onComplete must be function/],
  ["a signal that is none", { embedUrl, signal: { aborted: false } }, /signal must be/],
])("refuses %s with a sentence that names it", (_what, options, sentence) => {
  expect(() => readOptions(options)).toThrow(TypeError);
  expect(() => readOptions(options)).toThrow(sentence);
});

const polluted = ["embedUrl", "fallback", "timeout", "title", "onComplete", "log", "channel", "signal"];
afterEach(() => {
  for (const name of polluted) Reflect.deleteProperty(Object.prototype, name);
});

test("what stands on Object.prototype supplies no option and breaks none", () => {
  for (const name of polluted)
    Reflect.set(Object.prototype, name, name === "embedUrl" ? "https://evil.example/c/cs_1#x" : "evil");
  expect(() => readOptions({})).toThrow("embedUrl must be");
  const { url, title, timeoutMs, fallback, signal, callbacks } = readOptions({ embedUrl, onComplete() {} });
  expect(url?.href).toBe(embedUrl);
  expect({ title, timeoutMs, fallback, signal }).toEqual({
    title: "Secure card payment",
    timeoutMs: 15_000,
    fallback: undefined,
    signal: undefined,
  });
  expect(callbacks).toHaveLength(1);
});

test("options inherited from a class or a prototype are not options", () => {
  expect(() => readOptions(Object.create({ embedUrl }))).toThrow("embedUrl must be");
});
