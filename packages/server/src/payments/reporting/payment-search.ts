/**
 * The search behind the dashboard's payments list. Each row is a charge, newest first. They can be filtered by visible
 * properties or by search text.
 *
 * A page costs the same regardless of the number of charges. If an index narrows the search to a few charges (an ID, a
 * text, a card's last digits), the index is used. Otherwise, the charges are scanned from the newest on, a fixed number
 * per page. A page may then end before it's full, and reports how far it searched and where to continue. If an index
 * finds too many charges, the charges are scanned instead, because matches are then frequent.
 *
 * A search text can be several things at once: `1234` is a word, four digits of a card and an amount. A charge matches
 * if any of them applies.
 *
 * Every query filters by merchant. Charges found by text or card are scanned up among that merchant's own charges only.
 */
import { sql, type RawBuilder } from "kysely";
import type { PaymentPage, PaymentRow, PaymentsQuery } from "@oriel/protocol/dashboard/payments";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import type { Db } from "../../platform/storage/database.ts";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { toCharge } from "../charges/charge-object.ts";
import { amountsIn, type SearchedAmount } from "./amounts-in.ts";
import { orderNumberIn } from "./order-number.ts";

/** The number of charges that one page scans. */
const scannedPerPage = 5_000;
/** If an index finds this many charges or more, they are scanned instead. */
const maxCandidates = 1_000;
/** The number of words of a search text that are considered. */
const maxWords = 8;

type Filters = Omit<PaymentsQuery, "limit" | "starting_after">;

/** @param startingAfter a charge ID, or the cursor of the previous page */
export async function searchPayments(
  { db }: Pick<PlatformContext, "db">,
  tenant: Tenant,
  filters: Filters,
  { limit, startingAfter }: { limit: number; startingAfter: string | null },
): Promise<PaymentPage> {
  const found = await findCandidates(db, tenant, filters);
  if (found !== null && found.ids?.length === 0) return { data: [], has_more: false, cursor: null, searched_to: null };
  const range = { ...rangeOf(filters), before: startingAfter };
  const candidates = found?.ids ?? null;
  const floor = candidates === null && isNarrow(filters) ? await findFloor(db, tenant, filters, range) : undefined;

  const rows = await chargeRows(db, tenant, (charges) => {
    let matching = inRange(charges, range);
    if (candidates !== null) matching = matching.where(sql<boolean>`id = any(${candidates}::text[])`);
    if (found !== null) matching = matching.where(found.matches);
    if (floor !== undefined) matching = matching.where("id", ">=", floor.id);
    if (filters.status !== undefined) matching = matching.where("status", "=", filters.status);
    if (filters.decline_code !== undefined) matching = matching.where("decline_code", "=", filters.decline_code);
    if (filters.currency !== undefined) matching = matching.where("currency", "=", filters.currency);
    if (filters.min_amount !== undefined) matching = matching.where("amount", ">=", Number(filters.min_amount));
    if (filters.max_amount !== undefined) matching = matching.where("amount", "<=", Number(filters.max_amount));
    return matching;
  })
    .$if(filters.last4 !== undefined, (query) => query.where("card.last4", "=", filters.last4 ?? ""))
    .$if(filters.brand !== undefined, (query) => query.where("card.brand", "=", filters.brand ?? ""))
    .orderBy("charge.id", "desc")
    .limit(limit + 1)
    .execute();

  const data = rows.slice(0, limit).map(toPaymentRow);
  if (rows.length > limit) return { data, has_more: true, cursor: data.at(-1)?.id ?? null, searched_to: null };
  if (floor === undefined) return { data, has_more: false, cursor: null, searched_to: null };
  return { data, has_more: true, cursor: floor.id, searched_to: unixSeconds(floor.created_at) };
}

/**
 * Returns the merchant's charges with the card, customer, order and 3-D Secure result shown in lists. The order's items
 * are those of the version that the charge is for.
 *
 * @param choose selects the charges
 */
