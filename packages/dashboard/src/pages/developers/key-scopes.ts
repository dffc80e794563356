/** The names and descriptions of key scopes. */
import type { KeyScope } from "@oriel/protocol/dashboard/setup";

export const scopeWords: Readonly<Record<KeyScope, { name: string; meaning: string }>> = {
  full: { name: "Full access", meaning: "Can use the entire API." },
  read: { name: "Read only", meaning: "Can read everything but change nothing." },
  checkout: {
    name: "Checkout",
    meaning: "Can create, read and change checkout sessions. Enough for most shop servers.",
  },
};
