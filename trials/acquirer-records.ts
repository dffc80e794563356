/**
 * The acquirer's own records of payments, which show what really happened, in one format for the simulator of Adyen
 * and the sandbox bank. Amounts are in ISO 4217's unit.
 */
import type { Authorization, Cancel, Capture, Refund } from "@oriel/protocol/acquirer";
import type { Entry, Modification, ModificationKind, Payment } from "../packages/sandbox/src/adyen/payment.ts";
import { fromAdyenAmount } from "../packages/vault/src/connectors/adyen/amounts.ts";

/** What the acquirer recorded about one request. */
export interface AcquirerRecord {
  kind: "authorization" | ModificationKind;
  /** The ID of our attempt. Null if we didn't request it. */
  reference: string | null;
  /** The acquirer's own ID. Null if it has none. */
  acquirerId: string | null;
  /** Null if the request has none: a cancellation releases whatever is reserved. */
  amount: number | null;
  /** Null if the acquirer doesn't record it, as for verifications at Adyen. */
  status: "approved" | "declined" | "pending" | null;
  /** In the field's words. Null also if the acquirer has codes of its own. */
  declineCode: string | null;
}

/** An authorization or verification, and everything that was done with it. */
export interface AcquirerPayment extends AcquirerRecord {
  amount: number;
  entries: Entry[];
  operations: AcquirerRecord[];
}

export function fromAdyen({
  pspReference,
  merchantReference,
  amount,
  entries,
  modifications,
}: Payment): AcquirerPayment {
  return {
    kind: "authorization",
    reference: merchantReference,
    acquirerId: pspReference,
    amount: toValue(amount).value,
    status: amount.value === 0 ? null : entries.length > 0 ? "approved" : "declined",
    declineCode: null,
    entries: entries.map((entry) => ({ ...entry, ...toValue(entry) })),
    operations: modifications.map((modification) => fromModification(modification, entries)),
  };
}

const statusOf = {
  received: "pending",
  refused: "declined",
  done: "approved",
  failed_later: "approved",
  repeated: "approved",
} as const satisfies Record<Modification["state"], AcquirerRecord["status"]>;

function fromModification(
  { kind, reference, pspReference, amount, state }: Modification,
  entries: readonly Entry[],
): AcquirerRecord {
  const first = entries.find((entry) => entry.pspReference === pspReference);
  const isRepetition = first?.type.endsWith("_again") === true; // by the acquirer, of what had failed
  return {
    kind,
    reference: isRepetition ? null : reference,
    acquirerId: pspReference,
    amount: kind === "capture" || kind === "refund" ? toValue(amount).value : null,
    status: statusOf[state],
    declineCode: null,
  };
}

function toValue({ value, currency }: Pick<Entry, "value" | "currency">): { value: number; currency: string } {
  const money = fromAdyenAmount(Math.abs(value), currency);
  if (money === null) throw new Error(`Bug: ${value} ${currency} can't be converted`);
  return { value: Math.sign(value) * money.amount, currency: money.currency };
}

/** The lists of the sandbox bank. */
export interface SandboxRecords {
  authorizations: Authorization[];
  captures: Capture[];
  cancels: Cancel[];
  refunds: Refund[];
}

export function fromSandbox({ authorizations, captures, cancels, refunds }: SandboxRecords): AcquirerPayment[] {
  return authorizations.map((authorization) => {
    const { reference, amount } = authorization;
    const own = <T extends Cancel>(
      kind: AcquirerRecord["kind"],
      list: readonly T[],
      amountOf: (item: T) => number | null,
    ) =>
      list
        .filter((item) => item.authorization === reference)
        .map((item) => ({ ...toRecord(kind, item), amount: amountOf(item) }));
    return {
      ...toRecord("authorization", authorization),
      acquirerId: authorization.authorization_id,
      amount,
      entries: entriesOf(authorization),
      operations: [
        ...own("capture", captures, (capture) => capture.amount),
        ...own("cancel", cancels, () => null),
        ...own("refund", refunds, (refund) => refund.amount),
      ],
    };
  });
}

function toRecord(kind: AcquirerRecord["kind"], { reference, status, decline_code }: Omit<Cancel, "authorization">) {
  return { kind, reference, acquirerId: null, status, declineCode: decline_code ?? null };
}

/** A capture releases what it doesn't take. */
function entriesOf(authorization: Authorization): Entry[] {
  const { status, amount, currency, amount_captured, amount_refunded, canceled, authorization_id } = authorization;
  const common = { currency, pspReference: authorization_id, at: new Date(authorization.created * 1000).toISOString() };
  const moves = [
    { type: "authorized", account: "reserved", value: status === "approved" ? amount : 0 },
    { type: "captured", account: "reserved", value: -amount_captured },
    { type: "released", account: "reserved", value: amount_captured > 0 ? amount_captured - amount : 0 },
    { type: "captured", account: "merchant", value: amount_captured },
    { type: "canceled", account: "reserved", value: canceled ? -amount : 0 },
    { type: "refunded", account: "merchant", value: -amount_refunded },
  ] as const;
  return moves.filter(({ value }) => value !== 0).map((move) => ({ ...move, ...common }));
}
