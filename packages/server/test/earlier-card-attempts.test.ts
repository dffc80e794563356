/** Tests that an upgrade from the first version of the schema keeps counting its card attempts by card and network. */
import { sql } from "kysely";
import { afterAll, expect, it } from "vitest";
import { closersFor } from "../../../scripts/test/closers-for.ts";
import { sharedCard } from "../src/payments/risk/shared-tries.ts";
import { openDatabase } from "../src/platform/storage/database.ts";
import { serviceMigrations } from "../src/platform/storage/migrate.ts";
import { freshDatabase } from "./setup/test-service.ts";

const closers = closersFor(afterAll);

it("counts the card attempts of the first version", async () => {
  const { db, close } = await openDatabase(await freshDatabase(closers));
  closers.push(close);
  await sql.raw(serviceMigrations["0001_first"] ?? "").execute(db);
  const fingerprint = Buffer.from("a card");
  const created_at = new Date("2026-06-01T12:00:00Z");
  for (const livemode of [true, false]) {
    await sql`
      insert into card_try (account_no, livemode, decision_id, fingerprint, network, amount, currency, outcome, created_at)
      values (562949953433657, ${livemode}, ${`live: ${livemode}`}, ${fingerprint}, '203.0.113.7', 1, 'eur',
        ${livemode ? "declined" : "approved"}, ${created_at})`.execute(db);
  }
  await sql.raw(serviceMigrations["0002_card_testing"] ?? "").execute(db);
  const shared = { network: "203.0.113.7", created_at };
  const test = { accountNo: 562949953433657, livemode: false };
  expect(await db.selectFrom("shared_try").selectAll().orderBy("livemode").execute()).toEqual([
    { ...shared, decision_id: "live: false", livemode: false, card: sharedCard(test, fingerprint), is_declined: false },
    { ...shared, decision_id: "live: true", livemode: true, card: fingerprint, is_declined: true },
  ]);
});
