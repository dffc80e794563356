/**
 * Mutants that no test can notice, each with the reason. They are left out of the samples. When such a line changes, remove its entry or
 * reconsider it: `equivalent.test.ts` and `npm run mutate` fail on an entry that matches no mutant.
 */
import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "within" | "before" | "after"> & { why: string };

export const equivalents: readonly Equivalent[] = [
  {
    file: "packages/server/src/platform/idempotency/idempotency.ts",
    within: "storeOutcome",
    before: ".where(ownedBy(tenantOf(attempt)))",
    after: "",
    why: "An attempt's ID is unique, and only a key of its own tenant refers to it, so the condition on `attempt_id` finds the same row.",
  },
  ...[".where(ownedBy(tenant))", '.where("key", "=", key)'].map((before) => ({
    file: "packages/server/src/platform/idempotency/idempotency.ts",
    within: "updateClaimed",
    before,
    after: "",
    why: "A claim is a random UUID, so the condition on `claim` finds the same row. The others are there for the index.",
  })),
  {
    file: "packages/server/src/payments/charges/charge-state.ts",
    within: "reserveRefund",
    before: '.where("status", "=", "succeeded")',
    after: "",
    why: "A check of the table lets only a charge that succeeded have a captured amount, so no other charge has anything left to refund.",
  },
  {
    file: "packages/server/src/payments/charges/charge-state.ts",
    within: "busyWith",
    before: '.where("status", "=", "authorized")',
    after: "",
    why: "A check of the table lets only a charge that is authorized be busy.",
  },
  {
    file: "packages/server/src/payments/attempts/attempt-state.ts",
    within: "takeOverdueAttempts",
    before: ".skipLocked(),",
    after: ",",
    why: "Without it, a worker waits for the lock instead of skipping the row. PostgreSQL then checks the conditions again, so nothing is taken twice.",
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
    why: "For the types: `open` sets the frame before it watches the page's appearance, and `unmount` ends both at once.",
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
    why: "It matters only once another session has taken the first one's place. For that the iframe must be connected, and the load that connects it sets this to false.",
  },
  {
    file: "packages/embed/src/frame/checkout-frame.ts",
    within: "remove",
    before: "frames.delete(container);",
    after: ";",
    why: "Only frees memory: a removed frame is in no container, so `shows` is false for it, and evicting it does nothing.",
  },
  {
    file: "packages/embed/src/checkout/checkout-options.ts",
    within: "readOptions",
    before: 'const kind = optionKinds[name] ?? "";',
    after: "const kind = optionKinds[name];",
    why: "The default is for the types: `ownCopy` has already refused every name that `optionKinds` doesn't have.",
  },
  {
    file: "packages/sdk/src/check-signatures.ts",
    within: "decodeHex",
    before: 'return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;',
    after: 'return /[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;',
    why: "With more digits in front there are more than the 32 bytes that are compared, and anything else in front ends the decoding, so there are fewer.",
  },
  {
    file: "packages/vault/src/card-message.ts",
    within: "decrypt",
    before: "maxDecompressedLength: 0, // what is compressed is refused: the bound on its size would hold for nothing",
    after: "maxDecompressedLength: 1, // what is compressed is refused: the bound on its size would hold for nothing",
    why: "One byte of JSON isn't a card either, and whatever isn't a card is refused in the same way.",
  },
  {
    file: "packages/vault/src/card-message.ts",
    within: "readPlaintext",
    before: "if (!isWhole(exp_month, 1, 12) || !isWhole(exp_year, 2000, 2099)) return null;",
    after: "if (!isWhole(exp_month, 1, 12) || !isWhole(exp_year, 2001, 2099)) return null;",
    why: "A card of the year 2000 has expired, and that is refused in the same way.",
  },
  {
    file: "packages/vault/src/key-file.ts",
    within: "readKeyFile",
    before: 'text = readFileSync(path, "utf8");',
    after: 'text = readFileSync(path, "");',
    why: "Without an encoding it gives bytes, and JSON.parse reads them as the same UTF-8 text.",
  },
  {
    file: "packages/vault/src/rewrap-cards.ts",
    within: "rewrapCards",
    before: 'const total = Number(rows[0]?.["total"]);',
    after: 'const total = Number(rows[0]["total"]);',
    why: "The chain is for the types: a count always gives one row.",
  },
  {
    file: "packages/vault/src/card-store.ts",
    within: "storeCard",
    before: 'if (rows[0]?.["stored"] === 1) return "stored";',
    after: 'if (rows[0]["stored"] === 1) return "stored";',
    why: "The chain is for the types: a select without `from` always gives one row.",
  },
  {
    file: "packages/vault/src/card-store.ts",
    within: "storeCard",
    before: 'return rows[0]?.["keys"] === 1 ? "nonce_used" : "key_closed";',
    after: 'return rows[0]["keys"] === 1 ? "nonce_used" : "key_closed";',
    why: "The chain is for the types: a select without `from` always gives one row.",
  },
  {
    file: "packages/vault/src/threeds-answers.ts",
    within: "readVersion",
    before: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);",
    after: "return patch === undefined ? null : Number(major) * 10001 + Number(minor) * 100 + Number(patch);",
    why: "Minor and patch come to 9,999 at most, so any factor of 10,000 or more puts versions in the same order.",
  },
  {
    file: "packages/vault/src/threeds-answers.ts",
    within: "readVersion",
    before: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);",
    after: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 101 + Number(patch);",
    why: "The order differs only between a version of x.99 and one of (x+1).0, and all are compared with 2.2.0 and 2.3.1.",
  },
  {
    file: "packages/server/src/payments/flow/threeds/conclude.ts",
    within: "conclude",
    before: "if (servedCard !== null) await eraseCard(context, servedCard);",
    after: "if (true) await eraseCard(context, servedCard);",
    why: "No payment method has the ID null, so erasing its card changes nothing.",
  },
  {
    file: "packages/server/src/payments/flow/threeds/receive-result.ts",
    within: "receiveResult",
    before: "if (known?.equals(rreq_digest) !== true) {",
    after: "if (known.equals(rreq_digest) !== true) {",
    why: "The chain is for the types: `noteLate` has just said that the transaction has a digest, and none is ever taken away.",
  },
];

/** @returns the mutants that a test can notice, and the entries that match none of `mutants` */
export function leaveOut(mutants: readonly Mutant[], known: readonly Equivalent[]): { left: Mutant[]; stale: Equivalent[] } {
  const fits = (mutant: Mutant, { file, within, before, after }: Equivalent) =>
    mutant.file === file && mutant.within === within && mutant.before === before && mutant.after === after;
  return {
    left: mutants.filter((mutant) => !known.some((one) => fits(mutant, one))),
    stale: known.filter((one) => !mutants.some((mutant) => fits(mutant, one))),
  };
}
