/**
 * The two networks of a co-badged card as radio buttons: two equal marks in the brand's place, neither preselected. The
 * hint line under the number, whose space is always reserved, says the same in words, and the live region announces it
 * once.
 */
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { Page } from "../../page/page.ts";
import { fill } from "../../texts/fill.ts";
import { brandNames, showMark } from "./brand-mark.ts";

/** Spelled as the networks write them. */
const networkNames: Readonly<Record<CardNetwork, string>> = {
  ...brandNames,
  cartes_bancaires: "CB",
  bancontact: "Bancontact",
  dankort: "Dankort",
  eftpos_australia: "eftpos",
};

export interface NetworkRadios {
  /** Replaces the radio buttons with these networks, none of them selected. An empty list removes the choice. */
  offer(networks: readonly CardNetwork[]): void;
}

export function createNetworkRadios(
  { document, number, brand, live, words }: Page,
  choose: (network: CardNetwork) => void,
): NetworkRadios {
  const group = document.createElement("span");
  const hint = document.createElement("p");
  group.className = "networks";
  group.setAttribute("role", "radiogroup");
  group.setAttribute("aria-labelledby", "networks");
  hint.className = "hint";
  hint.id = "networks";
  brand.before(group);
  document.getElementById("number-error")?.after(hint);

  const say = (networks: readonly CardNetwork[]) =>
    words.write("networks", ({ networkChoice, locale }) => {
      const names = networks.map((network) => networkNames[network]);
      const list = new Intl.ListFormat(locale, { type: "disjunction" }).format(names);
      hint.textContent = names.length > 0 ? fill(networkChoice, { networks: list }) : "";
    });
  const radio = (network: CardNetwork) => {
    const input = document.createElement("input");
    input.type = "radio";
    input.name = "network";
    input.disabled = number.readOnly;
    input.setAttribute("aria-label", networkNames[network]);
    input.addEventListener("change", () => {
      choose(network);
      say([network]);
    });
    const mark = document.createElement("span");
    mark.className = "mark";
    showMark(mark, network, networkNames[network]);
    mark.setAttribute("aria-hidden", "true");
    const label = document.createElement("label");
    label.className = "network";
    label.append(input, mark);
    return label;
  };
  return {
    offer(networks) {
      group.replaceChildren(...networks.map(radio));
      group.hidden = networks.length === 0;
      say(networks);
      if (networks.length > 0) live.textContent = hint.textContent;
    },
  };
}
