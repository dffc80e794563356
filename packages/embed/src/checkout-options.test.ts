import { afterEach, expect, test } from "vitest";
import { readOptions } from "./checkout-options.ts";
import { readEmbedUrl } from "./embed-url.ts";

const embedUrl = "https://pay.example.com/c/cs_01jd#s3cret-fragment_x";

test("an embed URL gives its origin and itself", () => {
  expect(readEmbedUrl(embedUrl)).toEqual({ href: embedUrl, origin: "https://pay.example.com" });
  expect(readEmbedUrl("http://pay.localhost:4000/c/cs_1#x").origin).toBe("http://pay.localhost:4000");
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
  ["too long", `https://pay.example.com/c/cs_01jd#${"x".repeat(2048)}`],
])("refuses an embed URL that is %s, and never repeats it", (_what, value) => {
  const attempt = () => readEmbedUrl(value);
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(/^Oriel: embedUrl /);
  expect(attempt).not.toThrow(/s3cret|evil/);
});

test("defaults", () => {
  expect(readOptions({ embedUrl })).toMatchObject({
    title: "Secure card payment",
    timeoutMs: 15_000,
    fallback: "link",
    signal: null,
  });
  expect(readOptions({ embedUrl, title: undefined, onReady: undefined }).callbacks).toEqual([]);
});

test.each([
  ["no options", undefined, /pass an object/],
  ["a text", embedUrl, /pass an object/],
  ["an unknown option", { embedUrl, onPaid() {} }, /no option "onPaid"/],
  ["a misspelt option", { embedUrl, onReddy() {} }, /no option "onReddy"/],
  ["an amount", { embedUrl, amount: 1 }, /no option "amount"/],
  ["__proto__ as an own name", JSON.parse(`{"embedUrl":"${embedUrl}","__proto__":{}}`), /no option "__proto__"/],
  ["fallback redirect", { embedUrl, fallback: "redirect" }, /not supported yet/],
  ["another fallback", { embedUrl, fallback: "none" }, /fallback must be/],
  ["a timeout of none", { embedUrl, timeout: 0 }, /timeout must be/],
  ["an endless timeout", { embedUrl, timeout: Infinity }, /timeout must be/],
  ["a timeout as text", { embedUrl, timeout: "15000" }, /timeout must be/],
  ["an empty title", { embedUrl, title: "" }, /title must be/],
  ["a callback that is a name", { embedUrl, onComplete: "onPaid" }, /onComplete must be a function/],
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
  expect(() => readOptions({})).toThrow("embedUrl is missing");
  expect(readOptions({ embedUrl })).toEqual({
    url: { href: embedUrl, origin: "https://pay.example.com" },
    title: "Secure card payment",
    timeoutMs: 15_000,
    fallback: "link",
    signal: null,
    callbacks: [],
  });
});

test("options inherited from a class or a prototype are not options", () => {
  expect(() => readOptions(Object.create({ embedUrl }))).toThrow("embedUrl is missing");
});
