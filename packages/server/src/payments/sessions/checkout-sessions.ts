/** The API's view of checkout sessions: create with a secret key, retrieve, list. */
import type { CheckoutSession, CreateCheckoutSession, CreatedCheckoutSession } from "@oriel/protocol/api";
import {
  checkAllowedOrigins,
  checkReturnAddress,
  checkReturnHost,
  checkWithinAccount,
  withAsciiHost,
} from "../../merchants/accounts/allowed-urls.ts";
import { checkAppearance } from "../../merchants/accounts/check-appearance.ts";
import { requireExpressible } from "../../merchants/accounts/live-mode.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError, missingInPath } from "../../platform/errors.ts";
import { claimedKey, keyArguments, keyValues, type NewKey } from "../../platform/idempotency/idempotency.ts";
import { successResponse } from "../../platform/idempotency/stored-response.ts";
import { newId } from "../../platform/ids.ts";
import { checkCurrency } from "../../platform/money/currency.ts";
import type { Db } from "../../platform/storage/database.ts";
import { listPage, type PageRequest } from "../../platform/storage/list-page.ts";
import { ownedBy, sameOwner } from "../../platform/storage/owned-by.ts";
import { statement } from "../../platform/storage/statement.ts";
import { storedFunction } from "../../platform/storage/stored-function.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { newEmbedUrl } from "./embed-url.ts";
import { notInSetup, onlyInPayment, partsAsJson, requireParts, type Parts } from "./session-money.ts";
import { toCheckoutSession } from "./session-object.ts";

/** An account's settings that apply to its sessions. */
export type SessionDefaults = Pick<Row<"account">, "allowed_origins" | "return_url_hosts" | "appearance"> & {
  /** The current acquirer account. */
  acquirer_account_id: string | null;
};

/**
 * Validates what the schema can't express. Runs before the idempotency key is claimed.
 *
 * @returns the account's settings, for {@link createCheckoutSession}
 * @throws ApiError that names the field
 */
export async function checkCheckoutSession(
  context: Pick<PlatformContext, "db" | "vault" | "acquirerAccounts" | "config">,
  tenant: Tenant,
  request: CreateCheckoutSession,
): Promise<SessionDefaults> {
  checkMoney(request);
  checkAppearance(request);
  const { currency } = request;
  const { allowed_origins, return_url, cancel_url } = urlsOf(request);
  if (return_url !== undefined) checkReturnAddress(return_url, "return_url", tenant.livemode);
  if (cancel_url !== undefined) checkReturnAddress(cancel_url, "cancel_url", tenant.livemode);
  if (allowed_origins !== undefined) checkAllowedOrigins(allowed_origins, tenant.livemode);
  const [account] = await readDefaults(context.db, ownerColumns(tenant));
  if (account === undefined) throw new Error(`Bug: there is no account with the number ${tenant.accountNo}`);
  if (return_url !== undefined) checkReturnHost(return_url, "return_url", account.return_url_hosts);
  if (cancel_url !== undefined) checkReturnHost(cancel_url, "cancel_url", account.return_url_hosts);
  if (allowed_origins !== undefined) checkWithinAccount(allowed_origins, account.allowed_origins);
  if (currency !== undefined)
    await requireExpressible(context, tenant, account.acquirer_account_id, { amount: request.amount ?? 0, currency });
  return account;
}

/** The request's origins and URLs as they're stored. */
function urlsOf({ allowed_origins, return_url, cancel_url }: CreateCheckoutSession) {
  return {
    allowed_origins: allowed_origins?.map(withAsciiHost),
    return_url: return_url && withAsciiHost(return_url),
    cancel_url: cancel_url && withAsciiHost(cancel_url),
  };
}

const readDefaults = statement<SessionDefaults>(/* sql */ `
  select allowed_origins, return_url_hosts, appearance, acquirer_account.id as acquirer_account_id
  from account
  left join acquirer_account on acquirer_account.account_no = :account_no and acquirer_account.livemode = :livemode
    and acquirer_account.replaced_at is null
  where account.account_no = :account_no`);

