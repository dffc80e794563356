/** What a check can find. `chaos.ts` fails if there's any. */
export const mistakeKinds = ["twice", "lost", "stuck", "event", "response", "ledger"] as const;

export interface Mistake {
  kind: (typeof mistakeKinds)[number];
  /** A sentence that names the object. */
  what: string;
}
