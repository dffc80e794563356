/** Tests promotion codes: what a customer may enter, who sees it, and how the merchant's server replies. */
import { afterEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, missing, type Refusal } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
afterEach(() => clearFaults(service));

const cups = [{ name: "Cup", amount: 2450, quantity: 2 }];
const spring = [{ name: "SPRING", amount: 900 }];
const changed = invalid("session_changed", "version");
const usedUp = invalid("promotion_codes_used_up", "promotion_code");
const badCode = invalid("parameter_invalid", "promotion_code");
const badToken: Refusal = { status: 401, type: "authentication_error", code: "frame_token_invalid" };

const start = (more: object = {}) =>
  merchant.checkout({ line_items: cups, collect: { promotion_code: true }, ...more });
const update = ({ sessionId }: Checkout, body: object) =>
  merchant.call("PATCH", `/api/v1/checkout_sessions/${sessionId}`, body);
const accept = (checkout: Checkout, code: string, money: object = { discounts: spring }) =>
  update(checkout, { ...money, if_promotion_code: code });
const reject = (checkout: Checkout, code: string, reason = "invalid", more: object = {}) =>
  update(checkout, { reject: { field: "promotion_code", reason }, if_promotion_code: code, ...more });

/** What the merchant's server sees of the code. */
async function seen(checkout: Checkout) {
  const { collected, update_request } = await checkout.session();
  return {
    code: collected?.["promotion_code"],
    status: update_request?.["status"],
    reason: update_request?.["reason"],
  };
}

const requestsOf = async ({ sessionId }: Checkout) =>
  (await merchant.events(sessionId)).filter(({ type }) => String(type) === "checkout_session.update_requested");

