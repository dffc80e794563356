/**
 * The choice among the shop's shipping options, which the service makes at once. If the customer chooses again meanwhile,
 * only the last choice is requested next.
 */
import { formatAmount } from "@oriel/protocol/currency";
import type { FrameSession } from "@oriel/protocol/frame";
import type { ChoiceTexts } from "../../texts/texts.ts";
import { createChoiceElement } from "./choice.ts";
import type { Choice, ChoicesWorld } from "./choice.ts";

const timeoutMs = 10_000;

export function createShippingChoice({ page, request, flow, hold, isDisabled }: ChoicesWorld): Choice {
  const { document } = page;
  const select = document.createElement("select");
  select.id = "shipping";
  select.dataset["testid"] = "oriel-shipping";
  const { element, label, say } = createChoiceElement(document, "div", select);
  let session: FrameSession["session"] | null = null;
  let texts: ChoiceTexts | null = null;
  /** The option that the customer has chosen and that wasn't requested yet. */
  let wanted: string | null = null;
  let isChoosing = false;
  /** The option that couldn't be chosen. */
  let failed: string | null = null;
  /** The options as they're written. */
  let written = "";

  const write = () => {
    if (!isChoosing) select.value = session?.shipping_option ?? "";
    const isFailed = failed !== null && session?.shipping_option !== failed;
    say(isFailed ? (texts?.notChosen ?? "") : "", isFailed);
  };
  const choose = async () => {
    isChoosing = true;
    failed = null;
    hold(true);
    write();
    let chosen = wanted;
    while (wanted !== null && !flow.isBusy()) {
      chosen = wanted;
      wanted = null;
      await request("shipping_option", { shipping_option: chosen, version: flow.shownVersion() }, timeoutMs);
      await flow.refresh(); // says what came of it, even if the response was lost
    }
    isChoosing = false;
    failed = chosen;
    wanted = null;
    hold(false);
    write();
    if (session?.shipping_option === chosen) page.live.textContent = page.amount.textContent;
  };

  select.addEventListener("change", () => {
    if (flow.isBusy() || isDisabled()) return write();
    wanted = select.value;
    if (!isChoosing) void choose();
  });

  return {
    element,
    isOffered: ({ shipping_options }) => shipping_options.length > 1,
    show(latest, current, locale) {
      session = latest;
      texts = current;
      label.textContent = texts.shipping;
      const offered = session.shipping_options.map(({ id, name, amount }) => ({
        value: id,
        textContent: `${name} · ${formatAmount(amount, latest.currency ?? "", locale)}`,
      }));
      const now = JSON.stringify(offered);
      // Replacing them would close the list that the customer may have open.
      if (now !== written)
        select.replaceChildren(...offered.map((option) => Object.assign(document.createElement("option"), option)));
      written = now;
      write();
    },
  };
}
