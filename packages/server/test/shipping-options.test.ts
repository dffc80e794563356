/** Tests how a customer chooses among a session's shipping options, and pays only totals that the form has shown. */
import { afterEach, describe, expect, it } from "vitest";
import { maxAmountMinor } from "@oriel/protocol/currency";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const parts = {
  line_items: [{ name: "Cup", amount: 2450, quantity: 2 }],
  shipping_options: [
    { id: "pickup", name: "Pickup", amount: 0 },
    { id: "post", name: "Post", amount: 490 },
  ],
};
const changed = invalid("session_changed", "version");
const badToken: Refusal = { status: 401, type: "authentication_error", code: "frame_token_invalid" };

const start = (more: object = {}) => merchant.checkout({ ...parts, ...more });
const update = ({ sessionId }: Checkout, body: object) =>
  merchant.call("PATCH", `/api/v1/checkout_sessions/${sessionId}`, body);

async function versionsOf({ sessionId }: Checkout) {
  const query = service.context.db.selectFrom("session_version").select(["version", "amount", "shipping_option"]);
  return await query.where("session_id", "=", sessionId).orderBy("version").execute();
}

describe("a customer who chooses a shipping option", () => {
  it("changes the total, and pays it once the form shows it", async () => {
    const checkout = await start();
    const before = await checkout.session();
    expect(before).toMatchObject({ amount: 4900, shipping_option: "pickup", version: 1 });
    const chosen = await checkout.chooseShipping("post");
    expect([chosen.status, chosen.body]).toEqual([200, {}]);
    expect(await checkout.session()).toEqual({ ...before, amount: 5390, shipping_option: "post", version: 2 });
    expect(await versionsOf(checkout)).toEqual([{ version: 1, amount: 4900, shipping_option: "pickup" }]);
    expectError(await checkout.pay(cardNumbers.approved), changed);
    expect((await checkout.reopen()).body["session"]).toMatchObject({ amount: 5390, shipping_option: "post" });
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 5390, session_version: 2 });
  });

  it("changes nothing by choosing the same one again", async () => {
    const checkout = await start();
    expect((await checkout.chooseShipping("pickup")).status).toBe(200);
    expect(await checkout.session()).toMatchObject({ version: 1 });
  });

  it("keeps discounts and tax", async () => {
    const more = { discounts: [{ name: "SPRING", amount: 900 }], tax_amount: 100, amount: 4100 };
    const checkout = await start(more);
    await checkout.chooseShipping("post");
    expect(await checkout.session()).toMatchObject({ ...more, amount: 4590 });
  });

  it("may make the total 0, which then needs no payment", async () => {
    const line_items = [{ name: "Sample", amount: 0, quantity: 1 }];
    const checkout = await start({ line_items, amount: 490, shipping_option: "post" });
    expect((await checkout.chooseShipping("pickup")).status).toBe(200);
    expect(await checkout.session()).toMatchObject({ amount: 0, payment_status: "no_payment_required", version: 2 });
    expectError(await checkout.complete(), changed);
    await checkout.reopen();
    expect((await checkout.complete()).status).toBe(200);
    expectError(await checkout.chooseShipping("post"), invalid("session_closed"));
    expect(await checkout.session()).toMatchObject({ amount: 0, status: "complete" });
  });

  it("is refused if the session has another version, and nothing changes", async () => {
    const checkout = await start();
    await update(checkout, { tax_amount: 100 });
    for (const version of [1, 3]) expectError(await checkout.chooseShipping("post", version), changed);
    expectError(await checkout.chooseShipping("pickup"), changed);
    expect(await checkout.session()).toMatchObject({ amount: 5000, shipping_option: "pickup", version: 2 });
    expect((await checkout.chooseShipping("post", 2)).status).toBe(200);
  });

  it.each<[unknown, unknown, Refusal]>([
    ["drone", 1, invalid("parameter_invalid", "shipping_option")],
    ["", 1, invalid("parameter_invalid", "shipping_option")],
    ["x".repeat(65), 1, invalid("parameter_invalid", "shipping_option")],
    [null, 1, invalid("parameter_invalid", "shipping_option")],
    [["post"], 1, invalid("parameter_invalid", "shipping_option")],
    ["4242424242424242", 1, invalid("parameter_invalid", "shipping_option")],
    ["post", undefined, invalid("parameter_missing", "version")],
    ["post", 0, invalid("parameter_invalid", "version")],
    ["post", "1", invalid("parameter_invalid", "version")],
  ])("is refused for the option %j and version %j", async (option, version, refusal) => {
    const { sessionId, token, session } = await start();
    const path = `/frame/sessions/${sessionId}/shipping_option`;
    const refused = await service.frame("POST", path, { shipping_option: option, version }, token);
    expectError(refused, refusal);
    expect(await session()).toMatchObject({ version: 1, shipping_option: "pickup" });
  });

  it("can't set anything else", async () => {
    const { sessionId, token } = await start();
    const body = { shipping_option: "post", version: 1, amount: 1 };
    const refused = await service.frame("POST", `/frame/sessions/${sessionId}/shipping_option`, body, token);
    expectError(refused, invalid("parameter_unknown", "amount"));
  });

  it("is refused without options, and in a session that only saves a card", async () => {
    const unknown = invalid("parameter_invalid", "shipping_option");
    for (const order of [{}, { mode: "setup", amount: undefined, currency: undefined }])
      expectError(await (await merchant.checkout(order)).chooseShipping("post"), unknown);
  });

  it("is refused if the total would be too large", async () => {
    const dear = { id: "dear", name: "Courier", amount: maxAmountMinor };
    const checkout = await start({ shipping_options: [...parts.shipping_options, dear] });
    expectError(await checkout.chooseShipping("dear"), invalid("amount_invalid", "line_items"));
    expect(await checkout.session()).toMatchObject({ amount: 4900, version: 1 });
  });

  it("can do so fifty times, which leaves the merchant all of its changes", async () => {
    const checkout = await start();
    for (let version = 1; version <= 50; version++)
      expect((await checkout.chooseShipping(version % 2 === 0 ? "pickup" : "post", version)).status).toBe(200);
    expectError(await checkout.chooseShipping("post", 51), invalid("shipping_choices_used_up", "shipping_option"));
    expect((await checkout.chooseShipping("pickup", 51)).status).toBe(200); // already chosen
    for (let tax_amount = 1; tax_amount <= 100; tax_amount++)
      expect((await update(checkout, { tax_amount })).status).toBe(200);
    expectError(await update(checkout, { tax_amount: 101 }), invalid("session_changed_too_often"));
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 5000, session_version: 151 });
  });
});

