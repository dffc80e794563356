/**
 * Runs decoupled authentication: the customer confirms elsewhere, for example in the bank's app. There is no bank page
 * to show. Ours tells the customer where to look, in our words and the issuer's, offers Cancel, and polls the service
 * for the outcome.
 */
import type { FramePayment } from "@oriel/protocol/frame";
import { awaitBank } from "./await-bank.ts";
import type { RunningBankStep } from "./await-bank.ts";
import { make, openBankPanel } from "./bank-panel.ts";
import type { ChallengeWorld } from "./run-challenge.ts";

export type DecoupledPayment = Extract<FramePayment, { status: "decoupled" }>;

export function runDecoupled(
  payment: DecoupledPayment,
  world: Pick<ChallengeWorld, "page" | "text" | "api" | "wait" | "now" | "emit">,
): RunningBankStep {
  const { page, text } = world;
  const said = make(page.document, "div", "elsewhere");
  said.append(make(page.document, "p", "", text.decoupledText));
  if (payment.cardholder_info) {
    const info = make(page.document, "p", "issuer", payment.cardholder_info);
    info.dir = "auto"; // the bank's language may differ from the page's
    said.append(info);
  }
  const opened = [...said.children].map(({ textContent }) => textContent).join(" ");
  const panel = openBankPanel(page, text, text.decoupledTitle, opened, [said], () => void bank.cancel("customer"));

  const bank = awaitBank(
    {
      id: payment.id,
      deadline: payment.deadline,
      isShown: ({ status }) => status === "decoupled",
      cancelFailed: panel.cancelFailed,
    },
    world,
  );
  const result = bank.result.then((ended) => {
    panel.close();
    if (isCanceled(ended)) world.emit("cancel", { by: bank.canceler() ?? "customer" });
    return ended;
  });
  return { result, cancel: bank.cancel };
}

function isCanceled(payment: FramePayment | null): boolean {
  return payment?.status === "declined" && payment.reason === "authentication_canceled";
}
