/**
 * What happened at the shop before the simulation: payments 30 to 37 days ago, whose customers return, and the number of
 * payments of the last weeks. Written directly into the tables, because simulating them would take hours.
 */
import { sql } from "kysely";
import type { Chance } from "../../trials/chance.ts";
import { newId } from "../../packages/server/src/platform/ids.ts";
import { ownerColumns } from "../../packages/server/src/platform/tenant.ts";
import { population, type SimulatedCard, type World } from "./world.ts";

const hourMs = 60 * 60 * 1000;
const dayMs = 24 * hourMs;
const days = 7;
const atOnce = 500;

/** @returns the cards of the customers, who now are returning ones */
export async function writeHistory(
  { context, tenant, newCard }: World,
  perHour: number,
  chance: Chance,
): Promise<SimulatedCard[]> {
  const { db } = context;
  const owner = ownerColumns(tenant);
  const startedAt = context.now().getTime();
  const cards: SimulatedCard[] = [];
  for (let written = 0; written < perHour * 24 * days; written += atOnce) {
    const rows = Array.from({ length: Math.min(atOnce, perHour * 24 * days - written) }, (_, n) => {
      const created_at = new Date(startedAt - (30 + days) * dayMs + ((written + n) / perHour) * hourMs);
      const id = (prefix: "cs" | "pm" | "dec" | "ch" | "att") => newId(prefix, created_at, tenant);
      const card = newCard({
        isEnrolled: chance.happens(population.enrolled),
        isAsked: chance.happens(population.asked),
      });
      cards.push(card);
      const ids = { session: id("cs"), method: id("pm"), decision: id("dec"), charge: id("ch"), attempt: id("att") };
      return { ...ids, card, created_at, has_token: chance.happens(population.newCustomers) };
    });
    await db
      .insertInto("checkout_session")
      .values(
        rows.map(({ session, decision, created_at }) => ({
          ...owner,
          id: session,
          client_secret_hash: Buffer.alloc(32),
          status: "complete" as const,
          payment_status: "paid" as const,
          mode: "payment" as const,
          amount: 4900,
          currency: "eur",
          capture_method: "automatic" as const,
          save_payment_method: false,
          line_items: "[]",
          confirmation: "automatic" as const,
          allowed_origins: [],
          metadata: "{}",
          payment_decision_id: decision,
          expires_at: created_at,
          created_at,
        })),
      )
      .execute();
    await db
      .insertInto("payment_method")
      .values(
        rows.map(({ method, session, card, created_at }) => ({
          ...owner,
          id: method,
          session_id: session,
          brand: "visa",
          last4: "4242",
          exp_month: 12,
          exp_year: 2040,
          fingerprint: card.fingerprint,
          card_erased_at: created_at,
          created_at,
        })),
      )
      .execute();
    await db
      .insertInto("decision")
      .values(
        rows.map(({ decision, session, method, charge, has_token, created_at }) => ({
          ...owner,
          id: decision,
          session_id: session,
          payment_method_id: method,
          status: "consumed" as const,
          amount: 4900,
          currency: "eur",
          risk_level: "normal" as const,
          risk_reasons: [],
          payer: has_token ? ("new" as const) : ("returning" as const),
          has_token,
          charge_id: charge,
          expires_at: created_at,
          created_at,
        })),
      )
      .execute();
    await db
      .insertInto("charge")
      .values(
        rows.map(({ charge, session, method, decision, created_at }) => ({
          ...owner,
          id: charge,
          session_id: session,
          payment_method_id: method,
          decision_id: decision,
          status: "succeeded" as const,
          amount: 4900,
          currency: "eur",
          amount_captured: 4900,
          capture_method: "automatic" as const,
          metadata: "{}",
          created_at,
        })),
      )
      .execute();
    await db
      .insertInto("attempt")
      .values(
        rows.map(({ attempt, decision, charge, created_at }) => ({
          ...owner,
          id: attempt,
          kind: "authorize" as const,
          decision_id: decision,
          charge_id: charge,
          amount: 4900,
          status: "approved" as const,
          next_ask_at: created_at,
          created_at,
          finished_at: created_at,
        })),
      )
      .execute();
  }
  // The risk rules remember the attempts of the last 30 days.
  await sql`
    insert into card_try (account_no, livemode, decision_id, session_id, fingerprint, amount, currency, outcome, created_at)
    select ${owner.account_no}::bigint, ${owner.livemode}::boolean, 'history ' || n, 'history ' || n,
      convert_to('history ' || n, 'UTF8'), 4900, 'eur', 'approved', ${context.now()}::timestamptz - n * ${`${3600 / perHour} seconds`}::interval
    from generate_series(1, ${perHour * 24 * 28}::integer) as n`.execute(db);
  // Earlier payments have already refilled the bucket.
  await db
    .insertInto("admission")
    .values({
      ...owner,
      policy: null,
      bucket_size: 40,
      tokens: 40,
      refilled: 0,
      daily_cap: perHour * 24,
      matured_until: new Date(startedAt - 30 * dayMs),
      updated_at: context.now(),
    })
    .execute();
  return cards;
}
