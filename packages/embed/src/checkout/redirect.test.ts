import { afterEach, expect, test, vi } from "vitest";
import { parseReturn, redirectToCheckout } from "./redirect.ts";

const embedUrl = "https://pay.example.com/c/cs_1#x";

afterEach(() => {
  vi.restoreAllMocks();
});

test("navigates to the full page, adding or replacing the history entry", () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  const replace = vi.spyOn(window.location, "replace").mockImplementation(() => {});
  redirectToCheckout({ embedUrl });
  expect(assign).toHaveBeenCalledExactlyOnceWith(embedUrl);
  expect(replace).not.toHaveBeenCalled();
  redirectToCheckout({ embedUrl, mode: "replace" });
  expect(replace).toHaveBeenCalledExactlyOnceWith(embedUrl);
});

test("refuses invalid URLs, modes and options", () => {
  const assign = vi.spyOn(window.location, "assign").mockImplementation(() => {});
  expect(() => redirectToCheckout({ embedUrl: "javascript:alert(1)" })).toThrow(TypeError);
  // @ts-expect-error unknown mode
  expect(() => redirectToCheckout({ embedUrl, mode: "popup" })).toThrow("mode must be");
  // @ts-expect-error unknown option
  expect(() => redirectToCheckout({ embedUrl, onComplete() {} })).toThrow('unknown option "onComplete"');
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
  ["not a URL", null],
])("parseReturn reads or refuses %s", (url, expected) => {
  expect(parseReturn(url)).toEqual(expected);
});

test("parseReturn reads this page's URL by default", () => {
  window.history.replaceState(null, "", "?session_id=cs_1");
  expect(parseReturn()).toEqual({ sessionId: "cs_1" });
  window.history.replaceState(null, "", "?");
  expect(parseReturn()).toBe(null);
});

test("parseReturn returns null on a server", () => {
  vi.stubGlobal("location", undefined);
  expect(parseReturn()).toBe(null);
  vi.unstubAllGlobals();
});
