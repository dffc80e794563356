/**
 * Payments as a person looks for them: newest first, narrowed by what can be seen of them, or by one text that is known
 * of them.
 *
 * However many there are, one page costs the same. What finds few by an index (an id, a text, a card's last digits) is
 * found by it. Everything else is looked through, newest first, so many payments at a time: a page may end before it is
 * full, and says how far it has looked and where to go on. What an index finds too much of is looked through as well,
 * since much of it is soon found.
 *
 * Every question names the merchant; what the texts and cards lead to is looked up among that merchant's own charges
 * only.
 */
import { sql, type RawBuilder } from "kysely";
import type { PaymentPage, PaymentRow, PaymentsQuery } from "@oriel/protocol/dashboard-payments";
import { toCharge } from "../charges/charge-object.ts";
import type { PlatformContext } from "../../platform/context.ts";
import { firstIdOf } from "../../platform/ids.ts";
import { customerEmail } from "../sessions/session-object.ts";
import type { Db } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { ownedBy, type Tenant } from "../../platform/tenant.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";

/** How many payments one page looks at. */
const lookedAt = 5_000;
/** What more than that is found of is looked through instead. */
const few = 1_000;

type Filters = Omit<PaymentsQuery, "limit" | "starting_after">;

/** @param startingAfter an id, or the cursor of the page before */
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

  const rows = await paymentRows(db, (charges) => {
    let fitting = inRange(charges.where(ownedBy(tenant)), range);
    if (candidates !== null) fitting = fitting.where(sql<boolean>`id = any(${candidates}::text[])`);
    else if (found !== null) fitting = fitting.where(found.isMeant);
    if (floor !== undefined) fitting = fitting.where("id", ">=", floor.id);
    if (filters.status !== undefined) fitting = fitting.where("status", "=", filters.status);
    if (filters.decline_code !== undefined) fitting = fitting.where("decline_code", "=", filters.decline_code);
    if (filters.currency !== undefined) fitting = fitting.where("currency", "=", filters.currency);
    if (filters.min_amount !== undefined) fitting = fitting.where("amount", ">=", Number(filters.min_amount));
    if (filters.max_amount !== undefined) fitting = fitting.where("amount", "<=", Number(filters.max_amount));
    return fitting;
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

/** Charges with what tells them apart for a person. @param choose which, of all there are: it names the merchant */
export function paymentRows(db: Db, choose: (charges: ReturnType<typeof allCharges>) => ReturnType<typeof allCharges>) {
  return (
    db
      .selectFrom(choose(allCharges(db)).as("charge"))
      .innerJoin("decision", "decision.id", "charge.decision_id")
      // Joined as it is, a brand that is rare would have all merchants' cards read for it. The test payment methods
      // have no row.
      .leftJoinLateral(
        ({ selectFrom }) =>
          selectFrom("payment_method")
            .select(["brand", "last4"])
            .whereRef("payment_method.id", "=", "charge.payment_method_id")
            .limit(1)
            .as("card"),
        (join) => join.onTrue(),
      )
      .leftJoin("checkout_session as session", "session.id", "charge.session_id")
      .selectAll("charge")
      .select(["card.brand", "card.last4", "decision.three_ds_result", customerEmail("session").as("customer_email")])
  );
}

type FoundPayment = Row<"charge"> & {
  brand: string | null;
  last4: string | null;
  customer_email: string | null;
} & Pick<Row<"decision">, "three_ds_result">;

export function toPaymentRow(row: FoundPayment): PaymentRow {
  const { brand, last4, customer_email, three_ds_result } = row;
  return { ...toCharge(row), brand, last4, customer_email, three_d_secure_result: three_ds_result };
}

function allCharges(db: Db) {
  return db.selectFrom("charge").selectAll();
}

/** Whether what fits may lie far apart. */
function isNarrow({ from: _from, to: _to, ...others }: Filters): boolean {
  return Object.values(others).some((value) => value !== undefined);
}

interface Range {
  from: string | null;
  to: string | null;
  before: string | null;
}

/** Ids sort by time. */
function rangeOf({ from, to }: Filters): Omit<Range, "before"> {
  const place = (seconds: string | undefined) =>
    seconds === undefined ? null : firstIdOf("ch", new Date(Number(seconds) * 1000));
  return { from: place(from), to: place(to) };
}

function inRange(charges: ReturnType<typeof allCharges>, { from, to, before }: Range) {
  let inside = charges;
  if (from !== null) inside = inside.where("id", ">=", from);
  if (to !== null) inside = inside.where("id", "<", to);
  if (before !== null) inside = inside.where("id", "<", before);
  return inside;
}

/**
 * The last charge that this page looks at. Undefined: it looks at all that are left. What has an index is looked at
 * alone.
 */
async function findFloor(db: Db, tenant: Tenant, { status, decline_code }: Filters, range: Range) {
  let looked = inRange(allCharges(db).where(ownedBy(tenant)), range)
    .clearSelect()
    .select("id");
  if (status !== undefined && status !== "succeeded") looked = looked.where("status", "=", status);
  if (decline_code !== undefined) looked = looked.where("decline_code", "=", decline_code);
  const last = looked
    .orderBy("id", "desc")
    .offset(lookedAt - 1)
    .limit(1);
  return await db.selectFrom("charge").select(["id", "created_at"]).where("id", "=", last).executeTakeFirst();
}

/** What an index leads to. */
interface Candidates {
  /** Charges, perhaps other merchants' too. Null: more than a few. */
  ids: string[] | null;
  /** The same, as a question about each charge. */
  isMeant: RawBuilder<boolean>;
}

/** Null: nothing was asked for that an index leads to. */
async function findCandidates(db: Db, tenant: Tenant, { search, last4 }: Filters): Promise<Candidates | null> {
  if (search !== undefined) return await findByText(db, tenant, search);
  if (last4 === undefined) return null;
  const cards = await db
    .selectFrom("payment_method")
    .select("id")
    .where(ownedBy(tenant))
    .where("last4", "=", last4)
    .orderBy("id", "desc")
    .limit(few)
    .execute();
  const ids = cards.length === few ? null : await chargesOfCards(db, tenant, cards.map(({ id }) => id)); // prettier-ignore
  return { ids, isMeant: sql<boolean>`true` }; // the last four digits themselves are looked at anyway
}

async function findByText(db: Db, tenant: Tenant, text: string): Promise<Candidates> {
  const id = text.trim();
  const named = await chargesNamed(db, tenant, id);
  const ofCard = id.startsWith("pm_") ? await chargesOfCards(db, tenant, [id]) : [];
  const term = sql<Buffer>`search_term_of(${tenant.accountId}, ${tenant.livemode}, ${text})`;
  const objects = await db
    .selectFrom("search_term")
    .select("object_id")
    .where("term", "=", term)
    .orderBy("object_id", "desc")
    .limit(few)
    .execute();
  const objectIds = objects.map(({ object_id }) => object_id);
  const ofSessions = await chargesOfSessions(db, tenant, objectIds.filter((id) => id.startsWith("cs_"))); // prettier-ignore
  const isMuch = ofCard === null || ofSessions === null || objectIds.length === few;
  return {
    ids: isMuch ? null : [...named, ...ofCard, ...ofSessions, ...objectIds.filter((id) => id.startsWith("ch_"))],
    isMeant: sql<boolean>`(
      id = any(${named}::text[]) or payment_method_id = ${id}
      or exists (select from search_term where term = ${term} and object_id in (charge.id, charge.session_id))
    )`,
  };
}

/** By the id of something that leads to a few charges at most. */
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
    case "evt_": {
      const events = db.selectFrom("event").select("object_id").where(ownedBy(tenant)).where("id", "=", id);
      const event = await events.executeTakeFirst();
      return event === undefined ? [] : await chargesNamed(db, tenant, event.object_id); // of a charge, a refund or a session
    }
    default:
      return [];
  }
}

/** Null: more than a few. */
async function chargesOfSessions(db: Db, tenant: Tenant, sessionIds: readonly string[]): Promise<string[] | null> {
  if (sessionIds.length === 0) return [];
  const charges = db.selectFrom("charge").select("id").where(ownedBy(tenant)).where("session_id", "in", sessionIds);
  const rows = await charges.orderBy("id", "desc").limit(few).execute();
  return rows.length === few ? null : rows.map(({ id }) => id);
}

/** Null: more than a few. */
async function chargesOfCards(db: Db, tenant: Tenant, paymentMethodIds: readonly string[]): Promise<string[] | null> {
  if (paymentMethodIds.length === 0) return [];
  const decisions = db
    .selectFrom("decision")
    .select("charge_id")
    .where(ownedBy(tenant))
    .where("payment_method_id", "in", paymentMethodIds);
  const rows = await decisions.orderBy("id", "desc").limit(few).execute();
  return rows.length === few ? null : rows.flatMap(({ charge_id }) => charge_id ?? []);
}