describe("the page of another session, or of a replaced URL", () => {
  it("can't choose", async () => {
    const [mine, other] = [await start(), await start()];
    const path = `/frame/sessions/${mine.sessionId}/shipping_option`;
    const body = { shipping_option: "post", version: 1 };
    expectError(await service.frame("POST", path, body), badToken);
    expectError(await service.frame("POST", path, body, mine.clientSecret), badToken);
    expectError(await service.frame("POST", path, body, other.token), missing);
    await merchant.call("POST", `/api/v1/checkout_sessions/${mine.sessionId}/embed_url`, {});
    expectError(await service.frame("POST", path, body, mine.token), badToken);
    expect(await mine.session()).toMatchObject({ version: 1 });
  });
});

describe("a choice during or after a payment", () => {
  const inProgress = invalid("session_payment_in_progress");

  it("is refused while the bank asks about the amount, and possible after the payment failed", async () => {
    const checkout = await start();
    const { id } = await payUpToChallenge(checkout);
    expectError(await checkout.chooseShipping("post"), inProgress);
    expect(await checkout.session()).toMatchObject({ amount: 4900, version: 1 });
    await checkout.cancel(id);
    expect((await checkout.chooseShipping("post")).status).toBe(200);
  });

  it("is refused while the outcome is unknown", async () => {
    const checkout = await start();
    await addFaults(service, { match: { kind: "authorization" }, fault: "down", times: 1 });
    expect((await checkout.pay(cardNumbers.approved)).body).toMatchObject({ payment: { status: "processing" } });
    expectError(await checkout.chooseShipping("post"), inProgress);
  });

  it("is refused during a server confirmation, until its decision has expired unused", async () => {
    const checkout = await start({ confirmation: "server" });
    await checkout.pay(cardNumbers.approved);
    expectError(await checkout.chooseShipping("post"), inProgress);
    service.moveClock(16 * 60_000);
    expect((await checkout.chooseShipping("post")).status).toBe(200);
  });

  it("is refused once the session is complete, canceled or expired", async () => {
    const closed = invalid("session_closed");
    const paid = await start();
    await paid.pay(cardNumbers.approved);
    expectError(await paid.chooseShipping("post"), closed);
    const canceled = await start();
    await merchant.call("POST", `/api/v1/checkout_sessions/${canceled.sessionId}/cancel`, {});
    expectError(await canceled.chooseShipping("post"), closed);
    const expired = await start({ expires_after_minutes: 5 });
    service.moveClock(6 * 60_000);
    expectError(await expired.chooseShipping("post"), closed);
    for (const { session } of [paid, canceled, expired]) expect(await session()).toMatchObject({ version: 1 });
  });
});

describe("choosing a shipping option", () => {
  it("never changes the amount of a payment that is sent at the same time", async () => {
    for (const version of [1, 2]) {
      for (let round = 0; round < 8; round++) {
        const checkout = await start();
        const card = await checkout.encrypt(cardNumbers.approved);
        const [chosen, paid] = await Promise.all([
          checkout.chooseShipping("post", 1),
          checkout.pay(card, undefined, { version }),
        ]);
        const charges = await merchant.list(`charges?session_id=${checkout.sessionId}`);
        expect(charges.map(({ amount }) => Number(amount))).toEqual(
          paid.status === 200 ? [version === 1 ? 4900 : 5390] : [],
        );
        expect(chosen.status === 200).toBe(version === 2 || paid.status !== 200);
      }
    }
  });

  it("happens before or after an update that is sent at the same time, and the parts always add up", async () => {
    for (let round = 0; round < 8; round++) {
      const checkout = await start();
      const [chosen, updated] = await Promise.all([
        checkout.chooseShipping("post"),
        update(checkout, { tax_amount: 100 }),
      ]);
      expect(updated.status).toBe(200);
      const isChosen = chosen.status === 200;
      if (!isChosen) expectError(chosen, changed);
      expect(await checkout.session()).toMatchObject({
        amount: isChosen ? 5490 : 5000,
        shipping_option: isChosen ? "post" : "pickup",
        version: isChosen ? 3 : 2,
      });
    }
  });

  it("changes the session once if it's sent twice at the same time", async () => {
    const checkout = await start();
    const responses = await Promise.all([checkout.chooseShipping("post"), checkout.chooseShipping("post")]);
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const refused of responses.filter(({ status }) => status !== 200)) expectError(refused, changed);
    expect(await checkout.session()).toMatchObject({ amount: 5390, version: 2 });
  });
});
