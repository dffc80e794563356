/**
 * Tells returning customers from new ones.
 *
 * A customer is **returning** if this card, or this browser, has paid at this account before, and the payment was *proved*:
 * by a completed challenge at least a day ago, or because it wasn't refunded for 30 days. A browser counts only with at
 * most three cards, and only if the card that proves it paid in at most three browsers. Otherwise, a thief with a card of
 * their own could make many browsers known. Everyone else is **new**.
 */
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import { statement } from "../../platform/storage/statement.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownerColumns, type Tenant } from "../../platform/tenant.ts";
import { settingsFor, type NewCustomers, type RiskSettings } from "./settings.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** The time after which a completed challenge makes a customer a returning one. */
const afterChallengeMs = dayMs;
/** The time without a refund after which any payment is proved. Most cardholders have seen their statement by then. */
export const provedAfterMs = 30 * dayMs;
/** More cards than this in one browser aren't one customer's. */
const cardsPerDevice = 3;
/** A proving card in more browsers than this isn't one customer's. */
const devicesPerCard = 3;

export interface Payer {
  kind: NonNullable<Row<"decision">["payer"]>;
  /** How a returning customer was recognized. */
  knownBy: "card" | "device" | null;
  /** How the account admits new customers. */
  admission: NewCustomers;
}

/** How a customer is recognized. */
export interface PayerTraits {
  fingerprint: Buffer;
  /** The hash of the random ID that the checkout page stored in this browser; null without one. */
  device: Buffer | null;
}

/**
 * Finds out whether the customer has paid at this account before, and how the account admits new ones.
 *
 * @returns null if no risk rules apply
 */
export async function findPayer(
  { db, now, riskSettings }: Pick<PlatformContext, "db" | "now"> & { riskSettings: RiskSettings },
  tenant: Tenant,
  traits: PayerTraits,
): Promise<Payer | null> {
  const settings = settingsFor(riskSettings, tenant);
  if (settings === null) return null;
  const time = now().getTime();
  const [{ known_by, policy }] = (await find(db, {
    ...ownerColumns(tenant),
    ...traits,
    cards_per_device: cardsPerDevice,
    devices_per_card: devicesPerCard,
    challenged_before: new Date(time - afterChallengeMs),
    paid_before: new Date(time - provedAfterMs),
  })) as [Found]; // a select without a table returns one row
  const defaults = settings.newCustomers;
  return {
    kind: known_by === null ? "new" : "returning",
    knownBy: known_by,
    admission: { ...defaults, policy: policy ?? defaults.policy },
  };
}

/** The cards used in this browser at this account, with the one that is used now. */
const cardsOfDevice = /* sql */ `
  select count(*) as cards from (
    select fingerprint from payment_method
    where account_no = :account_no and livemode = :livemode and device = :device::bytea
    union
    select :fingerprint::bytea
  ) as used`;

const approvedAt = /* sql */ `(
  select max(finished_at) from attempt
  where account_no = :account_no and livemode = :livemode and decision_id = decision.id
    and kind = 'authorize' and status = 'approved'
)`;
const isChallenged = /* sql */ `(
  select bool_or(flow is not null and result = 'authenticated') from authentication
  where account_no = :account_no and livemode = :livemode and decision_id = decision.id
)`;
const isProvedDecision = /* sql */ `(
  select status = 'succeeded' and (
    ${approvedAt} <= :challenged_before and ${isChallenged}
    or ${approvedAt} <= :paid_before::timestamptz and amount_refunded + amount_refunding = 0
  )
  from charge
  where account_no = :account_no and livemode = :livemode and decision_id = decision.id
)`;

/**
 * Whether a stored card has a proved payment. The search leaves out cards that were stored too recently to have one, and
 * ends at the first proof, so cards with many payments don't make it slow. Every part returns a single value and looks up
 * one index. As a join, the parts could run in any order, and without statistics PostgreSQL may choose one that reads all
 * of the account's rows.
 */
const isProved = (condition: string) => /* sql */ `
  exists (
    select 1 from payment_method
    where account_no = :account_no and livemode = :livemode and ${condition}
      and created_at <= :challenged_before::timestamptz
      and (
        select bool_or(${isProvedDecision}) from decision
        where account_no = :account_no and livemode = :livemode and payment_method_id = payment_method.id
          and session_id is not null
      )
  )`;

interface Found {
  known_by: Payer["knownBy"];
  /** Null if the account hasn't chosen one. */
  policy: NewCustomers["policy"] | null;
}

const find = statement<Found>(/* sql */ `
  select
    case
      when ${isProved("fingerprint = :fingerprint::bytea")} then 'card'
      when (${cardsOfDevice}) <= :cards_per_device::integer and ${isProved(`device = :device::bytea and (
        select count(distinct other.device) from payment_method as other
        where other.account_no = :account_no and other.livemode = :livemode
          and other.fingerprint = payment_method.fingerprint
      ) <= :devices_per_card::integer`)} then 'device'
    end as known_by,
    (select policy from admission where account_no = :account_no and livemode = :livemode) as policy`);

/**
 * Whether the browser still has no more cards than one customer's, now that this payment's card is stored. Simultaneous
 * payments in one browser wait for each other until the transaction ends, so that each counts the cards of the others.
 */
export async function isStillKnown(tx: Tx, tenant: Tenant, traits: PayerTraits): Promise<boolean> {
  const owner = ownerColumns(tenant);
  await lockDevice(tx, { ...owner, device: traits.device });
  const [{ cards }] = (await countCards(tx, { ...owner, ...traits })) as [CardCount]; // a count returns one row
  return cards <= cardsPerDevice;
}

const lockDevice = statement(/* sql */ `
  select pg_advisory_xact_lock(
    hashtextextended(concat_ws(' ', :account_no::bigint, :livemode::boolean, :device::bytea), 0)
  )`);

interface CardCount {
  cards: number;
}

const countCards = statement<CardCount>(cardsOfDevice);
