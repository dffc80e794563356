/**
 * Runs the 3DS Method: a hidden page from the bank that collects data about the browser. The time that the service
 * allows starts when the form is posted. If the page doesn't finish in time, the payment continues: the service knows
 * whether its landing page was reached and tells the bank so.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { bankCheckFrame } from "../texts/runner-titles.ts";
import { methodOrder } from "./runner-frame.ts";
import type { OpenRunner } from "./runner-frame.ts";

const readyTimeoutMs = 8_000;
/** An upper limit on the time that the service allows, so that nobody watches a spinner for longer. */
const methodTimeoutLimitMs = 15_000;

export async function runMethod(
  { runner: path, method }: Extract<FramePayment, { status: "three_ds" }>,
  into: HTMLElement,
  openRunner: OpenRunner,
): Promise<void> {
  const runner = openRunner(path, into, bankCheckFrame);
  runner.frame.tabIndex = -1;
  runner.frame.setAttribute("aria-hidden", "true");
  const isReady = await runner.waitFor("ready", readyTimeoutMs);
  if (isReady && method) {
    runner.order(methodOrder(method.url, method.data));
    await runner.waitFor("notified", Math.min(method.timeout_ms, methodTimeoutLimitMs));
  }
  runner.close();
}
