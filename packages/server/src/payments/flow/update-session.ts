/** Changes an open checkout session at the merchant's request. */
import { isDeepStrictEqual } from "node:util";
import type { CheckoutSession, UpdateCheckoutSession } from "@oriel/protocol/api";
import { readAcquirer } from "../../merchants/accounts/accounts.ts";
import { amountCheckOf } from "../../merchants/accounts/live-mode.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import { mergeMetadata } from "../../platform/merge-metadata.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { hasId, ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { expireDecisionOf } from "../decisions/decision-state.ts";
import { findSession } from "../sessions/checkout-sessions.ts";
import { columnsAfterReply, otherCode } from "../sessions/promotion-codes.ts";
import {
  notInSetup,
  onlyInPayment,
  requireParts,
  requireTotal,
  totalOf,
  type Money,
} from "../sessions/session-money.ts";
import { endRefusal, toCheckoutSession } from "../sessions/session-object.ts";
import { nextVersion, storeVersion } from "../sessions/session-versions.ts";

/** How often the merchant can change a session's amount or its parts. The customer's shipping choices don't count. */
const maxChanges = 100;

const moneyFields = ["amount", ...onlyInPayment] as const;

type Session = Row<"checkout_session">;
type AmountCheck = Awaited<ReturnType<typeof amountCheckOf>>;

/**
 * Changes the fields of a session that the request has. If the amount or one of its parts changes, the session gets a
 * new version, and the one before is stored in `session_version`. A payment request that names an earlier version is
 * refused, so nobody pays an amount that they haven't seen.
 *
 * The session's row is locked until the commit, and a payment needs the same lock to start. So no payment is in
 * progress when the amount changes.
 *
 * A request that names the promotion code that the customer has entered, and has the amount or one of its parts,
 * accepts that code. Any other change leaves the code pending, so that a change for another reason can't accept it.
 *
 * @throws ApiError `session_payment_in_progress`, `session_closed`, `session_version_mismatch`,
 * `promotion_code_mismatch`, `session_changed_too_often`, or an error that names the invalid field
 */
export async function updateCheckoutSession(
  context: Pick<PlatformContext, "db" | "vault" | "acquirerAccounts" | "config" | "now">,
  tenant: Tenant,
  id: string,
  request: UpdateCheckoutSession,
): Promise<CheckoutSession> {
  const { db, now } = context;
  await findSession(db, tenant, id); // 404
  const checkAmount = namesMoney(request)
    ? await amountCheckOf(context, tenant, (await readAcquirer(db, tenant)).acquirerAccountId)
    : () => {};
  return await db.transaction().execute(async (tx) => {
    const session = await lockOpenSession(tx, tenant, id, now());
    return toCheckoutSession(await change(tx, session, request, checkAmount, now()), now());
  });
}

/**
 * Locks an open session until the end of the transaction. A payment needs the same lock to start.
 *
 * @throws ApiError `session_payment_in_progress`, `session_closed`
 */
export async function lockOpenSession(tx: Tx, tenant: Tenant, id: string, now: Date): Promise<Session> {
  // An expired decision is not a payment in progress, even if the sweeper hasn't processed it yet.
  await expireDecisionOf(tx, id, now);
  const session = await lockSession(tx, tenant, id);
  const shown = toCheckoutSession(session, now);
  if (shown.status !== "open" || session.payment_decision_id !== null) throw endRefusal(shown);
  return session;
}

async function change(
  tx: Tx,
  session: Session,
  request: UpdateCheckoutSession,
  checkAmount: AmountCheck,
  now: Date,
): Promise<Session> {
  if (request.reject !== undefined && namesMoney(request)) throw rejectedWithMoney();
  const before = session.mode === "setup" ? null : moneyOf(session);
  const money = before === null ? requireNoMoney(request) : moneyAfter(before, session, request, checkAmount);
  const description = request.description === undefined ? session.description : request.description;
  const metadata = mergeMetadata(session.metadata, request.metadata);
  const isSameMoney = isDeepStrictEqual(money, before);
  const named = isSameMoney ? "same" : "changed";
  const replied = columnsAfterReply(session, request, namesMoney(request) ? named : "absent");
  // So that repeating a request has no further effect, even if the first one has made the next version.
  const isSameText = description === session.description && isDeepStrictEqual(metadata, session.metadata);
  if (isSameMoney && isSameText && replied === null) return session;
  if (request.if_version !== undefined && request.if_version !== session.version) throw otherVersion(session);
  if (request.if_promotion_code !== undefined && request.if_promotion_code !== session.promotion_code)
    throw otherCode(session);
  if (before !== null && !isSameMoney) {
    if (session.version - session.shipping_choices > maxChanges) throw changedTooOften(session);
    await storeVersion(tx, session, before, now);
  }
  return await tx
    .updateTable("checkout_session")
    .set({
      description,
      metadata: JSON.stringify(metadata),
      ...(money !== null && !isSameMoney && nextVersion(session, money)),
      ...replied,
    })
    .where(hasId(session.id))
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** What the session costs after the request. @throws ApiError if that can't be */
export function moneyAfter(
  before: Money,
  { currency }: Session,
  request: UpdateCheckoutSession,
  checkAmount: AmountCheck,
): Money {
  if (currency === null) throw new Error("Bug: a payment session has no currency");
  const { line_items, shipping_options, discounts, tax_amount } = { ...before, ...given(request) };
  const chosen = request.shipping_option ?? before.shipping_option;
  // The chosen one stays if it's still offered.
  const shipping_option =
    request.shipping_option === undefined && !shipping_options.some((option) => option.id === chosen)
      ? (shipping_options[0]?.id ?? null)
      : chosen;
  const parts = { line_items, shipping_options, shipping_option, discounts, tax_amount };
  const amount = request.amount ?? (line_items.length === 0 ? before.amount : totalOf(parts));
  requireTotal(amount, currency);
  const money = { amount, ...parts };
  requireParts(money, currency);
  if (amount !== before.amount) checkAmount({ amount, currency });
  return money;
}

/** The parts that the request names. */
function given({ line_items, shipping_options, discounts, tax_amount }: UpdateCheckoutSession) {
  return {
    ...(line_items !== undefined && { line_items }),
    ...(shipping_options !== undefined && { shipping_options }),
    ...(discounts !== undefined && { discounts }),
    ...(tax_amount !== undefined && { tax_amount }),
  };
}

function requireNoMoney(request: UpdateCheckoutSession): null {
  const param = moneyFields.find((name) => name in request);
  if (param !== undefined) throw notInSetup(param);
  return null;
}

function namesMoney(request: UpdateCheckoutSession): boolean {
  return moneyFields.some((name) => name in request);
}

async function lockSession(tx: Tx, tenant: Tenant, id: string): Promise<Session> {
  return await tx
    .selectFrom("checkout_session")
    .selectAll()
    .where(ownedBy(tenant))
    .where("id", "=", id)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

export function moneyOf({
  amount,
  line_items,
  shipping_options,
  shipping_option,
  discounts,
  tax_amount,
}: Session): Money {
  if (amount === null) throw new Error("Bug: a payment session has no amount");
  return { amount, line_items, shipping_options, shipping_option, discounts, tax_amount };
}

function otherVersion({ id, version }: Session): ApiError {
  return new ApiError(
    "session_version_mismatch",
    `Checkout session ${id} is now at version ${version}. Retrieve it before you change it.`,
    { param: "if_version" },
  );
}

function changedTooOften({ id }: Session): ApiError {
  return new ApiError(
    "session_changed_too_often",
    `You have changed the amount of checkout session ${id} or its parts ${maxChanges} times, which is the maximum. Cancel the session and create another one.`,
  );
}

function rejectedWithMoney(): ApiError {
  return new ApiError(
    "parameter_invalid",
    "`reject` can't be combined with `amount` or its parts, which would accept the promotion code.",
    { param: "reject" },
  );
}