describe("a promotion code", () => {
  it("reaches the merchant's server, which accepts it by changing the amount", async () => {
    const checkout = await start();
    const before = await checkout.session();
    expect(before).toMatchObject({ collect: { promotion_code: true }, collected: { promotion_code: null } });
    const entered = await checkout.enterCode("SPRING");
    expect([entered.status, entered.body]).toEqual([200, { entry: 1 }]);
    const pending = await checkout.session();
    expect(pending).toEqual({
      ...before,
      collected: { promotion_code: "SPRING" },
      update_request: { kind: "promotion_code", status: "pending", reason: null, requested_at: expect.any(Number) },
    });
    expect(await requestsOf(checkout)).toMatchObject([
      { object_sequence: 1, data: { object: pending }, request: { id: null, idempotency_key: null } },
    ]);
    expect((await checkout.updateRequest()).body).toEqual({ entry: 1, status: "pending", reason: null });

    const accepted = await accept(checkout, "SPRING");
    expect(accepted.body).toMatchObject({ amount: 4000, version: 2, update_request: { status: "accepted" } });
    expect((await checkout.updateRequest()).body).toEqual({ entry: 1, status: "accepted", reason: null });
    expectError(await checkout.pay(cardNumbers.approved), changed);
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 4000, session_version: 2 });
  });

  it("can make the total 0, which then needs no payment", async () => {
    const checkout = await start();
    await checkout.enterCode("GIFT");
    await accept(checkout, "GIFT", { discounts: [{ name: "GIFT", amount: 4900 }] });
    expectError(await checkout.complete(), changed);
    await checkout.reopen();
    expect((await checkout.complete()).status).toBe(200);
    expect(await checkout.session()).toMatchObject({
      amount: 0,
      status: "complete",
      collected: { promotion_code: "GIFT" },
    });
  });

  it.each(["invalid", "expired", "not_applicable"])(
    "can be rejected as %s, which changes nothing else",
    async (reason) => {
      const checkout = await start();
      const before = await checkout.session();
      await checkout.enterCode("WINTER");
      const rejected = await reject(checkout, "WINTER", reason);
      const { update_request, collected, ...rest } = rejected.body;
      expect(update_request).toMatchObject({ status: "rejected", reason });
      expect(before).toMatchObject({ ...rest, version: 1 });
      expect(collected).toEqual({ promotion_code: "WINTER" });
      expect((await checkout.updateRequest()).body).toEqual({ entry: 1, status: "rejected", reason });
      await checkout.pay(cardNumbers.approved);
      expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 4900 });
    },
  );

  it("that is already applied is accepted by a request that confirms the amount, without another version", async () => {
    const checkout = await start({ discounts: spring, amount: 4000 });
    await checkout.enterCode("SPRING");
    expect((await accept(checkout, "SPRING")).body).toMatchObject({ amount: 4000, version: 1 });
    expect(await seen(checkout)).toEqual({ code: "SPRING", status: "accepted", reason: null });
  });

  it.each<[string, object]>([
    ["line items", { line_items: [{ ...cups[0], quantity: 3 }] }],
    ["shipping options", { shipping_options: [{ id: "post", name: "Post", amount: 490 }] }],
    ["discounts", { discounts: [{ name: "Regulars", amount: 100 }] }],
    ["tax", { tax_amount: 100 }],
    ["unchanged amount", { amount: 4900 }],
    ["description and metadata", { description: "Cups", metadata: { cart: "7" } }],
    ["description, even if the request names it", { description: "Cups", if_promotion_code: "SPRING" }],
  ])("stays pending after a change of the %s, and gets its own reply later", async (_what, change) => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    expect((await update(checkout, change)).status).toBe(200);
    expect(await seen(checkout)).toEqual({ code: "SPRING", status: "pending", reason: null });
    const { version } = await checkout.session();
    const replied = await accept(checkout, "SPRING");
    expect(replied.body).toMatchObject({
      discounts: spring,
      version: Number(version) + 1,
      update_request: { status: "accepted" },
    });
  });

  it("isn't accepted by a change that was sent before, and repeated because its response was lost", async () => {
    const checkout = await start();
    const changes = { line_items: [{ ...cups[0], quantity: 3 }], if_version: 1 };
    expect((await update(checkout, changes)).status).toBe(200);
    await checkout.reopen();
    await checkout.enterCode("SPRING");
    expect((await update(checkout, changes)).body).toEqual(await checkout.session());
    expect(await checkout.session()).toMatchObject({ version: 2, update_request: { status: "pending" } });
  });

  it("isn't accepted by the customer's choice of a shipping option", async () => {
    const shipping_options = ["pickup", "post"].map((id) => ({ id, name: id, amount: 0 }));
    const checkout = await start({ shipping_options });
    await checkout.enterCode("SPRING");
    expect((await checkout.chooseShipping("post")).status).toBe(200);
    expect(await seen(checkout)).toMatchObject({ status: "pending" });
  });

  it("without a reply keeps nobody from paying", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    await checkout.pay(cardNumbers.approved);
    expect(await merchant.chargeOf(checkout)).toMatchObject({ amount: 4900 });
    expectError(await accept(checkout, "SPRING"), invalid("session_closed"));
    expectError(await reject(checkout, "SPRING"), invalid("session_closed"));
    expect(await seen(checkout)).toMatchObject({ status: "pending" });
  });

  it("can get its reply long after the form stopped waiting", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    service.moveClock(60_000);
    expect((await accept(checkout, "SPRING")).body).toMatchObject({ amount: 4000 });
    expectError(await checkout.pay(cardNumbers.approved), changed);
  });

  it("is replaced by the next one, which needs its own reply", async () => {
    const checkout = await start();
    await checkout.enterCode("WINTER");
    await reject(checkout, "WINTER", "expired");
    expect((await checkout.enterCode("SPRING")).body).toEqual({ entry: 2 });
    expect(await seen(checkout)).toEqual({ code: "SPRING", status: "pending", reason: null });
    expect((await checkout.updateRequest()).body).toEqual({ entry: 2, status: "pending", reason: null });
    expect(await requestsOf(checkout)).toHaveLength(2);
  });

  it("reaches the merchant as the customer sees it", async () => {
    const checkout = await start();
    await checkout.enterCode(" \u200bSPR\u00adING\u2060 24\n");
    expect(await seen(checkout)).toMatchObject({ code: "SPRING 24" });
    await checkout.enterCode("É".repeat(64));
    expect(await seen(checkout)).toMatchObject({ code: "É".repeat(64) });
  });
});

