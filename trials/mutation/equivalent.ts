/**
 * Mutants that no test can detect, each with the reason. They're left out of the samples. When such a line changes,
 * remove its entry or reconsider it: `equivalent.test.ts` and `npm run mutate` fail on an entry that matches no mutant.
 */
import type { Mutant } from "./mutants.ts";

export type Equivalent = Pick<Mutant, "file" | "within" | "before" | "after"> & { why: string };

export const equivalents: readonly Equivalent[] = [
  ...[".where(ownedBy(tenant))", '.where("key", "=", key)'].map((before) => ({
    file: "packages/server/src/platform/idempotency/idempotency.ts",
    within: "updateClaimed",
    before,
    after: "",
    why: "A claim is a random UUID, so the condition on `claim` finds the same row. The others are there for the index.",
  })),
  {
    file: "packages/server/src/platform/idempotency/idempotency.ts",
    within: "",
    before: "const pollMs = 100;",
    after: "const pollMs = 200;",
    why: "How often a request that waits for another looks for its outcome. It gets the same response, a moment later.",
  },
  {
    file: "packages/server/src/payments/attempts/attempt-state.ts",
    within: "takeDueAttempts",
    before: '.orderBy("next_call_at"),',
    after: ",",
    why: "PostgreSQL finds due attempts with the index on `next_call_at`, so they come in this order anyway, unguaranteed.",
  },
  ...["request.amount", "request.amount ?? 1"].map((amount) => ({
    file: "packages/server/src/payments/flow/begin-capture.ts",
    within: "beginCapture",
    before:
      "if (charge === undefined) throw refuseCapture(await findCharge(tx, tenant, chargeId), request.amount ?? 0);",
    after: `if (charge === undefined) throw refuseCapture(await findCharge(tx, tenant, chargeId), ${amount});`,
    why: "It only has to be at most the charge's amount, and no charge is of 0.",
  })),
  ...["decision.decline_code", 'decision.decline_code ?? ""'].map((after) => ({
    file: "packages/server/src/payments/flow/begin-charge.ts",
    within: "refusalReason",
    before: 'return cardDeclined(decision.decline_code ?? "generic_decline");',
    after: `return cardDeclined(${after});`,
    why: "For the types: a check of the table lets no decision be declined without a code.",
  })),
  {
    file: "packages/server/src/payments/flow/begin-refund.ts",
    within: "beginRefundAtOnce",
    before: 'const kind = { kind: "refund", charge_id, refund_id: refund.id, decision_id: "", amount: 0 } as const;',
    after: 'const kind = { kind: "refund", charge_id, refund_id: refund.id, decision_id: "", amount: 1 } as const;',
    why: "For the type of an attempt: the function that starts the refund ignores its amount.",
  },
  {
    file: "packages/server/src/payments/charges/charge-state.ts",
    within: "busyWith",
    before: '.where("status", "=", "authorized")',
    after: "",
    why: "A check of the table lets only a charge that is authorized be busy.",
  },
  {
    file: "packages/server/src/payments/decisions/decision-state.ts",
    within: "due",
    before: '.orderBy("expires_at"),',
    after: ",",
    why: "PostgreSQL finds due decisions with the index on `expires_at`, so they come in this order anyway, unguaranteed.",
  },
  {
    file: "packages/server/src/payments/decisions/decision-state.ts",
    within: "expire",
    before: "if (session_id !== null) await release(tx, session_id, id);",
    after: "if (true) await release(tx, session_id, id);",
    why: "Only saves a statement: no session has the ID null, so `release` changes nothing.",
  },
  {
    file: "packages/server/src/payments/decisions/decision-state.ts",
    within: "isExpired",
    before: '? not(exists(authentication.where(sameOwner("authentication", "decision")).where(of("authentication"))))',
    after: '? not(exists(authentication.where(of("authentication"))))',
    why: "A decision's ID names its owner, so the condition on `decision_id` finds the same rows. This one is there for the index.",
  },
  {
    file: "packages/server/src/payments/sessions/checkout-sessions.ts",
    within: "ownSessions",
    before: '.where(ownedBy(tenant, "decision"))',
    after: "",
    why: "IDs are unique across owners, so the condition on the ID finds the same row. This one is there for the index.",
  },
  ...[
    "if (false) throw new Error(`Bug: there is no account with the number ${tenant.accountNo}`);",
    "if (account === undefined) ;",
  ].map((after) => ({
    file: "packages/server/src/payments/sessions/checkout-sessions.ts",
    within: "checkCheckoutSession",
    before:
      "if (account === undefined) throw new Error(`Bug: there is no account with the number ${tenant.accountNo}`);",
    after,
    why: "For the types: a tenant comes from an account's key or page, and accounts are never deleted.",
  })),
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "destroy",
    before: 'checkout.signal?.removeEventListener("abort", checkout.destroyThis);',
    after: ";",
    why: "Only lets the signal forget the checkout: `destroy` does nothing the second time.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "addListener",
    before: 'signal?.removeEventListener("abort", remove);',
    after: ";",
    why: "Only lets the signal forget the listener: `remove` does nothing the second time.",
  },
  {
    file: "packages/embed/src/frame/checkout-frame.ts",
    within: "removeFrame",
    before: "frames.delete(frame.boxContainer);",
    after: ";",
    why: "Only frees memory: a removed frame is in no container, so `showsSession` is false for it, and evicting it does nothing.",
  },
  {
    file: "packages/embed/src/frame/watch-response.ts",
    within: "watchResponse",
    before: "let hasLoaded = false;",
    after: "let hasLoaded = true;",
    why: "`startTimers` sets all three before it sets the first clock, and only a clock leads to where they are read.",
  },
  {
    file: "packages/embed/src/frame/watch-response.ts",
    within: "watchResponse",
    before: "let hasResponded = false;",
    after: "let hasResponded = true;",
    why: "`startTimers` sets all three before it sets the first clock, and only a clock leads to where they are read.",
  },
  {
    file: "packages/embed/src/frame/watch-response.ts",
    within: "watchResponse",
    before: "let hasRetried = false;",
    after: "let hasRetried = true;",
    why: "`startTimers` sets all three before it sets the first clock, and only a clock leads to where they are read.",
  },
  {
    file: "packages/embed/src/frame/watch-response.ts",
    within: "pageLoaded",
    before: "if (timers.length > 0) after(receiptMs, false);",
    after: "if (timers.length > 1) after(receiptMs, false);",
    why: "`startTimers` sets two timers at once and `stopTimers` leaves none, so there is never exactly one.",
  },
  {
    file: "packages/embed/src/frame/frame-state.ts",
    within: "transition",
    before: 'const effects: FrameEffect[] = /^(ready|complete|error|expire)$/.test(name) ? ["settle"] : [];',
    after: 'const effects: FrameEffect[] = /(ready|complete|error|expire)$/.test(name) ? ["settle"] : [];',
    why: "Each name in the protocol's closed list of events that contains one of the words is that word.",
  },
  {
    file: "packages/embed/src/frame/frame-state.ts",
    within: "transition",
    before: 'const effects: FrameEffect[] = /^(ready|complete|error|expire)$/.test(name) ? ["settle"] : [];',
    after: 'const effects: FrameEffect[] = /^(ready|complete|error|expire)/.test(name) ? ["settle"] : [];',
    why: "Each name in the protocol's closed list of events that contains one of the words is that word.",
  },
  {
    file: "packages/embed/src/frame/diagnose.ts",
    within: "end",
    before: "clearTimeout(timer);",
    after: ";",
    why: "Only frees the clock: closing the connection, removing the iframe and resolving the promise again do nothing.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "destroy",
    before: "if (checkout.isDestroyed) return;",
    after: "if (false) return;",
    why: "Only saves work: the second time there is no listener, no frame and no dialog left, and `ready` is settled.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "destroy",
    before: "if (checkout.isDestroyed) return;",
    after: "if (checkout.isDestroyed) ;",
    why: "Only saves work: the second time there is no listener, no frame and no dialog left, and `ready` is settled.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "destroy",
    before: 'checkout.signal?.removeEventListener("abort", checkout.destroyThis);',
    after: 'checkout.signal?.removeEventListener("", checkout.destroyThis);',
    why: "Only lets the signal forget the checkout: `destroy` does nothing the second time.",
  },
  {
    file: "packages/embed/src/checkout/create-checkout.ts",
    within: "addListener",
    before: 'signal?.removeEventListener("abort", remove);',
    after: 'signal?.removeEventListener("", remove);',
    why: "Only lets the signal forget the listener: `remove` does nothing the second time.",
  },
  {
    file: "packages/embed/src/api/embed-url.ts",
    within: "findEmbedUrl",
    before: "return url && /^https?:\\/\\/[^/@?#]+\\/c\\/\\w{1,80}#.+$/.test(url.href)",
    after: "return url && /^https?:\\/\\/[^/@?#]+\\/c\\/\\w{1,80}#.+/.test(url.href)",
    why: "A URL's `href` has no line break, so `.+` always runs to its end.",
  },
  {
    file: "packages/embed/src/api/checkout-error.ts",
    within: "newDiagnosticId",
    before: 'export const newDiagnosticId = (): string => Math.random().toString(36).padEnd(12, "0").slice(2, 12);',
    after: 'export const newDiagnosticId = (): string => Math.random().toString(36).padEnd(13, "0").slice(2, 12);',
    why: "The slice ends before the thirteenth character.",
  },
  {
    file: "packages/sdk/src/check-signatures.ts",
    within: "decodeHex",
    before: 'return /^[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;',
    after: 'return /[0-9a-f]{64}$/.test(text) ? Buffer.from(text, "hex") : null;',
    why: "With more digits in front there are more than the 32 bytes that are compared, and anything else in front ends the decoding, so there are fewer.",
  },
  {
    file: "packages/vault/src/cards/card-message.ts",
    within: "decrypt",
    before: "maxDecompressedLength: 0, // refuses compressed content, which would evade the size limit",
    after: "maxDecompressedLength: 1, // refuses compressed content, which would evade the size limit",
    why: "One byte of JSON isn't a card either, and whatever isn't a card is refused in the same way.",
  },
  {
    file: "packages/vault/src/cards/card-message.ts",
    within: "readPlaintext",
    before: "if (!isWholeNumber(exp_month, 1, 12) || !isWholeNumber(exp_year, 2000, 2099)) return null;",
    after: "if (!isWholeNumber(exp_month, 1, 12) || !isWholeNumber(exp_year, 2001, 2099)) return null;",
    why: "A card of the year 2000 has expired, and that is refused in the same way.",
  },
  {
    file: "packages/vault/src/keys/key-file.ts",
    within: "readKeyFile",
    before: 'text = readFileSync(path, "utf8");',
    after: 'text = readFileSync(path, "");',
    why: "Without an encoding it gives bytes, and JSON.parse reads them as the same UTF-8 text.",
  },
  {
    file: "packages/vault/src/keys/rewrap-records.ts",
    within: "countOlder",
    before: 'return Number(rows[0]?.["count"]);',
    after: 'return Number(rows[0]["count"]);',
    why: "The chain is for the types: a count always gives one row.",
  },
  {
    file: "packages/vault/src/cards/card-store.ts",
    within: "storeCard",
    before: 'if (rows[0]?.["stored"] === 1) return "stored";',
    after: 'if (rows[0]["stored"] === 1) return "stored";',
    why: "The chain is for the types: a select without `from` always gives one row.",
  },
  {
    file: "packages/vault/src/cards/card-store.ts",
    within: "storeCard",
    before: 'return rows[0]?.["keys"] === 1 ? "nonce_used" : "key_closed";',
    after: 'return rows[0]["keys"] === 1 ? "nonce_used" : "key_closed";',
    why: "The chain is for the types: a select without `from` always gives one row.",
  },
  {
    file: "packages/vault/src/connectors/sandbox/threeds-responses.ts",
    within: "readVersion",
    before: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);",
    after: "return patch === undefined ? null : Number(major) * 10001 + Number(minor) * 100 + Number(patch);",
    why: "Minor and patch come to 9,999 at most, so any factor of 10,000 or more puts versions in the same order.",
  },
  {
    file: "packages/vault/src/connectors/sandbox/threeds-responses.ts",
    within: "readVersion",
    before: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 100 + Number(patch);",
    after: "return patch === undefined ? null : Number(major) * 10_000 + Number(minor) * 101 + Number(patch);",
    why: "The order differs only between a version of x.99 and one of (x+1).0, and all are compared with 2.2.0 and 2.3.1.",
  },
  {
    file: "packages/server/src/payments/flow/threeds/conclude.ts",
    within: "conclude",
    before: "if (cardToErase !== null) await eraseCard(context, cardToErase);",
    after: "if (true) await eraseCard(context, cardToErase);",
    why: "No payment method has the ID null, so erasing its card changes nothing.",
  },
  {
    file: "packages/server/src/payments/flow/threeds/receive-result.ts",
    within: "receiveResult",
    before: "if (firstDigest?.equals(rreq_digest) !== true) {",
    after: "if (firstDigest.equals(rreq_digest) !== true) {",
    why: "The chain is only for the types: `recordLateResult` has just found that the transaction has a digest, and digests are never removed.",
  },
];

/** @returns the mutants that a test can detect, and the entries that match none of `mutants` */
export function leaveOut(
  mutants: readonly Mutant[],
  known: readonly Equivalent[],
): { left: Mutant[]; stale: Equivalent[] } {
  const fits = (mutant: Mutant, { file, within, before, after }: Equivalent) =>
    mutant.file === file && mutant.within === within && mutant.before === before && mutant.after === after;
  return {
    left: mutants.filter((mutant) => !known.some((one) => fits(mutant, one))),
    stale: known.filter((one) => !mutants.some((mutant) => fits(mutant, one))),
  };
}
