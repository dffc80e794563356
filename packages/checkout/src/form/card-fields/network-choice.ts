/**
 * The networks that a card offers, and the one that the customer chose. Neither we nor the merchant preselect one; if
 * the customer doesn't choose, no network is sent. The choice resets when the number changes to that of another card.
 * The radio buttons load when the first co-badged card is typed (`network-radios.ts`). If they can't be loaded, there
 * is no choice and the card is charged like any other.
 *
 * ```
 * none offered --eighth digit of a co-badged card--> two offered, none chosen --click or arrow keys--> one chosen
 *      ^                                                  |                                               |
 *      +--------------- the number becomes another card's, or is wiped -----------------------------------+
 * ```
 */
import type { CardNetwork } from "@oriel/protocol/card-networks";
import type { Page } from "../../page/page.ts";
import { sharedCard } from "./co-badged-cards.ts";
import type { createNetworkRadios, NetworkRadios } from "./network-radios.ts";

export interface NetworkChoice {
  /** The networks to choose from; empty if the card has only one. */
  offered(): readonly CardNetwork[];
  chosen(): CardNetwork | null;
  /** Call this with the digits whenever the number changes. */
  update(digits: string): void;
}

/** Rejects if they can't be loaded. */
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
    update(digits) {
      const networks = sharedCard(digits) ?? none;
      if (networks === offered) return;
      chosen = null;
      offered = networks;
      if (radios) show();
      else if (networks.length > 0) fetchRadios().catch(() => {});
    },
  };
}