describe("two tabs with a code each", () => {
  it("can tell whose reply it is", async () => {
    const checkout = await start();
    const entries = await Promise.all([checkout.enterCode("WINTER"), checkout.enterCode("SPRING")]);
    expect(new Set(entries.map(({ body }) => Number(body["entry"])))).toEqual(new Set([1, 2]));
    const { code } = await seen(checkout);
    await reject(checkout, String(code));
    const latest = entries[String(code) === "WINTER" ? 0 : 1];
    expect((await checkout.updateRequest()).body).toMatchObject({ entry: latest?.body["entry"], status: "rejected" });
  });
});

describe("the same promotion code again", () => {
  it("is the same request while the form waits, and another one afterwards", async () => {
    const checkout = await start();
    await Promise.all([checkout.enterCode("SPRING"), checkout.enterCode("SPRING")]);
    expect((await checkout.enterCode(" SPRING ")).body).toEqual({ entry: 1 });
    expect(await requestsOf(checkout)).toHaveLength(1);
    service.moveClock(10_000);
    expect((await checkout.enterCode("SPRING")).body).toEqual({ entry: 2 });
    expect(await requestsOf(checkout)).toHaveLength(2);
  });

  it("is another request after a reply", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    await reject(checkout, "SPRING");
    await checkout.enterCode("SPRING");
    expect(await seen(checkout)).toEqual({ code: "SPRING", status: "pending", reason: null });
    expect(await requestsOf(checkout)).toHaveLength(2);
  });
});

describe("a merchant's reply to a promotion code", () => {
  it("may be repeated", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    const reply = { discounts: spring, if_version: 1 };
    const accepted = await accept(checkout, "SPRING", reply);
    const again = await accept(checkout, "SPRING", reply);
    expect([again.status, again.text]).toEqual([200, accepted.text]);
    await checkout.reopen();
    await checkout.enterCode("WINTER");
    // Another code's reply, repeated only now, changes nothing.
    expect((await accept(checkout, "SPRING")).body).toEqual(await checkout.session());
    expect(await seen(checkout)).toEqual({ code: "WINTER", status: "pending", reason: null });
    const rejected = await reject(checkout, "WINTER");
    expect((await reject(checkout, "WINTER")).text).toBe(rejected.text);
  });

  it("must name the code that it rejects", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    const refused = await update(checkout, { reject: { field: "promotion_code", reason: "invalid" } });
    expectError(refused, invalid("parameter_missing", "if_promotion_code"));
    expect(await seen(checkout)).toMatchObject({ status: "pending" });
  });

  it("doesn't apply to a code that was entered meanwhile", async () => {
    const checkout = await start();
    await checkout.enterCode("WINTER");
    await checkout.enterCode("SPRING");
    const mismatch = invalid("promotion_code_mismatch", "if_promotion_code");
    expectError(await reject(checkout, "WINTER"), mismatch);
    expectError(await accept(checkout, "WINTER"), mismatch);
    expect(await checkout.session()).toMatchObject({ amount: 4900, version: 1, update_request: { status: "pending" } });
    expect((await reject(checkout, "SPRING")).status).toBe(200);
    expectError(await reject(checkout, "WINTER"), mismatch);
  });

  it("can't reject what isn't pending", async () => {
    const checkout = await start();
    const nothing = invalid("parameter_invalid", "reject");
    expectError(await reject(checkout, "SPRING"), invalid("promotion_code_mismatch", "if_promotion_code"));
    await checkout.enterCode("SPRING");
    await accept(checkout, "SPRING");
    expectError(await reject(checkout, "SPRING"), nothing);
    await checkout.reopen();
    await checkout.enterCode("WINTER");
    await reject(checkout, "WINTER");
    expectError(await reject(checkout, "WINTER", "expired"), nothing);
    expect(await seen(checkout)).toMatchObject({ status: "rejected", reason: "invalid" });
  });

  it("can't reject a code and change the amount", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    for (const more of [{ amount: 4900 }, { discounts: spring }, { shipping_options: [] }])
      expectError(await reject(checkout, "SPRING", "invalid", more), invalid("parameter_invalid", "reject"));
    expect((await reject(checkout, "SPRING", "invalid", { metadata: { tried: "1" } })).status).toBe(200);
    expect(await checkout.session()).toMatchObject({ amount: 4900, version: 1, metadata: { tried: "1" } });
  });

  it.each([
    [{ field: "shipping_option", reason: "invalid" }, "reject.field"],
    [{ field: "promotion_code", reason: "used" }, "reject.reason"],
    [{ field: "promotion_code" }, "reject.reason"],
  ])("is refused for %j", async (body, param) => {
    const checkout = await start();
    const refused = await update(checkout, { reject: body });
    expect([refused.status, refused.body["error"]?.["param"]]).toEqual([400, param]);
  });

  it("with a total that can't be is refused, and the code stays pending", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    const refused = await accept(checkout, "SPRING", { discounts: [{ name: "SPRING", amount: 5000 }] });
    expectError(refused, invalid("amount_invalid", "line_items"));
    expect(await seen(checkout)).toMatchObject({ status: "pending" });
  });

  it("is refused while a payment is in progress, and possible after it failed", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    const { id } = await payUpToChallenge(checkout);
    const inProgress = invalid("session_payment_in_progress");
    expectError(await reject(checkout, "SPRING"), inProgress);
    expectError(await accept(checkout, "SPRING"), inProgress);
    await checkout.cancel(id);
    expect((await accept(checkout, "SPRING")).body).toMatchObject({ amount: 4000 });
  });
});

