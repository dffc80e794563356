/**
 * Tests an attacker with write access to the database who moves a saved card to another merchant. The card isn't
 * charged there, and the audit log names the account that tried.
 */
import { sql } from "kysely";
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { resumeAttempts } from "../src/payments/flow/recovery.ts";
import { addFaults, clearFaults, readLedger } from "./setup/bank-ledger.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { storedCards } from "./setup/vault-counts.ts";
import { moveToAccount } from "./setup/without-foreign-keys.ts";

const refused: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "processing_error" };

const service = await openForTests(startTestService({ role: "api" }));
let owner: Merchant;
let thief: Merchant;
beforeEach(async () => {
  owner = await newMerchant(service);
  thief = await newMerchant(service);
});

async function savedCard(): Promise<string> {
  const checkout = await owner.checkout({ mode: "setup", amount: undefined, currency: undefined });
  await checkout.pay(cardNumbers.approved);
  return String((await checkout.session())["payment_method_id"]);
}

const moveRow = (table: "payment_method" | "decision" | "charge" | "attempt", id: string, to: Merchant) =>
  moveToAccount(service.context.db, table, id, to.tenant.accountNo);
const move = (id: string, to: Merchant) => moveRow("payment_method", id, to);

const auditOf = (id: string) =>
  service.context.db.selectFrom("audit_log").selectAll().where("object_id", "=", id).orderBy("sequence").execute();

describe("a saved card that was moved to another merchant", () => {
  it("isn't charged for that merchant, and the attempt is audited under the card's own account", async () => {
    const id = await savedCard();
    await move(id, thief);
    const ledger = await readLedger(service);

    expectError(await thief.charge(id), refused);

    expect(await readLedger(service)).toEqual(ledger);
    expect(await thief.list("charges")).toMatchObject([{ status: "failed", amount_captured: 0 }]);
    expect(await auditOf(id)).toMatchObject([
      {
        action: "vault.seal_broken",
        outcome: "refused",
        account_id: owner.accountId,
        details: { purpose: "card", reason: "other_account", asked_by: thief.accountId },
      },
    ]);
  });

  it("isn't charged even if the vault's record was moved with it", async () => {
    const id = await savedCard();
    await move(id, thief);
    const { accountNo } = thief.tenant;
    await sql`update vault.card set account_no = ${accountNo} where payment_method_id = ${id}`.execute(
      service.context.db,
    );
    const ledger = await readLedger(service);

    expectError(await thief.charge(id), refused);

    expect(await readLedger(service)).toEqual(ledger);
    expect(await auditOf(id)).toMatchObject([{ action: "vault.seal_broken", details: { reason: "does_not_open" } }]);
  });

  it("isn't charged when its decision was moved as well", async () => {
    const id = await savedCard();
    const { id: decisionId } = await owner.decide(id);
    await move(id, thief);
    await moveRow("decision", String(decisionId), thief);
    const ledger = await readLedger(service);

    const order = { amount: 4900, currency: "eur", payment_method_id: id, decision_id: decisionId };
    expectError(await thief.call("POST", "/api/v1/charges", order), refused);

    expect(await readLedger(service)).toEqual(ledger);
    expect(await auditOf(id)).toMatchObject([
      { action: "vault.seal_broken", account_id: owner.accountId, details: { asked_by: thief.accountId } },
    ]);
  });

  it("isn't charged for an unfinished payment whose rows were all moved", async () => {
    const id = await savedCard();
    await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
    await owner.charge(id);
    await clearFaults(service);
    const [charge = expect.fail()] = await owner.list("charges");
    const { db } = service.context;
    const { decision_id: decisionId } = charge;
    const ofPayment = db.selectFrom("attempt").select("id").where("decision_id", "=", String(decisionId));
    const attempt = await ofPayment.executeTakeFirstOrThrow();
    const ledger = await readLedger(service);
    await move(id, thief);
    await moveRow("decision", String(decisionId), thief);
    await moveRow("charge", String(charge["id"]), thief);
    await moveRow("attempt", attempt.id, thief);

    service.moveClock(60_000);
    await resumeAttempts(service.context);

    expect(await readLedger(service)).toEqual(ledger);
    expect(await auditOf(id)).toMatchObject([
      { action: "vault.seal_broken", account_id: owner.accountId, details: { asked_by: thief.accountId } },
    ]);
    expect(await thief.list("charges")).toMatchObject([{ amount_captured: 0 }]);
  });

  it.each(["decision", "charge", "attempt"] as const)(
    "isn't charged for an unfinished payment whose %s alone was moved",
    async (table) => {
      const id = await savedCard();
      await addFaults(service, { fault: "down" }, { match: { kind: "lookup" }, fault: "down" });
      await owner.charge(id);
      await clearFaults(service);
      const [charge = expect.fail()] = await owner.list("charges");
      const { db } = service.context;
      const ofPayment = db.selectFrom("attempt").select("id").where("charge_id", "=", String(charge["id"]));
      const { id: attemptId } = await ofPayment.executeTakeFirstOrThrow();
      const ledger = await readLedger(service);
      const ids = { decision: String(charge["decision_id"]), charge: String(charge["id"]), attempt: attemptId };
      await moveRow(table, ids[table], thief);

      service.moveClock(60_000);
      await resumeAttempts(service.context);

      const captured = (await readLedger(service)).authorizations.length - ledger.authorizations.length;
      expect({ table, captured }).toEqual({ table, captured: table === "charge" ? 1 : 0 });
      expect(await thief.list("charges?limit=1")).not.toMatchObject([{ status: "succeeded" }]);
    },
  );

  it("isn't charged when a decision of that merchant is changed to name it", async () => {
    const id = await savedCard();
    const { id: decisionId } = await thief.decide("pm_card_visa");
    await service.context.db
      .updateTable("decision")
      .set({ payment_method_id: id })
      .where("id", "=", String(decisionId))
      .execute();
    const ledger = await readLedger(service);

    const order = { amount: 4900, currency: "eur", payment_method_id: id, decision_id: decisionId };
    expectError(await thief.call("POST", "/api/v1/charges", order), refused);

    expect(await readLedger(service)).toEqual(ledger);
    expect(await auditOf(id)).toMatchObject([{ action: "vault.seal_broken", details: { reason: "other_account" } }]);
  });

  it("isn't sent to a directory server for 3-D Secure", async () => {
    const id = await savedCard();
    const checkout = await thief.checkout();
    const started = (await checkout.pay(cardNumbers.frictionless)).body["payment"];
    await service.context.db
      .updateTable("decision")
      .set({ payment_method_id: id })
      .where("id", "=", String(started?.["id"]))
      .execute();

    expect((await checkout.authenticate(String(started?.["id"]))).body["payment"]).toMatchObject({
      status: "declined",
    });

    expect(await auditOf(id)).toMatchObject([{ action: "vault.seal_broken", details: { reason: "other_account" } }]);
  });

  it("can be charged again once it is moved back (control)", async () => {
    const id = await savedCard();
    await move(id, thief);
    await move(id, owner);

    expect((await owner.charge(id)).body).toMatchObject({ status: "succeeded", amount_captured: 4900 });

    expect(await auditOf(id)).toEqual([]);
    expect(await storedCards(service, { paymentMethodId: id })).toEqual({ cards: 1, codes: 0 });
  });
});
