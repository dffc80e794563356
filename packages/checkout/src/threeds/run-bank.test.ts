// @vitest-environment-options { "settings": { "enableIframePageLoading": true } }
import { beforeEach, describe, expect, it, vi } from "vitest";
import { threeDSMessageType } from "@oriel/protocol/frame";
import { runBank } from "./run-bank.ts";

const origin = "https://pay.example";
const parent = { postMessage: vi.fn() };
const submitted: { action: string; target: string; fields: [string, string][] }[] = [];

/** The runner's window, with the test's document and a parent that records its messages. */
function createRunner(search = "", engine: object = {}) {
  const window = Object.assign(new EventTarget(), { document, location: { origin, search }, parent, ...engine });
  // The fake implements only what the runner uses.
  runBank(window as unknown as Window);
  return (data: unknown, from: { source?: unknown; origin?: string } = {}) =>
    void window.dispatchEvent(Object.assign(new Event("message"), { source: parent, origin, data, ...from }));
}

const strict = ["allow-forms", "allow-scripts", "allow-same-origin", "allow-pointer-lock"];
const sandboxOf = (frame: Element | null) => frame?.getAttribute("sandbox")?.split(" ");

const challenge = {
  type: threeDSMessageType,
  step: "challenge",
  url: "https://bank.example/acs",
  creq: "abc",
  width: 390,
  height: 400,
};
const method = { type: threeDSMessageType, step: "method", url: "https://bank.example/method", data: "xyz" };

beforeEach(() => {
  parent.postMessage.mockClear();
  submitted.length = 0;
  document.body.replaceChildren();
  vi.spyOn(HTMLFormElement.prototype, "submit").mockImplementation(function (this: HTMLFormElement) {
    const fields = [...this.querySelectorAll("input")].map((input): [string, string] => [input.name, input.value]);
    submitted.push({ action: this.action, target: this.target, fields });
  });
});

describe("the runner", () => {
  it("reports that it is ready, only to its own origin", () => {
    createRunner();
    expect(parent.postMessage.mock.calls).toEqual([[{ type: threeDSMessageType, step: "ready" }, origin]]);
  });

  it("posts the challenge into an iframe with the permissions that EMV requires", () => {
    createRunner()(challenge);
    const frame = document.querySelector("iframe");
    expect(submitted).toEqual([{ action: "https://bank.example/acs", target: frame?.name, fields: [["creq", "abc"]] }]);
    expect(frame?.getAttribute("allow")).toContain("publickey-credentials-get *");
    expect(frame?.title).not.toBe("");
    expect([frame?.style.width, frame?.style.height]).toEqual(["390px", "400px"]);
  });

  it.each([
    ["Chromium and WebKit", {}, ["allow-popups-to-escape-sandbox"]],
    ["Firefox", { mozInnerScreenX: 0 }, []],
  ])(
    "lets the challenge open the bank's app but never navigate outside its iframe in %s",
    (_engine, properties, escape) => {
      createRunner("", properties)(challenge);
      expect(sandboxOf(document.querySelector("iframe"))?.toSorted()).toEqual(
        [...strict, "allow-popups", "allow-top-navigation-to-custom-protocols", ...escape].toSorted(),
      );
    },
  );

  it("doesn't let the method's hidden iframe open anything", () => {
    createRunner()(method);
    expect(sandboxOf(document.querySelector("iframe"))).toEqual(strict);
  });

  it("keeps the method's iframe out of sight and out of the tab order", () => {
    createRunner()(method);
    const frame = document.querySelector("iframe");
    expect(submitted[0]?.fields).toEqual([["threeDSMethodData", "xyz"]]);
    expect(frame?.getAttribute("aria-hidden")).toBe("true");
    expect(frame?.tabIndex).toBe(-1);
  });

  it.each([
    ["another window on our origin", { source: {} }],
    ["our parent's window on another origin", { origin: "https://evil.example" }],
    ["no window", { source: null }],
  ])("ignores orders from %s", (_who, from) => {
    createRunner()(challenge, from);
    expect(submitted).toEqual([]);
  });

  it.each(["javascript:alert(1)", "data:text/html,x", "not an address", ""])("posts nothing to %j", (url) => {
    createRunner()({ ...challenge, url });
    expect(submitted).toEqual([]);
  });

  it("passes on the landing page's message, and nothing from the bank's page", () => {
    const receive = createRunner();
    receive(challenge);
    parent.postMessage.mockClear();
    const bank = {};
    Object.defineProperty(document.querySelector("iframe"), "contentWindow", { value: bank });
    const notification = { type: threeDSMessageType, step: "notified", phase: "challenge" };
    receive({ ...notification, transStatus: "Y" }, { source: bank, origin: "https://bank.example" });
    receive({ type: threeDSMessageType, step: "loaded" }, { source: bank });
    expect(parent.postMessage).not.toHaveBeenCalled();
    receive({ ...notification, transStatus: "Y" }, { source: bank });
    expect(parent.postMessage.mock.calls).toEqual([[notification, origin]]);
  });

  it("opens a new iframe for each step", () => {
    const receive = createRunner();
    receive(method);
    const first = document.querySelector("iframe");
    receive(challenge);
    expect(first?.isConnected).toBe(false);
    expect(document.querySelectorAll("iframe").length).toBe(1);
  });

  it.each([
    ["?coep=1", true],
    ["", false],
    ["?coep=0", false],
    ["?x=coep=1", false],
  ])("for a URL with %j, makes the bank's iframes credentialless: %s", (search, expected) => {
    const receive = createRunner(search);
    for (const order of [method, challenge]) {
      receive(order);
      expect(document.querySelector("iframe")?.hasAttribute("credentialless")).toBe(expected);
    }
  });
});