describe("entering a promotion code", () => {
  it.each([
    ["empty", ""],
    ["only spaces", "  "],
    ["only hidden characters", "\u200b\u2060"],
    ["65 characters long", "x".repeat(65)],
    ["very long", "x".repeat(10_000)],
    ["in two lines", "SPRING\nSUMMER"],
    ["null", null],
    ["a list", ["SPRING"]],
    ["a card number", "4532873109462753"],
    ["a card number in groups", "4532 8731 0946 2753"],
    ["a card number with a word", "code: 4532-8731-0946-2753"],
    ["a card number with other characters between its digits", "4532.8731_0946/2753"],
    ["a card number with its expiry date and CVC", "4532_8731_0946_2753 12/28 123"],
    ["a card number in other digits", "４５３２８７３１０９４６２７５３"],
    ["a card number with hidden characters", "4532\u200b8731\u200b0946\u200b2753"],
  ])("is refused if the code is %s", async (_what, code) => {
    const checkout = await start();
    const refused = await checkout.enterCode(code);
    expectError(refused, badCode);
    expect(refused.text).not.toMatch(/SPRING|4532|２７５３|xxx/);
    expect(await seen(checkout)).toEqual({ code: null, status: undefined, reason: undefined });
    expect(await requestsOf(checkout)).toEqual([]);
  });

  it("leaves nothing in the database and the log that could be a card number", async () => {
    const forms = /4532[^0-9]{0,3}8731[^0-9]{0,3}0946/;
    expect(await dumpDatabase(service.context.db)).not.toMatch(forms);
    expect(service.log.join("")).not.toMatch(forms);
  });

  it("is refused if the page shows an earlier version of the session", async () => {
    const checkout = await start();
    await update(checkout, { tax_amount: 100 });
    expectError(await checkout.enterCode("SPRING"), changed);
    expect((await checkout.enterCode("SPRING", 2)).status).toBe(200);
  });

  it("is refused in a session that collects none, which is the default", async () => {
    for (const collect of [undefined, {}, { promotion_code: false }]) {
      const checkout = await start({ collect });
      expect(checkout.opened["session"]).toMatchObject({ collect: { promotion_code: false } });
      expectError(await checkout.enterCode("SPRING"), badCode);
    }
  });

  it("is refused during a payment, while its outcome is unknown, and after the session has ended", async () => {
    const challenged = await start();
    await payUpToChallenge(challenged);
    expectError(await challenged.enterCode("SPRING"), invalid("session_payment_in_progress"));
    const unknown = await start();
    await addFaults(service, { match: { kind: "authorization" }, fault: "down", times: 1 });
    await unknown.pay(cardNumbers.approved);
    expectError(await unknown.enterCode("SPRING"), invalid("session_payment_in_progress"));
    const paid = await start();
    await paid.pay(cardNumbers.approved);
    const canceled = await start();
    await merchant.call("POST", `/api/v1/checkout_sessions/${canceled.sessionId}/cancel`, {});
    const expired = await start({ expires_after_minutes: 5 });
    service.moveClock(6 * 60_000);
    for (const ended of [paid, canceled, expired])
      expectError(await ended.enterCode("SPRING"), invalid("session_closed"));
  });

  it("is refused after ten codes without an effect", async () => {
    const checkout = await start();
    for (let entered = 1; entered <= 10; entered++) {
      expect((await checkout.enterCode(`GUESS${entered}`)).status).toBe(200);
      if (entered % 2 === 0) await reject(checkout, `GUESS${entered}`); // codes without a reply count, too
    }
    expectError(await checkout.enterCode("GUESS11"), usedUp);
    expect(await seen(checkout)).toMatchObject({ code: "GUESS10", status: "rejected" });
    expect(await requestsOf(checkout)).toHaveLength(10);
    // Another code is possible if the tenth is accepted after all.
    const other = await start();
    for (let entered = 1; entered <= 10; entered++) await other.enterCode(`GUESS${entered}`);
    await accept(other, "GUESS10");
    await other.reopen();
    expect((await other.enterCode("SUMMER")).status).toBe(200);
  });

  it("is refused after ten codes that were accepted without an effect", async () => {
    const checkout = await start();
    for (let entered = 1; entered <= 10; entered++) {
      expect((await checkout.enterCode("SPRING")).status).toBe(200);
      await accept(checkout, "SPRING", { amount: 4900 });
    }
    expectError(await checkout.enterCode("SPRING"), usedUp);
  });

  it("is refused after ten codes without an effect, even if the cart changed after each", async () => {
    const checkout = await start();
    for (let entered = 1; entered <= 10; entered++) {
      expect((await checkout.enterCode(`GUESS${entered}`)).status).toBe(200);
      expect((await update(checkout, { tax_amount: entered })).status).toBe(200);
      await checkout.reopen();
    }
    expectError(await checkout.enterCode("GUESS11"), usedUp);
  });

  it("is refused for the 51st code, even if each changed the total, so that the merchant has changes left", async () => {
    const checkout = await start();
    for (let entered = 1; entered <= 50; entered++) {
      const code = entered % 2 === 0 ? "SPRING" : "SUMMER";
      expect((await checkout.enterCode(code)).body).toEqual({ entry: entered });
      await accept(checkout, code, { discounts: [{ name: code, amount: 100 + entered }] });
      await checkout.reopen();
    }
    expect((await update(checkout, { discounts: [{ name: "SUMMER", amount: 100 }] })).status).toBe(200);
    await checkout.reopen();
    expectError(await checkout.enterCode("SUMMER"), usedUp);
  });

  it("is refused for all but ten when many are sent at once", async () => {
    const checkout = await start();
    for (let entered = 1; entered <= 8; entered++) await checkout.enterCode(`GUESS${entered}`);
    const responses = await Promise.all(["A", "B", "C", "D"].map((code) => checkout.enterCode(code)));
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(2);
    expect(await requestsOf(checkout)).toHaveLength(10);
  });
});

