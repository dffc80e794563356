/**
 * Mutants that no test can notice, each with the reason. They are left out of the samples. When the line changes, the entry must go or be thought about
 * again: `equivalent.test.ts` and `npm run mutate` fail on an entry that fits no mutant.
 */
import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "within" | "before" | "after"> & { why: string };

export const equivalents: readonly Equivalent[] = [
  {
    file: "packages/server/src/idempotency/idempotency.ts",
    within: "storeOutcome",
    before: ".where(ownedBy(tenantOf(attempt)))",
    after: "",
    why: "An attempt's ID is unique, and only a key of its own tenant notes it, so the condition on `attempt_id` finds the same row.",
  },
  ...[".where(ownedBy(tenant))", '.where("key", "=", key)'].map((before) => ({
    file: "packages/server/src/idempotency/idempotency.ts",
    within: "updateClaimed",
    before,
    after: "",
    why: "A claim is a random UUID, so the condition on `claim` finds the same row. The others are there for the index.",
  })),
  {
    file: "packages/server/src/charges/charge-state.ts",
    within: "reserveRefund",
    before: '.where("status", "=", "succeeded")',
    after: "",
    why: "A check of the table lets only a charge that succeeded have a captured amount, so of any other nothing is left to refund.",
  },
  {
    file: "packages/server/src/attempts/attempt-state.ts",
    within: "takeOverdueAttempts",
    before: ".skipLocked(),",
    after: ",",
    why: "Without it a worker waits for a lock instead of passing over the row. PostgreSQL then checks the conditions again, so nothing is taken twice.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "destroy",
    before: 'settings.signal?.removeEventListener("abort", destroy);',
    after: ";",
    why: "Only lets the signal forget the checkout: `destroy` does nothing the second time.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "on",
    before: 'signal?.removeEventListener("abort", remove);',
    after: ";",
    why: "Only lets the signal forget the listener: `remove` does nothing the second time.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "open",
    before: "if (now !== looks) void frame?.tellSettings();",
    after: "if (now !== looks) void frame.tellSettings();",
    why: "For the types: `open` sets the frame before it watches the page's looks, and `unmount` ends both at once.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "open",
    before: "if (!container) return;",
    after: "if (!container) ;",
    why: "For the types: `mount` sets the container first, and a session that comes after `unmount` is dropped by `hasMovedOn`.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "open",
    before: "if (!container) return;",
    after: "if (false) return;",
    why: "For the types: `mount` sets the container first, and a session that comes after `unmount` is dropped by `hasMovedOn`.",
  },
  {
    file: "packages/embed/src/frame/hand-over.ts",
    within: "receive",
    before: "waiting.delete(callId);",
    after: ";",
    why: "Only frees memory: IDs are never used twice, and resolving an answered call's promise again does nothing.",
  },
  {
    file: "packages/embed/src/frame/checkout-frame.ts",
    within: "createFrame",
    before: "let isSent = false;",
    after: "let isSent = true;",
    why: "It matters only once another session has taken the first one's place. That takes a line, and the load that opens one sets it to false.",
  },
  {
    file: "packages/embed/src/frame/checkout-frame.ts",
    within: "remove",
    before: "frames.delete(container);",
    after: ";",
    why: "Only frees memory: a frame that is gone stands in no container, so `shows` is false for it, and to evict it does nothing.",
  },
  {
    file: "packages/embed/src/checkout/checkout-options.ts",
    within: "readOptions",
    before: 'const kind = optionKinds[name] ?? "";',
    after: "const kind = optionKinds[name];",
    why: "The default is for the types: `ownCopy` has refused every name that `optionKinds` doesn't have.",
  },
];

/** @returns the mutants that a test can notice, and the entries that fit none of `mutants` */
export function leaveOut(mutants: readonly Mutant[], known: readonly Equivalent[]): { left: Mutant[]; stale: Equivalent[] } {
  const fits = (mutant: Mutant, { file, within, before, after }: Equivalent) =>
    mutant.file === file && mutant.within === within && mutant.before === before && mutant.after === after;
  return {
    left: mutants.filter((mutant) => !known.some((one) => fits(mutant, one))),
    stale: known.filter((one) => !mutants.some((mutant) => fits(mutant, one))),
  };
}
