/**
 * The runner document, nested in the checkout page: it holds the bank's frame, so that the page with the card fields
 * can keep a policy that lets no form leave and no stranger in. It knows no card, no amount, no session and no token.
 *
 * It does what the checkout page tells it (`method`, `challenge`) and passes on that something happened (`loaded`,
 * `notified`). Both directions are bound to our own origin and to the one window they can come from.
 *
 * Under COEP a browser refuses a bank's page, which never sends it, unless its frame is `credentialless`: then it has
 * cookies of its own.
 */
import { threeDSMessageType } from "@oriel/protocol/frame";
import type { ThreeDSMessage } from "@oriel/protocol/frame";
import { bankFeatures } from "@oriel/protocol/windows";
import { isWebAddress } from "../host/return-address.ts";
import { bankCheckFrame, bankFrame } from "../texts/runner-titles.ts";
import { isUnderCoep } from "./runner-frame.ts";
import { readThreeDSMessage } from "./three-ds-message.ts";

/** What EMV 3DS asks for, and all that the hidden page of the 3DS Method gets. */
const sandbox = "allow-forms allow-scripts allow-same-origin allow-pointer-lock";

export function runBank(runner: Window): void {
  const { document } = runner;
  const { origin } = runner.location;
  let bank: HTMLIFrameElement | null = null;
  let frames = 0;

  const tell = (message: ThreeDSMessage) => runner.parent.postMessage(message, origin);

  // A challenge may open the bank's app. In Firefox, a window that has escaped the sandbox could navigate the shop's
  // page with `opener.top.location`, so its windows stay sandboxed there. Chromium and WebKit refuse that;
  // docs/page-security.md has the table.
  const challengeSandbox = `${sandbox} allow-popups allow-top-navigation-to-custom-protocols${"mozInnerScreenX" in runner ? "" : " allow-popups-to-escape-sandbox"}`;

  const open = (url: string, field: string, value: string, title: string, allowed: string): HTMLIFrameElement => {
    // A fresh frame for each step: posting into a used one would leave an entry in the history that Back has to go
    // through.
    document.body.replaceChildren();
    const frame = document.createElement("iframe");
    frame.name = `bank-${++frames}`;
    frame.title = title;
    frame.setAttribute("allow", bankFeatures.map((feature) => `${feature} *`).join("; "));
    frame.setAttribute("sandbox", allowed);
    if (isUnderCoep(runner.location)) frame.setAttribute("credentialless", "");
    document.body.append(frame);
    bank = frame;

    // The form stays: a browser may submit it only after this task, and forgets a form that is gone by then.
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
        if (!isBlank(frame)) tell({ type: threeDSMessageType, step: "loaded" });
      });
    }
    const news = readThreeDSMessage(event, bank?.contentWindow ?? null, origin);
    if (news?.step === "notified") tell(news);
  });

  tell({ type: threeDSMessageType, step: "ready" });
}

/** The first document of a frame is blank and ours; the bank's is a stranger's and cannot be looked into. */
function isBlank(frame: HTMLIFrameElement): boolean {
  try {
    return frame.contentWindow?.location.href === "about:blank";
  } catch {
    return false;
  }
}
