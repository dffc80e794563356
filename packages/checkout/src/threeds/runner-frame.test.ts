import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { threeDSMessageType } from "@oriel/protocol/frame";
import { isUnderCoep, methodOrder, openRunner } from "./runner-frame.ts";

/** Sets the URL of the page that contains the runner. */
function goTo(address: string): void {
  // Happy DOM lets tests set the URL.
  (window as unknown as { happyDOM: { setURL(url: string): void } }).happyDOM.setURL(address);
}
/** Outside the document, so that nothing is fetched. */
let into: HTMLElement;
beforeEach(() => {
  into = document.createElement("div");
});
afterEach(() => goTo("about:blank"));

describe("the runner's iframe", () => {
  it.each([
    ["https://pay.example/c/cs_1", "/3ds/run/dec_1"],
    ["https://pay.example/c/cs_1?coep=1", "/3ds/run/dec_1?coep=1"],
  ])("on page %s, loads %s", (page, runner) => {
    goTo(page);
    const { frame } = openRunner("/3ds/run/dec_1", into, "Your bank");
    expect(frame.getAttribute("src")).toBe(runner);
  });

  it.each([
    "https://evil.example/3ds/run/dec_1",
    "//evil.example/3ds/run/x",
    "/3ds/run/dec_1?coep=1",
    "/3ds/run/../c/x",
    "javascript:1",
  ])("throws for %s and loads nothing", (path) => {
    expect(() => openRunner(path, into, "Your bank")).toThrow("Bug");
    expect(into.childElementCount).toBe(0);
  });

  it("sends its order once, when the runner is ready, and ignores other windows", async () => {
    goTo("https://pay.example/c/cs_1");
    const runner = openRunner("/3ds/run/dec_1", into, "Your bank");
    const inside = { postMessage: vi.fn() };
    Object.defineProperty(runner.frame, "contentWindow", { value: inside });
    runner.order(methodOrder("https://bank.example/method", "xyz"));
    const ready = { data: { type: threeDSMessageType, step: "ready" }, origin: "https://pay.example" };
    const say = (from: object) => window.dispatchEvent(Object.assign(new Event("message"), ready, from));
    say({ source: {} });
    say({ source: inside, origin: "https://evil.example" });
    await Promise.resolve();
    expect(inside.postMessage).not.toHaveBeenCalled();
    say({ source: inside });
    say({ source: inside });
    await vi.waitFor(() => expect(inside.postMessage).toHaveBeenCalled());
    expect(inside.postMessage.mock.calls).toEqual([
      [
        { type: threeDSMessageType, step: "method", url: "https://bank.example/method", data: "xyz" },
        "https://pay.example",
      ],
    ]);
    runner.close();
  });
});

it.each([
  ["?coep=1", true],
  ["?coep=1&fbclid=abc", true],
  ["?fbclid=coep=1", false],
  ["", false],
  ["?coep", false],
  ["?coep=10", false],
])("for a page URL with %j, requests COEP: %s", (search, expected) => {
  expect(isUnderCoep({ search })).toBe(expected);
});