export function chargeRows(
  db: Db,
  tenant: Tenant,
  choose: (charges: ReturnType<typeof ownCharges>) => ReturnType<typeof ownCharges>,
) {
  return (
    db
      .selectFrom(choose(ownCharges(db, tenant)).as("charge"))
      // Every charge has a decision. But with an inner join PostgreSQL expects few rows, and sorts all charges for a page.
      .leftJoin("decision", (join) =>
        join.onRef("decision.id", "=", "charge.decision_id").on(ownedBy(tenant, "decision")),
      )
      // A plain join would read the cards of all merchants for a rare brand. Test payment methods have no row.
      .leftJoinLateral(
        ({ selectFrom }) =>
          selectFrom("payment_method")
            .select(["brand", "last4", "session_id"])
            .where(ownedBy(tenant))
            .whereRef("payment_method.id", "=", "charge.payment_method_id")
            .limit(1)
            .as("card"),
        (join) => join.onTrue(),
      )
      .leftJoin("checkout_session as session", (join) =>
        join.onRef("session.id", "=", "charge.session_id").on(ownedBy(tenant, "session")),
      )
      // Only versions that were replaced have a row.
      .leftJoin("session_version as replaced", (join) =>
        join
          .onRef("replaced.session_id", "=", "charge.session_id")
          .on(ownedBy(tenant, "replaced"))
          .on(sql<boolean>`replaced.version = coalesce(charge.session_version, 1)`),
      )
      .leftJoin("checkout_session as saving", (join) =>
        join
          .onRef("saving.id", "=", "card.session_id")
          .on(ownedBy(tenant, "saving"))
          .on("charge.session_id", "is", null),
      )
      .selectAll("charge")
      .select(["card.brand", "card.last4", "decision.three_ds_result"])
      .select(["session.description", "session.metadata as session_metadata"])
      .select(({ fn }) => fn.coalesce("session.customer", "saving.customer").as("customer"))
      .select([
        sql<string | null>`coalesce(replaced.line_items, session.line_items) -> 0 ->> 'name'`.as("first_item"),
        sql<number | null>`jsonb_array_length(coalesce(replaced.line_items, session.line_items))`.as("item_count"),
      ])
  );
}

type FoundCharge = Row<"charge"> &
  Pick<Row<"decision">, "three_ds_result"> &
  Pick<Row<"checkout_session">, "customer" | "description"> & {
    brand: string | null;
    last4: string | null;
    session_metadata: Record<string, string> | null;
    first_item: string | null;
    item_count: number | null;
  };

export function toPaymentRow(row: FoundCharge): PaymentRow {
  const { brand, last4, customer, description, session_metadata, first_item, item_count, three_ds_result } = row;
  return {
    ...toCharge(row),
    brand,
    last4,
    customer_email: customer?.email ?? null,
    customer_name: customer?.name ?? null,
    customer_reference: customer?.reference ?? null,
    order: {
      number: orderNumberIn(session_metadata ?? {}) ?? orderNumberIn(row.metadata),
      description,
      first_item,
      item_count: item_count ?? 0,
    },
    session_metadata: session_metadata ?? {},
    three_d_secure_result: three_ds_result,
  };
}

function ownCharges(db: Db, tenant: Tenant) {
  return db.selectFrom("charge").selectAll().where(ownedBy(tenant));
}

/** Whether the filters are so selective that matches may be far apart. */
function isNarrow({ from: _from, to: _to, ...others }: Filters): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

interface Range {
  from: string | null;
  to: string | null;
  before: string | null;
}

/** IDs sort by time. */
function rangeOf({ from, to }: Filters): Omit<Range, "before"> {
  const place = (seconds: string | undefined) =>
    seconds === undefined ? null : firstIdOf("ch", new Date(Number(seconds) * 1000));
  return { from: place(from), to: place(to) };
}

function inRange(charges: ReturnType<typeof ownCharges>, { from, to, before }: Range) {
  let inside = charges;
  if (from !== null) inside = inside.where("id", ">=", from);
  if (to !== null) inside = inside.where("id", "<", to);
  if (before !== null) inside = inside.where("id", "<", before);
  return inside;
}

/**
 * Finds the last charge that this page scans. Filters that have an index narrow the scan.
 *
 * @returns undefined if the page scans all remaining charges
 */
async function findFloor(db: Db, tenant: Tenant, { status, decline_code }: Filters, range: Range) {
  let scanned = inRange(ownCharges(db, tenant), range).clearSelect().select("id");
  if (status !== undefined && status !== "succeeded") scanned = scanned.where("status", "=", status);
  if (decline_code !== undefined) scanned = scanned.where("decline_code", "=", decline_code);
  const last = scanned
    .orderBy("id", "desc")
    .offset(scannedPerPage - 1)
    .limit(1);
  return await db
    .selectFrom("charge")
    .select(["id", "created_at"])
    .where(ownedBy(tenant))
    .where("id", "=", last)
    .executeTakeFirst();
}

