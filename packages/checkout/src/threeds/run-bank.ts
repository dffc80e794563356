/**
 * The runner document, nested in the checkout page. It contains the bank's iframe, so that the page with the card
 * fields can keep a policy that blocks form submissions and third-party iframes. It never sees card data, the amount,
 * the session or a token.
 *
 * It carries out the checkout page's orders (`method`, `challenge`) and reports events (`loaded`, `notified`). Both
 * directions are restricted to our own origin and to the one window the messages can come from.
 *
 * Under COEP, browsers block the bank's page, which never sends that header, unless its iframe is `credentialless`. It
 * then has separate cookies.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";
import { bankFeatures } from "@oriel/protocol/windows";
import { isWebAddress } from "../host/return-url.ts";
import { bankCheckFrame, bankFrame } from "../texts/runner-titles.ts";
import { isUnderCoep } from "./runner-frame.ts";
import { readThreeDSMessage } from "./three-ds-message.ts";

/** The permissions that EMV 3DS requires. The hidden page of the 3DS Method gets only these. */
const sandbox = "allow-forms allow-scripts allow-same-origin allow-pointer-lock";

export function runBank(runner: Window): void {
  const { document } = runner;
  const { origin } = runner.location;
  let bank: HTMLIFrameElement | null = null;
  let frames = 0;

  const post = (message: ThreeDSMessage) => runner.parent.postMessage(message, origin);

  // A challenge may open the bank's app. In Firefox, a window that has escaped the sandbox could navigate the shop's
  // page with `opener.top.location`, so its windows stay sandboxed there. Chromium and WebKit refuse that;
  // docs/page-security.md has the table.
  const challengeSandbox = `${sandbox} allow-popups allow-top-navigation-to-custom-protocols${"mozInnerScreenX" in runner ? "" : " allow-popups-to-escape-sandbox"}`;

  const open = (url: string, field: string, value: string, title: string, allowed: string): HTMLIFrameElement => {
    // Use a new iframe for each step: posting into a used one would add a history entry that Back has to go through.
    document.body.replaceChildren();
    const frame = document.createElement("iframe");
    frame.name = `bank-${++frames}`;
    frame.title = title;
    frame.setAttribute("allow", bankFeatures.map((feature) => `${feature} *`).join("; "));
    frame.setAttribute("sandbox", allowed);
    if (isUnderCoep(runner.location)) frame.setAttribute("credentialless", "");
    document.body.append(frame);
    bank = frame;

    // Keep the form in the document: browsers may submit it only after this task, and ignore a form that has been
    // removed by then.
    const form = document.createElement("form");
    form.method = "post";
    form.action = url;
    form.target = frame.name;
    const input = document.createElement("input");
    input.type = "hidden";
    input.name = field;
    input.value = value;
    form.append(input);
    document.body.append(form);
    form.submit();
    return frame;
  };

  runner.addEventListener("message", (event: MessageEvent<unknown>) => {
    const order = readThreeDSMessage(event, runner.parent, origin);
    if (order?.step === "method" && isWebAddress(order.url)) {
      const frame = open(order.url, "threeDSMethodData", order.data, bankCheckFrame, sandbox);
      frame.dataset["hidden"] = "";
      frame.tabIndex = -1;
      frame.setAttribute("aria-hidden", "true");
    }
    if (order?.step === "challenge" && isWebAddress(order.url)) {
      const frame = open(order.url, "creq", order.creq, bankFrame, challengeSandbox);
      if (order.width !== null) frame.style.width = `${order.width}px`;
      if (order.height !== null) frame.style.height = `${order.height}px`;
      frame.addEventListener("load", () => {
        if (!isBlank(frame)) post({ type: threeDSMessageType, step: "loaded" });
      });
    }
    const message = readThreeDSMessage(event, bank?.contentWindow ?? null, origin);
    if (message?.step === "notified") post(message);
  });

  post({ type: threeDSMessageType, step: "ready" });
}

/** An iframe's first document is blank and ours; the bank's document is cross-origin and can't be read. */
function isBlank(frame: HTMLIFrameElement): boolean {
  try {
    return frame.contentWindow?.location.href === "about:blank";
  } catch {
    return false;
  }
}
