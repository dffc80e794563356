/**
 * Which networks a card offers, and which of them the customer chose. Nothing is chosen beforehand, neither by us nor
 * by the merchant; who chooses nothing sends no network. Another card's number takes the choice away. The radio buttons
 * come when the first shared card is typed (`network-radios.ts`); where they cannot be had, there is no choice, and the
 * card is charged as any other.
 *
 * ```
 * none offered --a shared card's eighth digit--> two offered, none chosen --press, or arrow keys--> one chosen
 *      ^                                                |                                                 |
 *      +--------------- the number is another card's, or is wiped ----------------------------------------+
 * ```
 */
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { Page } from "../../page/page.ts";
import type { createNetworkRadios, NetworkRadios } from "./network-radios.ts";
import { sharedCard } from "./shared-cards.ts";

export interface NetworkChoice {
  /** What the customer may choose from; empty for a card of one network. */
  offered(): readonly CardNetwork[];
  chosen(): CardNetwork | null;
  /** To be called with the digits whenever the number is another. */
  look(digits: string): void;
}

/** Rejects where they cannot be had. */
export type LoadNetworkRadios = () => Promise<{ createNetworkRadios: typeof createNetworkRadios }>;

const none: readonly CardNetwork[] = [];

export function createNetworkChoice(page: Page, loadRadios: LoadNetworkRadios): NetworkChoice {
  let offered = none;
  let chosen: CardNetwork | null = null;
  let radios: NetworkRadios | null = null;
  const show = () => radios?.offer(offered);
  const fetchRadios = async () => {
    const loaded = await loadRadios();
    radios ??= loaded.createNetworkRadios(page, (network) => {
      chosen = network;
    });
    show();
  };
  return {
    offered: () => offered,
    chosen: () => chosen,
    look(digits) {
      const networks = sharedCard(digits) ?? none;
      if (networks === offered) return;
      chosen = null;
      offered = networks;
      if (radios) show();
      else if (networks.length > 0) fetchRadios().catch(() => {});
    },
  };
}