/** Charges found through an index. */
interface Candidates {
  /** Charge IDs, which may include other merchants' charges and charges that don't match. Null if there are too many. */
  ids: string[] | null;
  /** The exact condition as an SQL expression on a charge. */
  matches: RawBuilder<boolean>;
}

/** @returns null if no filter has an index to search */
async function findCandidates(db: Db, tenant: Tenant, { search, last4 }: Filters): Promise<Candidates | null> {
  if (search !== undefined) return await findByText(db, tenant, search);
  return last4 === undefined ? null : await findByLast4(db, tenant, last4);
}

async function findByText(db: Db, tenant: Tenant, text: string): Promise<Candidates> {
  const whole = text.trim();
  const found = [await findById(db, tenant, whole)];
  const words = isObjectId.test(text) || isEmailAddress.test(text) ? null : await wordsOf(db, text);
  // A single word is the whole text.
  if (words?.length !== 1 || words[0] !== whole.toLowerCase()) found.push(await findByTerm(db, tenant, text));
  if (words !== null) {
    found.push(await findByWords(db, tenant, words));
    for (const amount of amountsIn(text)) found.push(await findByAmount(db, tenant, amount));
  }
  return {
    ids: together(found.map(({ ids }) => ids)),
    matches: sql`(${sql.join(found.map(({ matches }) => matches), sql` or `)})`, // prettier-ignore
  };
}

/** Sorted, so that every page of a search considers the same words. */
async function wordsOf(db: Db, text: string): Promise<string[]> {
  const { rows } = await sql<{
    word: string;
  }>`select word from search_words_of(${text}) order by word limit ${maxWords}`.execute(db);
  return rows.map(({ word }) => word);
}

const isObjectId = /^\s*(ch|cs|dec|pm|re|evt)_/;
const isEmailAddress = /^\s*[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)+\s*$/;

async function findById(db: Db, tenant: Tenant, id: string): Promise<Candidates> {
  const named = await chargesNamed(db, tenant, id);
  const ofCard = id.startsWith("pm_") ? await chargesOfCards(db, tenant, [id]) : [];
  return {
    ids: together([named, ofCard]),
    matches: sql`(id = any(${named}::text[]) or payment_method_id = ${id})`,
  };
}

/** Finds charges with a word or a whole text that the merchant or the customer's session gave them. */
async function findByTerm(db: Db, tenant: Tenant, text: string): Promise<Candidates> {
  const term = sql<Buffer>`search_term_of(${text})`;
  const objects = await db
    .selectFrom("search_term")
    .select("object_id")
    .where(ownedBy(tenant))
    .where("term", "=", term)
    .orderBy("object_id", "desc")
    .limit(maxCandidates)
    .execute();
  const objectIds = objects.map(({ object_id }) => object_id);
  const sessionIds = objectIds.filter((id) => id.startsWith("cs_"));
  const isTooMany = objectIds.length === maxCandidates;
  return {
    ids: isTooMany
      ? null
      : together([await chargesOfSessions(db, tenant, sessionIds), objectIds.filter((id) => id.startsWith("ch_"))]),
    matches: sql`exists (
      select 1 from search_term
       where ${ownedBy(tenant)} and term = ${term} and object_id in (charge.id, charge.session_id))`,
  };
}

/** Finds charges with all words. The rarest word determines the candidates. */
async function findByWords(db: Db, tenant: Tenant, words: readonly string[]): Promise<Candidates> {
  const found: Candidates[] = [];
  for (const word of words) {
    const byTerm = await findByTerm(db, tenant, word);
    const byCard = /^\d{4}$/.test(word) ? await findByLast4(db, tenant, word) : null;
    found.push(
      byCard === null
        ? byTerm
        : { ids: together([byTerm.ids, byCard.ids]), matches: sql`(${byTerm.matches} or ${byCard.matches})` },
    );
  }
  if (found.length === 0) return { ids: [], matches: sql`false` };
  const known = found.flatMap(({ ids }) => (ids === null ? [] : [ids])).sort((a, b) => a.length - b.length);
  return {
    ids: known[0] ?? null,
    matches: sql`(${sql.join(found.map(({ matches }) => matches), sql` and `)})`, // prettier-ignore
  };
}

