/** What an attempt is about: what the acquirer needs to know, and what the response and the event will contain. */
import type { BillingDetails } from "@oriel/protocol/frame";
import type { CardOf } from "@oriel/vault";
import type { PlatformContext } from "../../platform/context.ts";
import type { KeyClaim } from "../../platform/idempotency/idempotency.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type Subject = Pick<
  Row<"decision">,
  "payment_method_id" | "currency" | "session_id" | "acquirer_account_id" | "acquirer_merchant_id" | "payer"
> & {
  network: Row<"payment_method">["network"];
  /** The approved authorization that a capture, cancellation or refund is about. */
  authorization: string | null;
  /** The acquirer's ID of it. */
  authorization_acquirer_id: string | null;
} & OrNull<
    Pick<
      Row<"authentication">,
      "version" | "flow" | "trans_status" | "result" | "eci" | "authentication_value" | "ds_trans_id" | "browser_ip"
    > & {
      billing_details: BillingDetails;
      customer: Row<"checkout_session">["customer"];
      charge_amount: number;
      charge_created_at: Date;
      charge_metadata: Record<string, string>;
      capture_method: Row<"charge">["capture_method"];
      refund_created_at: Date;
      refund_reason: string | null;
      session_mode: Row<"checkout_session">["mode"];
      session_metadata: Record<string, string>;
      save_payment_method: boolean;
      failed_payments: number;
      session_version: number;
    }
  >;

/** Null if there is no such row. */
type OrNull<T> = { [K in keyof T]: T[K] | null };

const read = statement<Subject>(/* sql */ `
  select decision.payment_method_id, decision.currency, decision.session_id, decision.acquirer_account_id,
    decision.acquirer_merchant_id, decision.payer, payment_method.network, payment_method.billing_details,
    session.customer, session.mode as session_mode, session.metadata as session_metadata, session.save_payment_method,
    session.failed_payments, authentication.browser_ip, authentication.version, authentication.flow,
    authentication.trans_status, authentication.result, authentication.eci, authentication.authentication_value,
    authentication.ds_trans_id, charge.amount as charge_amount, charge.created_at as charge_created_at,
    charge.metadata as charge_metadata, charge.capture_method, charge.session_version, approved.id as "authorization", approved.acquirer_id as authorization_acquirer_id,
    refund.created_at as refund_created_at, refund.reason as refund_reason
  from decision
  left join charge on (charge.account_no, charge.livemode) = (:account_no, :livemode)
    and charge.decision_id = :decision_id
  left join refund on (refund.account_no, refund.livemode) = (:account_no, :livemode) and refund.id = coalesce(:refund_id::text, '')
  left join checkout_session as session on (session.account_no, session.livemode) = (:account_no, :livemode)
    and session.id = decision.session_id
  left join authentication on (authentication.account_no, authentication.livemode) = (:account_no, :livemode)
    and authentication.decision_id = :decision_id and authentication.is_step_up = :is_step_up
  -- Test payment methods have no row.
  left join payment_method on (payment_method.account_no, payment_method.livemode) = (:account_no, :livemode)
    and payment_method.id = decision.payment_method_id
  left join attempt as approved on (approved.account_no, approved.livemode) = (:account_no, :livemode)
    and approved.decision_id = :decision_id and approved.kind = 'authorize' and approved.status = 'approved'
  where decision.account_no = :account_no and decision.livemode = :livemode and decision.id = :decision_id`);

/** An attempt that this process claimed by creating it, and runs now. */
export interface BegunAttempt {
  attempt: Row<"attempt">;
  subject: Subject;
  /** Null if the request has no idempotency key. */
  keyClaim: KeyClaim | null;
}

/** An attempt to run now: one that was begun here, or the ID of one that has to be claimed first. */
export type AttemptToRun = BegunAttempt | string;

export function idOf(attempt: AttemptToRun): string {
  return typeof attempt === "string" ? attempt : attempt.attempt.id;
}

/** For attempts that refer to an earlier authorization, and therefore need neither the card nor its authentication. */
export const withoutCard = {
  payer: null,
  network: null,
  billing_details: null,
  customer: null,
  browser_ip: null,
  version: null,
  flow: null,
  trans_status: null,
  result: null,
  eci: null,
  authentication_value: null,
  ds_trans_id: null,
  charge_amount: null,
  charge_created_at: null,
  charge_metadata: null,
  capture_method: null,
  session_mode: null,
  session_metadata: null,
  save_payment_method: null,
  failed_payments: null,
  session_version: null,
} as const satisfies Partial<Subject>;

/**
 * Uses the attempt's owner, not the one that the decision's ID names: if the decision was moved, the vault refuses the
 * card.
 */
export async function readSubject({ db }: Pick<PlatformContext, "db">, attempt: Row<"attempt">): Promise<Subject> {
  const { account_no, livemode, decision_id, is_step_up, refund_id } = attempt;
  const [subject] = await read(db, { account_no, livemode, decision_id, is_step_up, refund_id });
  if (subject === undefined) throw new Error(`Bug: attempt ${attempt.id} has no decision`);
  return subject;
}

/**
 * The values that an attempt of the caller's kind always has. They may be null for the types, because attempts of other
 * kinds don't have them.
 *
 * @throws Error if one is null
 */
export function present<T extends object>(
  { id }: Pick<Row<"attempt">, "id">,
  values: T,
): { [K in keyof T]: NonNullable<T[K]> } {
  const missing = Object.entries(values).find(([, value]) => value === null);
  if (missing !== undefined) throw new Error(`Bug: attempt ${id} lacks ${missing[0]}`);
  return values as { [K in keyof T]: NonNullable<T[K]> };
}

/** Captures, cancellations, refunds and reversals refer to an earlier authorization and don't need the card. */
export function usesCard({ kind }: Pick<Row<"attempt">, "kind">): boolean {
  return kind === "authorize" || kind === "verify";
}

/** The card to charge, bound to the account that the attempt belongs to. */
export function cardOf({ account_no }: Row<"attempt">, { payment_method_id }: Subject): CardOf {
  return { paymentMethodId: payment_method_id, accountNo: account_no };
}

/** Whether the card is kept once the payment has succeeded. */
export function savesCard({ session_mode, save_payment_method }: Subject): boolean {
  return session_mode === "setup" || save_payment_method === true;
}