/** In `payment` mode, the parts must add up to the amount. In `setup` mode, payment options aren't allowed. */
function checkMoney({ mode, amount, currency, ...request }: CreateCheckoutSession): void {
  if (currency !== undefined) checkCurrency(currency);
  if (mode === "setup") {
    for (const param of onlyInPayment) if (request[param] !== undefined) throw notInSetup(param);
    if (request.confirmation === "server") throw notInSetup("confirmation");
    if (request.collect?.promotion_code === true) throw notInSetup("collect.promotion_code");
    return;
  }
  if (amount === undefined) throw missing("amount");
  if (currency === undefined) throw missing("currency");
  requireParts({ amount, ...partsOf(request) }, currency);
}

function missing(param: string): ApiError {
  return new ApiError("parameter_missing", `\`${param}\` is missing.`, { param });
}

/** The parts of the amount as they're stored. */
function partsOf({ line_items = [], shipping_options = [], ...request }: CreateCheckoutSession): Parts {
  return {
    line_items,
    shipping_options,
    shipping_option: request.shipping_option ?? shipping_options[0]?.id ?? null,
    discounts: request.discounts ?? [],
    tax_amount: request.tax_amount ?? null,
  };
}

/** Exported for `stored-functions.ts`. */
export const insert = storedFunction<{ created: boolean }>("create_session", {
  takes: {
    account_no: "bigint",
    livemode: "boolean",
    ...keyArguments,
    id: "text",
    client_secret_hash: "bytea",
    status: "text",
    payment_status: "text",
    mode: "text",
    amount: "bigint",
    currency: "text",
    capture_method: "text",
    save_payment_method: "boolean",
    submit_button: "text",
    locale: "text",
    appearance: "jsonb",
    line_items: "jsonb",
    shipping_options: "jsonb",
    shipping_option: "text",
    discounts: "jsonb",
    tax_amount: "bigint",
    collects_promotion_code: "boolean",
    confirmation: "text",
    allowed_origins: "text[]",
    return_url: "text",
    cancel_url: "text",
    description: "text",
    customer: "jsonb",
    metadata: "jsonb",
    expires_at: "timestamptz",
    created_at: "timestamptz",
  },
  returns: "created boolean",
  steps: /* sql */ `
    ${claimedKey}
    insert into checkout_session (account_no, livemode, id, client_secret_hash, status, payment_status, mode, amount,
      currency, capture_method, save_payment_method, submit_button, locale, appearance, line_items, shipping_options,
      shipping_option, discounts, tax_amount, collects_promotion_code, confirmation, allowed_origins, return_url, cancel_url, description,
      customer, metadata, expires_at, created_at)
    values (:account_no, :livemode, :id, :client_secret_hash, :status, :payment_status, :mode, :amount,
      :currency, :capture_method, :save_payment_method, :submit_button, :locale, :appearance, :line_items, :shipping_options,
      :shipping_option, :discounts, :tax_amount, :collects_promotion_code, :confirmation, :allowed_origins, :return_url, :cancel_url,
      :description, :customer, :metadata, :expires_at, :created_at);
    return query select true;`,
});

/**
 * Creates a session and, if the request has a key, stores its response under the key.
 *
 * @param request has passed {@link checkCheckoutSession}
 * @param onlyOrigin the only origin that may embed this session, which overrides the request and the account. The
 * dashboard sets it to its own origin to test a checkout
 * @returns undefined if another request has the key; nothing was changed
 */