describe("a session that only saves a card", () => {
  it("can't collect promotion codes", async () => {
    const setup = { mode: "setup", collect: { promotion_code: true } };
    const refused = await merchant.call("POST", "/api/v1/checkout_sessions", setup);
    expectError(refused, invalid("parameter_invalid", "collect.promotion_code"));
    const allowed = { mode: "setup", collect: { promotion_code: false } };
    expect((await merchant.call("POST", "/api/v1/checkout_sessions", allowed)).status).toBe(200);
  });
});

describe("an entered promotion code", () => {
  it("is in no log and in no response to the page", async () => {
    const checkout = await start();
    const entered = await checkout.enterCode("UNMISTAKABLE");
    const responses = [entered, await checkout.reopen(), await checkout.updateRequest()];
    await reject(checkout, "UNMISTAKABLE");
    responses.push(await checkout.enterCode("x".repeat(65)), await checkout.updateRequest());
    responses.push(await checkout.pay(cardNumbers.declined), await checkout.reopen());
    for (const { text } of responses) expect(text).not.toContain("UNMISTAKABLE");
    expect(service.log.join("")).not.toContain("UNMISTAKABLE");
    const why = await service.frame("GET", `/frame/sessions/${checkout.sessionId}/why?origin=null`);
    expect(why.text).not.toContain("UNMISTAKABLE");
    expect(await seen(checkout)).toMatchObject({ code: "UNMISTAKABLE" });
  });

  it("isn't visible to another merchant", async () => {
    const other = await newMerchant(service);
    const checkout = await start();
    await checkout.enterCode("SPRING");
    const path = `/api/v1/checkout_sessions/${checkout.sessionId}`;
    expectError(await other.call("GET", path), missing);
    const reply = { reject: { field: "promotion_code", reason: "invalid" }, if_promotion_code: "SPRING" };
    expectError(await other.call("PATCH", path, reply), missing);
    expect(await other.events()).toEqual([]);
  });
});

