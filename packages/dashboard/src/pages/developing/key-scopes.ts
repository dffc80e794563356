/** What a key may do, in the words of the page. */
import type { KeyScope } from "@oriel/protocol/dashboard-setup";

export const scopeWords: Readonly<Record<KeyScope, { name: string; meaning: string }>> = {
  full: { name: "Full", meaning: "Everything the API does." },
  read: { name: "Read", meaning: "Reads everything and changes nothing." },
  checkout: {
    name: "Checkout",
    meaning: "Creates and reads checkout sessions: for a shop's front server, which needs no more.",
  },
};