export async function createCheckoutSession(
  context: Pick<PlatformContext, "config" | "now" | "keys">,
  db: Db,
  tenant: Tenant,
  request: CreateCheckoutSession,
  defaults: SessionDefaults,
  { key = null, onlyOrigin }: { key?: NewKey | null; onlyOrigin?: string } = {},
): Promise<CreatedCheckoutSession | undefined> {
  const createdAt = context.now();
  const id = newId("cs", createdAt, tenant);
  const { embed_url, client_secret_hash } = newEmbedUrl(context, id);
  const mode = request.mode ?? "payment";
  const { allowed_origins, return_url, cancel_url } = urlsOf(request);
  const row: Omit<Row<"checkout_session">, "payment_round" | "version_claimed_by"> = {
    id,
    ...ownerColumns(tenant),
    client_secret_hash,
    mode,
    status: "open",
    payment_status: mode === "setup" ? "none" : "unpaid",
    amount: request.amount ?? null,
    currency: request.currency ?? null,
    capture_method: request.capture_method ?? "automatic",
    save_payment_method: request.save_payment_method ?? false,
    submit_button: request.submit_button ?? "built-in",
    ...partsOf(request),
    version: 1,
    shipping_choices: 0,
    collects_promotion_code: request.collect?.promotion_code ?? false,
    promotion_code: null,
    promotion_code_status: null,
    promotion_code_reason: null,
    promotion_code_entered_at: null,
    promotion_code_entries: 0,
    promotion_codes_without_effect: 0,
    confirmation: request.confirmation ?? "automatic",
    allowed_origins: onlyOrigin === undefined ? (allowed_origins ?? originsFor(tenant, defaults)) : [onlyOrigin],
    return_url: return_url ?? null,
    cancel_url: cancel_url ?? null,
    description: request.description ?? null,
    customer: request.customer ?? null,
    locale: request.locale ?? null,
    appearance: request.appearance ?? defaults.appearance,
    metadata: request.metadata ?? {},
    failed_payments: 0,
    payment_decision_id: null,
    expires_at: new Date(createdAt.getTime() + (request.expires_after_minutes ?? 60) * 60_000),
    created_at: createdAt,
  };
  const created = { session: toCheckoutSession(row, createdAt), embed_url };
  const [inserted] = await insert(db, {
    ...keyValues(context, tenant, key, { response: successResponse(created) }),
    ...row,
    ...partsAsJson(row),
  });
  return inserted && created;
}

export async function retrieveCheckoutSession(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  tenant: Tenant,
  id: string,
): Promise<CheckoutSession> {
  return toCheckoutSession(await findSession(db, tenant, id), now());
}

export async function listCheckoutSessions(
  { db, now }: Pick<PlatformContext, "db" | "now">,
  tenant: Tenant,
  page: PageRequest,
) {
  return await listPage(page, "checkout_session", ownSessions(db, tenant), (row) => toCheckoutSession(row, now()));
}

/** The account's origins apply to both modes, except for http origins, which apply only to test mode. */
function originsFor({ livemode }: Tenant, { allowed_origins }: SessionDefaults): string[] {
  return livemode ? allowed_origins.filter((origin) => origin.startsWith("https:")) : allowed_origins;
}

/** @throws ApiError 404 `resource_missing` */
export async function findSession(db: Db, tenant: Tenant, id: string) {
  const row = await ownSessions(db, tenant).where("id", "=", id).executeTakeFirst();
  if (row === undefined) throw missingInPath("checkout session", id);
  return row;
}

/**
 * The merchant's sessions, each with the payment method that the merchant may see: the one to charge once its decision
 * is approved, or the saved one.
 */
function ownSessions(db: Db, tenant: Tenant) {
  return db
    .selectFrom("checkout_session")
    .selectAll()
    .select((eb) =>
      eb
        .selectFrom("decision")
        .innerJoin("payment_method", (join) =>
          join
            .onRef("payment_method.id", "=", "decision.payment_method_id")
            .on(sameOwner("payment_method", "decision")),
        )
        .select("payment_method.id")
        .where(ownedBy(tenant, "decision"))
        .whereRef("decision.id", "=", "checkout_session.payment_decision_id")
        .where(({ eb: is, or, and, ref }) =>
          or([
            is("payment_method.reusable", "=", true),
            and([
              is(ref("checkout_session.confirmation"), "=", "server"),
              is(ref("checkout_session.amount"), ">", 0),
              is("decision.status", "in", ["approved", "consumed"]),
            ]),
          ]),
        )
        .as("shown_payment_method_id"),
    )
    .where(ownedBy(tenant));
}