async function findByLast4(db: Db, tenant: Tenant, last4: string): Promise<Candidates> {
  const cards = await db
    .selectFrom("payment_method")
    .select("id")
    .where(ownedBy(tenant))
    .where("last4", "=", last4)
    .orderBy("id", "desc")
    .limit(maxCandidates)
    .execute();
  return {
    ids: cards.length === maxCandidates ? null : await chargesOfCards(db, tenant, cards.map(({ id }) => id)), // prettier-ignore
    matches: sql`exists (
      select 1 from payment_method card
       where ${ownedBy(tenant, "card")} and card.id = charge.payment_method_id and card.last4 = ${last4})`,
  };
}

async function findByAmount(db: Db, tenant: Tenant, { amount, currencies }: SearchedAmount): Promise<Candidates> {
  const rows = await db
    .selectFrom("charge")
    .select(["id", "currency"])
    .where(ownedBy(tenant))
    .where("amount", "=", amount)
    .orderBy("id", "desc")
    .limit(maxCandidates)
    .execute();
  return {
    ids:
      rows.length === maxCandidates
        ? null
        : rows.filter(({ currency }) => currencies.includes(currency)).map(({ id }) => id),
    matches: sql`(amount = ${amount} and currency = any(${[...currencies]}::text[]))`,
  };
}

/** @returns null if any of the lists is too long */
function together(lists: readonly (string[] | null)[]): string[] | null {
  const known = lists.filter((list) => list !== null);
  return known.length < lists.length ? null : known.flat();
}

/** Finds charges by the ID of an object that belongs to only a few charges. */
async function chargesNamed(db: Db, tenant: Tenant, id: string): Promise<string[]> {
  switch (id.slice(0, id.indexOf("_") + 1)) {
    case "ch_":
      return [id];
    case "cs_":
      return (await chargesOfSessions(db, tenant, [id])) ?? [];
    case "dec_": {
      const charges = db.selectFrom("charge").select("id").where(ownedBy(tenant)).where("decision_id", "=", id);
      return (await charges.execute()).map((charge) => charge.id);
    }
    case "re_": {
      const refunds = db.selectFrom("refund").select("charge_id").where(ownedBy(tenant)).where("id", "=", id);
      return (await refunds.execute()).map(({ charge_id }) => charge_id);
    }
    case "dp_": {
      const disputes = db.selectFrom("dispute").select("charge_id").where(ownedBy(tenant)).where("id", "=", id);
      return (await disputes.execute()).map(({ charge_id }) => charge_id);
    }
    case "na_": {
      const items = db.selectFrom("attention").select("charge_id").where(ownedBy(tenant)).where("id", "=", id);
      return (await items.execute()).flatMap(({ charge_id }) => charge_id ?? []);
    }
    case "evt_": {
      const events = db.selectFrom("event").select("object_id").where(ownedBy(tenant)).where("id", "=", id);
      const event = await events.executeTakeFirst();
      return event === undefined ? [] : await chargesNamed(db, tenant, event.object_id);
    }
    default:
      return [];
  }
}

/** @returns null if there are too many */
async function chargesOfSessions(db: Db, tenant: Tenant, sessionIds: readonly string[]): Promise<string[] | null> {
  if (sessionIds.length === 0) return [];
  const charges = db.selectFrom("charge").select("id").where(ownedBy(tenant)).where("session_id", "in", sessionIds);
  const rows = await charges.orderBy("id", "desc").limit(maxCandidates).execute();
  return rows.length === maxCandidates ? null : rows.map(({ id }) => id);
}

/** @returns null if there are too many */
async function chargesOfCards(db: Db, tenant: Tenant, paymentMethodIds: readonly string[]): Promise<string[] | null> {
  if (paymentMethodIds.length === 0) return [];
  const decisions = db
    .selectFrom("decision")
    .select("charge_id")
    .where(ownedBy(tenant))
    .where("payment_method_id", "in", paymentMethodIds);
  const rows = await decisions.orderBy("id", "desc").limit(maxCandidates).execute();
  return rows.length === maxCandidates ? null : rows.flatMap(({ charge_id }) => charge_id ?? []);
}