describe("a page's token", () => {
  it("is required to enter a code and to read the reply, and is for one session", async () => {
    const [mine, other] = [await start(), await start()];
    const path = `/frame/sessions/${mine.sessionId}`;
    const body = { promotion_code: "SPRING", version: 1 };
    expectError(await service.frame("POST", `${path}/promotion_code`, body), badToken);
    expectError(await service.frame("GET", `${path}/update_request`), badToken);
    expectError(await service.frame("POST", `${path}/promotion_code`, body, other.token), missing);
    expectError(await service.frame("GET", `${path}/update_request`, undefined, other.token), missing);
    expectError(await mine.updateRequest(), missing); // nothing entered yet
    expect(await seen(mine)).toMatchObject({ code: null });
  });

  it("of a replaced URL can read the reply, but can't enter a code", async () => {
    const checkout = await start();
    await checkout.enterCode("SPRING");
    await merchant.call("POST", `/api/v1/checkout_sessions/${checkout.sessionId}/embed_url`, {});
    expectError(await checkout.enterCode("SUMMER"), badToken);
    expect(await seen(checkout)).toMatchObject({ code: "SPRING" });
    expect((await checkout.updateRequest()).body).toEqual({ entry: 1, status: "pending", reason: null });
  });
});

describe("a reply at the same time as a payment", () => {
  it("exactly one of the two succeeds", async () => {
    for (let round = 0; round < 8; round++) {
      const checkout = await start();
      await checkout.enterCode("SPRING");
      const card = await checkout.encrypt(cardNumbers.approved);
      const [accepted, paid] = await Promise.all([
        accept(checkout, "SPRING"),
        checkout.pay(card, undefined, { version: 1 }),
      ]);
      expect(accepted.status === 200).toBe(paid.status !== 200);
      const charges = await merchant.list(`charges?session_id=${checkout.sessionId}`);
      expect(charges.map(({ amount }) => Number(amount))).toEqual(paid.status === 200 ? [4900] : []);
    }
  });
});

describe("a reply at the same time as another code", () => {
  it("leaves the other code pending", async () => {
    for (let round = 0; round < 8; round++) {
      const checkout = await start();
      await checkout.enterCode("WINTER");
      const [entered, rejected] = await Promise.all([
        checkout.enterCode("SPRING"),
        reject(checkout, "WINTER", "expired"),
      ]);
      expect(entered.status).toBe(200);
      expect([200, 400]).toContain(rejected.status);
      expect(await seen(checkout)).toEqual({ code: "SPRING", status: "pending", reason: null });
    }
  });
});
