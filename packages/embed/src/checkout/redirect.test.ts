import { afterEach, expect, test, vi } from "vitest";
import { parseReturn, redirectToCheckout } from "./redirect.ts";

const embedUrl = "https://pay.example.com/c/cs_1#x";

afterEach(() => {
  vi.restoreAllMocks();
});

test("sends the window to the payment page, leaving or replacing the entry in its history", () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  const replace = vi.spyOn(window.location, "replace").mockImplementation(() => {});
  redirectToCheckout({ embedUrl });
  expect(assign).toHaveBeenCalledExactlyOnceWith(embedUrl);
  expect(replace).not.toHaveBeenCalled();
  redirectToCheckout({ embedUrl, mode: "replace" });
  expect(replace).toHaveBeenCalledExactlyOnceWith(embedUrl);
});

test("goes nowhere else", () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  expect(() => redirectToCheckout({ embedUrl: "javascript:alert(1)" })).toThrow(TypeError);
  // @ts-expect-error no such mode
  expect(() => redirectToCheckout({ embedUrl, mode: "popup" })).toThrow("mode must be");
  // @ts-expect-error no such option
  expect(() => redirectToCheckout({ embedUrl, onComplete() {} })).toThrow('no option "onComplete"');
  expect(assign).not.toHaveBeenCalled();
});

test.each([
  ["https://shop.example/thanks?order=5&session_id=cs_01jd", { sessionId: "cs_01jd" }],
  [new URL("https://shop.example/?session_id=cs_1"), { sessionId: "cs_1" }],
  ["https://shop.example/thanks", null],
  ["https://shop.example/?session_id=", null],
  ["https://shop.example/?session_id=ch_1", null],
  ["https://shop.example/?session_id=x_cs_1", null],
  ["https://shop.example/?session_id=cs_1&session_id=cs_2", null],
  ["https://shop.example/?session_id=cs_%3Cscript%3E", null],
  [`https://shop.example/?session_id=cs_${"1".repeat(81)}`, null],
  ["https://shop.example/#session_id=cs_1", null],
  ["no address", null],
])("reads %s", (url, expected) => {
  expect(parseReturn(url)).toEqual(expected);
});

test("without an address it reads this page's", () => {
  window.history.replaceState(null, "", "?session_id=cs_1");
  expect(parseReturn()).toEqual({ sessionId: "cs_1" });
  window.history.replaceState(null, "", "?");
  expect(parseReturn()).toBe(null);
});

test("on a server, where there is no URL, there is no return to read", () => {
  vi.stubGlobal("location", undefined);
  expect(parseReturn()).toBe(null);
  vi.unstubAllGlobals();
});
