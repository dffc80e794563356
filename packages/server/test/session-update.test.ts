/** Tests how a merchant changes an open checkout session, and that customers pay only totals that they have seen. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const cups = { name: "Cup", amount: 2450, quantity: 2 };
const post = { id: "post", name: "Post", amount: 490 };
const pickup = { id: "pickup", name: "Pickup", amount: 0 };

const update = ({ sessionId }: Pick<Checkout, "sessionId">, body: object) =>
  merchant.call("PATCH", `/api/v1/checkout_sessions/${sessionId}`, body);

async function versionsOf({ sessionId }: Checkout) {
  return await service.context.db
    .selectFrom("session_version")
    .select(["version", "amount", "line_items", "shipping_option", "discounts", "tax_amount"])
    .where("session_id", "=", sessionId)
    .orderBy("version")
    .execute();
}

describe("an update of a session", () => {
  it("changes the amount and its parts, and keeps what was replaced", async () => {
    const checkout = await merchant.checkout({ line_items: [cups] });
    const before = await checkout.session();
    expect(before).toMatchObject({ version: 1, shipping_options: [], shipping_option: null, discounts: [] });
    const parts = {
      line_items: [{ ...cups, quantity: 3 }],
      shipping_options: [pickup, post],
      shipping_option: "post",
      discounts: [{ name: "SPRING", amount: 1000 }],
      tax_amount: 140,
    };
    const changed = await update(checkout, { amount: 6980, ...parts, description: "Three cups" });
    expect(changed.status).toBe(200);
    expect(changed.body).toEqual({ ...before, version: 2, amount: 6980, ...parts, description: "Three cups" });
    expect(await checkout.session()).toEqual(changed.body);
    const first = { amount: 4900, line_items: [cups], shipping_option: null, discounts: [], tax_amount: null };
    expect(await versionsOf(checkout)).toEqual([{ version: 1, ...first }]);
    expect((await checkout.reopen()).body["session"]).toMatchObject({ version: 2, amount: 6980, ...parts });
  });

  it("adds up the parts if it has no amount", async () => {
    const checkout = await merchant.checkout({ line_items: [cups] });
    const withShipping = await update(checkout, { shipping_options: [post, pickup] });
    expect(withShipping.body).toMatchObject({ amount: 5390, version: 2, shipping_option: "post" });
    expect((await update(checkout, { shipping_option: "pickup" })).body).toMatchObject({ amount: 4900, version: 3 });
    // The chosen one stays if it's still offered.
    expect((await update(checkout, { shipping_options: [post, { ...pickup, amount: 100 }] })).body).toMatchObject({
      amount: 5000,
      shipping_option: "pickup",
    });
    expect((await update(checkout, { shipping_options: [post] })).body).toMatchObject({ shipping_option: "post" });
    const none = { line_items: [], shipping_options: [], amount: 4000 };
    expect((await update(checkout, none)).body).toMatchObject({ amount: 4000, shipping_option: null });
    expect((await update(checkout, { amount: 4100 })).body).toMatchObject({ amount: 4100, version: 7 });
  });

  it("makes a version only of a change of money", async () => {
    const checkout = await merchant.checkout({ line_items: [cups], metadata: { order: "7", cart: "a" } });
    const described = await update(checkout, { description: "Cups", metadata: { cart: null, coupon: "x" } });
    expect(described.body).toMatchObject({ version: 1, description: "Cups" });
    expect(described.body["metadata"]).toEqual({ order: "7", coupon: "x" });
    const same = await update(checkout, { amount: 4900, line_items: [{ quantity: 2, amount: 2450, name: "Cup" }] });
    expect(same.body).toEqual(described.body);
    expect((await update(checkout, {})).body).toEqual(described.body);
    expect((await update(checkout, { description: null })).body).toMatchObject({ description: null });
  });

  it("is refused if the session has another version, but may be repeated", async () => {
    const checkout = await merchant.checkout();
    const changed = await update(checkout, { amount: 5000, if_version: 1 });
    expect((await update(checkout, { amount: 5000, if_version: 1 })).text).toBe(changed.text);
    const refused = await update(checkout, { amount: 5100, if_version: 1 });
    expectError(refused, invalid("session_version_mismatch", "if_version"));
    expect(refused.body["error"]?.["message"]).toContain("is now at version 2");
    expect(await checkout.session()).toEqual(changed.body);
  });

  it.each([
    [{ amount: 4800 }, "line_items", "The line items add up to €49.00, but `amount` is €48.00."],
    [
      { amount: 4900, discounts: [{ name: "SPRING", amount: 100 }], tax_amount: 50, shipping_options: [post] },
      "line_items",
      "The line items, shipping, tax and discounts add up to €53.40, but `amount` is €49.00.",
    ],
    [{ shipping_options: [post, post] }, "shipping_options", "Two shipping options have the ID `post`."],
    [{ shipping_option: "drone" }, "shipping_option", "no option with the ID `drone`"],
    [{ line_items: [], discounts: [{ name: "SPRING", amount: 1 }] }, "line_items", "require `line_items`"],
    [{ discounts: [{ name: "SPRING", amount: 5000 }] }, "line_items", "-€1.00. The total must be at least €0.00"],
  ])("is refused if the result is wrong: %j", async (body, param, message) => {
    const checkout = await merchant.checkout({ line_items: [cups] });
    const before = await checkout.session();
    const refused = await update(checkout, body);
    expect(refused.status).toBe(400);
    expect(refused.body["error"]).toMatchObject({ param });
    expect(refused.body["error"]?.["message"]).toContain(message);
    expect(await checkout.session()).toEqual(before);
    expect(await versionsOf(checkout)).toEqual([]);
  });

  it.each(["currency", "mode", "customer", "allowed_origins", "livemode", "version"])(
    "can't change %s",
    async (param) => {
      const checkout = await merchant.checkout();
      expectError(await update(checkout, { [param]: "x" }), invalid("parameter_unknown", param));
    },
  );

  it("refuses more metadata than a session may have", async () => {
    const full = Object.fromEntries(Array.from({ length: 50 }, (_, key) => [String(key), "x"]));
    const checkout = await merchant.checkout({ metadata: full });
    expectError(await update(checkout, { metadata: { more: "x" } }), invalid("parameter_invalid", "metadata"));
    const swapped = await update(checkout, { metadata: { "0": null, more: "x" } });
    expect(Object.keys(swapped.body["metadata"] ?? {})).toHaveLength(50);
  });

  it("in a session that only saves a card, changes only its description and metadata", async () => {
    const checkout = await merchant.checkout({ mode: "setup", amount: undefined });
    expect((await update(checkout, { description: "Card" })).body).toMatchObject({ description: "Card", version: 1 });
    for (const body of [{ amount: 100 }, { line_items: [cups] }, { tax_amount: null }]) {
      const [param = ""] = Object.keys(body);
      expectError(await update(checkout, body), invalid("parameter_invalid", param));
    }
  });

  it("is refused for another merchant's session, and for one that doesn't exist", async () => {
    const other = await newMerchant(service);
    const checkout = await other.checkout();
    expectError(await update(checkout, { amount: 1 }), missing);
    expectError(await update({ sessionId: "cs_none" }, { amount: 1 }), missing);
  });

  it("is possible a hundred times", async () => {
    const checkout = await merchant.checkout({ amount: 1 });
    for (let amount = 2; amount <= 101; amount++) expect((await update(checkout, { amount })).status).toBe(200);
    expectError(await update(checkout, { amount: 102 }), invalid("session_changed_too_often"));
    expect(await checkout.session()).toMatchObject({ amount: 101, version: 101 });
    expect((await update(checkout, { description: "still possible" })).status).toBe(200);
  });

  it("keeps the session's words searchable", async () => {
    const checkout = await merchant.checkout({ description: "Teapot" });
    await update(checkout, { description: "Kettle", metadata: { order: "A-1" } });
    const { rows } = await sql<{ word: string }>`
      select word from unnest(array['a-1', 'kettle', 'teapot']) word
      join search_term on term = search_term_of(word) where object_id = ${checkout.sessionId}
      order by word`.execute(service.context.db);
    expect(rows).toEqual([{ word: "a-1" }, { word: "kettle" }]);
  });
});

describe("a customer whose page shows an earlier total", () => {
  const changed = invalid("session_changed", "version");

  it("pays nothing until the page shows the new one", async () => {
    const checkout = await merchant.checkout();
    await update(checkout, { amount: 5900 });
    const refused = await checkout.pay(cardNumbers.approved);
    expectError(refused, changed);
    expect(await merchant.list(`charges?session_id=${checkout.sessionId}`)).toEqual([]);
    expect(
      await service.context.db
        .selectFrom("payment_method")
        .select("id")
        .where("session_id", "=", checkout.sessionId)
        .execute(),
    ).toEqual([]);
    expect((await checkout.reopen()).body["session"]).toMatchObject({ amount: 5900, version: 2, status: "open" });
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
    expect(await merchant.chargeOf(checkout)).toMatchObject({
      amount: 5900,
      amount_captured: 5900,
      session_version: 2,
    });
  });

  it("can't guess the next version", async () => {
    const checkout = await merchant.checkout();
    expectError(await checkout.pay(cardNumbers.approved, undefined, { version: 2 }), changed);
  });

  it("is refused if the page doesn't send versions, which it needn't for the first one", async () => {
    const checkout = await merchant.checkout();
    await update(checkout, { amount: 5900 });
    expectError(await checkout.pay(cardNumbers.approved, undefined, { version: undefined }), changed);
    const unchanged = await merchant.checkout();
    const paid = await unchanged.pay(cardNumbers.approved, undefined, { version: undefined });
    expect(paid.body["payment"]).toMatchObject({ status: "succeeded" });
  });

  it("can't pay through an earlier version's process, which doesn't compare versions, even after a new one's payment", async () => {
    const checkout = await merchant.checkout();
    const session = service.context.db.updateTable("checkout_session").where("id", "=", checkout.sessionId);
    const claim = () => session.set({ payment_decision_id: "dec_1" }).execute();
    await update(checkout, { amount: 5900 });
    await expect(claim()).rejects.toThrow("checkout_session_version_claimed");
    await checkout.reopen();
    await payUpToChallenge(checkout);
    await session.set({ payment_decision_id: null }).execute(); // as it releases a session after a decline
    await expect(claim()).rejects.toThrow("checkout_session_version_claimed");
    expect((await checkout.pay(cardNumbers.approved)).body["payment"]).toMatchObject({ status: "succeeded" });
  });

  it("pays the new total after a decline", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.declined);
    expect((await update(checkout, { amount: 5900 })).status).toBe(200);
    expectError(await checkout.pay(cardNumbers.approved), changed);
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 5900 });
  });

  it("always pays an amount of the version that the request names, however the two race", async () => {
    // Usually, the two take different times. This way, either comes first, at any step of the other.
    const laterIf = async <Result>(isLater: boolean, send: () => Promise<Result>) => {
      if (isLater) await pause(Math.random() * 12);
      return await send();
    };
    for (const version of [1, 2]) {
      for (let round = 0; round < 8; round++) {
        const checkout = await merchant.checkout();
        const card = await checkout.encrypt(cardNumbers.approved);
        const [updated, paid] = await Promise.all([
          laterIf(version === 1, () => update(checkout, { amount: 5900 })),
          laterIf(version === 2, () => checkout.pay(card, undefined, { version })),
        ]);
        const charges = await merchant.list(`charges?session_id=${checkout.sessionId}`);
        expect(charges.map(({ amount }) => Number(amount))).toEqual(
          paid.status === 200 ? [version === 1 ? 4900 : 5900] : [],
        );
        // One of the two comes first, and the payment of the first version ends the other.
        expect(updated.status === 200).toBe(version === 2 || paid.status !== 200);
      }
    }
  });
});

describe("a payment in progress", () => {
  const inProgress = invalid("session_payment_in_progress");

  it("keeps the amount that the bank asks about", async () => {
    const checkout = await merchant.checkout();
    const { id } = await payUpToChallenge(checkout);
    expectError(await update(checkout, { amount: 5900 }), inProgress);
    expect(await checkout.session()).toMatchObject({ amount: 4900, version: 1 });
    await checkout.cancel(id);
    expect((await update(checkout, { amount: 5900 })).status).toBe(200);
  });

  it("has the session's version, even if it fails before authorization", async () => {
    const checkout = await merchant.checkout();
    await update(checkout, { amount: 5900 });
    await checkout.reopen();
    const { id } = await payUpToChallenge(checkout);
    await checkout.cancel(id);
    const charges = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(charges).toMatchObject([{ status: "failed", amount: 5900, session_version: 2 }]);
  });

  it("keeps its amount while its outcome is unknown", async () => {
    const checkout = await merchant.checkout();
    await addFaults(service, { match: { kind: "authorization" }, fault: "down", times: 1 });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "processing" } });
    expectError(await update(checkout, { amount: 5900 }), inProgress);
  });

  it("ends an update: what is paid can't change", async () => {
    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.approved);
    expectError(await update(checkout, { amount: 5900 }), invalid("session_closed"));
  });

  it("isn't an approved decision that has expired unused", async () => {
    const checkout = await merchant.checkout({ confirmation: "server" });
    await checkout.pay(cardNumbers.approved);
    expectError(await update(checkout, { amount: 5900 }), inProgress);
    service.moveClock(16 * 60_000);
    expect((await update(checkout, { amount: 5900 })).body).toMatchObject({ amount: 5900, version: 2 });
  });
});
