/** Tests payments in the dashboard: finding them, their details, and the actions that a team member can take. */
import { randomUUID } from "node:crypto";
import { sql } from "kysely";
import { beforeAll, describe, expect, it, vi } from "vitest";
import { csvHeartbeat } from "@oriel/protocol/dashboard/payments";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { completeChallenge } from "./setup/at-the-bank.ts";
import { cardNumbers, payAndAuthenticate, payUpToChallenge } from "./setup/customer.ts";
import { newWorkspace, signInToWorkspace, type Workspace } from "./setup/dashboard-member.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { settled } from "./setup/payment-state.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { newWebhookEndpoint } from "./setup/webhook-endpoint.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
const workspace = await newWorkspace(service);
const other = await newWorkspace(service);

const idOf = (object: Json | undefined) => String(object?.["id"]);
const idsOf = (objects: Json[]) => objects.map(idOf);

async function paid(of: Workspace, more: object = {}, card: string = cardNumbers.approved): Promise<Json> {
  const checkout = await of.merchant.checkout(more);
  const response = await checkout.pay(card);
  if (response.status !== 200) throw new Error(response.text);
  const [charge] = await of.merchant.list(`charges?session_id=${checkout.sessionId}`);
  if (charge === undefined) throw new Error("There is no charge");
  return charge;
}

/** Returns each timeline entry's type with the fields that distinguish it. */
function timelineOf(payment: Json): string[] {
  const entries = payment["timeline"] as unknown as Json[]; // an array according to the contract
  return entries.map((entry) => {
    const { type, attempt, authentication, event, refund, payment: tried } = entry;
    const details = [
      attempt?.["status"],
      attempt?.["decline_code"],
      authentication?.["flow"],
      authentication?.["result"],
      event?.["type"],
      refund?.["status"],
      tried?.["failure"]?.["decline_code"],
    ];
    return [type, ...details.filter((detail) => detail !== undefined && detail !== null)].map(String).join(" ");
  });
}

describe("a payment's timeline", () => {
  it("shows a declined attempt before the successful one", async () => {
    const checkout = await workspace.merchant.checkout();
    await checkout.pay(cardNumbers.insufficientFunds);
    await checkout.pay(cardNumbers.approved);
    const payment = await workspace.read(`payments/${idOf(await workspace.merchant.chargeOf(checkout))}`);
    expect(timelineOf(payment)).toEqual([
      "session_created",
      "earlier_try insufficient_funds",
      "decision",
      "authorization approved",
      "event payment.succeeded",
    ]);
    expect(payment).toMatchObject({ brand: "visa", last4: "4242", status: "succeeded", is_cut: false });
    const [created] = payment["timeline"] as unknown as Json[]; // an array according to the contract
    expect(created).toMatchObject({ session: { id: checkout.sessionId, amount: 4900, currency: "eur" } });
  });

  it("shows how a customer was challenged and the result", async () => {
    const checkout = await workspace.merchant.checkout({ customer: { email: "nadia@buyers.example" } });
    const { id, payment: challenge } = await payUpToChallenge(checkout);
    await completeChallenge(service, challenge, { code: "111111" });
    await settled(checkout, id);
    const payment = await workspace.read(`payments/${idOf(await workspace.merchant.chargeOf(checkout))}`);
    expect(timelineOf(payment)).toEqual([
      "session_created",
      "decision",
      "authentication challenge authenticated",
      "authorization approved",
      "event payment.succeeded",
    ]);
    expect(payment).toMatchObject({ customer_email: "nadia@buyers.example", three_d_secure_result: "authenticated" });
    const authentication = (payment["timeline"] as unknown as Json[])[2]; // an array according to the contract
    expect(authentication).toMatchObject({
      authentication: {
        version: expect.stringMatching(/^2\./),
        eci: "05",
        trans_status: "Y",
        liability_shift: true,
        is_step_up: false,
      },
    });
  });

  it("shows a capture, a cancellation and refunds, each with its request to the acquirer", async () => {
    const reserved = (await workspace.merchant.charge("pm_card_visa", { capture_method: "manual" })).body;
    await workspace.merchant.capture(idOf(reserved), 4000);
    await workspace.merchant.refund(idOf(reserved), 1000);
    expect(timelineOf(await workspace.read(`payments/${idOf(reserved)}`))).toEqual(
      expect.arrayContaining([
        "decision",
        "authorization approved",
        "capture approved",
        "refund approved succeeded",
        "event refund.succeeded",
      ]),
    );
    const released = (await workspace.merchant.charge("pm_card_visa", { capture_method: "manual" })).body;
    await workspace.merchant.cancel(idOf(released));
    const payment = await workspace.read(`payments/${idOf(released)}`);
    expect(timelineOf(payment)).toEqual(expect.arrayContaining(["cancellation approved", "event charge.canceled"]));
    expect(payment).toMatchObject({ status: "canceled", brand: null, last4: null, customer_email: null });
  });

  it("shows each event with its deliveries", async () => {
    const { path } = await newWebhookEndpoint(workspace.merchant, receiver);
    const charge = await paid(workspace);
    const payment = await workspace.read(`payments/${idOf(charge)}`);
    // The contract says this is an array.
    const event = (payment["timeline"] as unknown as Json[]).find(({ type }) => String(type) === "event");
    expect(event).toMatchObject({ deliveries: [{ url: `${receiver.url}${path}`, event_type: "payment.succeeded" }] });
  });
});

describe("a payment's order and customer", () => {
  it("come from the session, and the order number from its metadata", async () => {
    const customer = { email: "tom@buyers.example", name: "Tom Baker", reference: "c-9" };
    const line_items = [
      { name: "Cup, glazed", amount: 2000, quantity: 2 },
      { name: "Saucer", amount: 900, quantity: 1 },
    ];
    const order = { description: "Two cups", metadata: { order_id: "1234", gift: "yes" }, line_items, customer };
    const charge = await paid(workspace, order);
    const shown = {
      customer_email: "tom@buyers.example",
      customer_name: "Tom Baker",
      customer_reference: "c-9",
      order: { number: "1234", description: "Two cups", first_item: "Cup, glazed", item_count: 2 },
    };
    const payment = await workspace.read(`payments/${idOf(charge)}`);
    expect(payment).toMatchObject({ ...shown, later_payment: null });
    expect((payment["timeline"] as unknown as Json[])[0]).toMatchObject({ session: { line_items } }); // an array according to the contract
    const [listed] = await workspace.list(`payments?search=${idOf(charge)}`);
    expect(listed).toMatchObject(shown);
  });

  it("have the amount and the line items that the customer saw, even if they changed afterwards", async () => {
    const item = { name: "Cup", amount: 4900, quantity: 1 };
    const { merchant } = workspace;
    const checkout = await merchant.checkout({ line_items: [item] });
    await checkout.pay(cardNumbers.declined);
    const [charge] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    const change = { line_items: [{ ...item, quantity: 2 }] };
    expect(await merchant.call("PATCH", `/api/v1/checkout_sessions/${checkout.sessionId}`, change)).toMatchObject({
      body: { version: 2, amount: 9800 },
    });
    const payment = await workspace.read(`payments/${idOf(charge)}`);
    const [created] = payment["timeline"] as unknown as Json[]; // an array according to the contract
    expect(created).toMatchObject({ session: { version: 1, amount: 4900, line_items: [item] } });
  });

  it("are those of the session that saved the card if the charge has no session", async () => {
    const saved = await paid(workspace, {
      save_payment_method: true,
      customer: { email: "mo@buyers.example", name: "Mo" },
      metadata: { order: "first" },
    });
    const renewal = await workspace.merchant.charge(String(saved["payment_method_id"]), {
      metadata: { invoice_id: "R-2" },
    });
    const found = await workspace.list("payments?search=mo@buyers.example");
    expect(idsOf(found)).toEqual([idOf(renewal.body), idOf(saved)]);
    expect(await workspace.read(`payments/${idOf(renewal.body)}`)).toMatchObject({
      session_id: null,
      customer_email: "mo@buyers.example",
      customer_name: "Mo",
      order: { number: "R-2", description: null, first_item: null, item_count: 0 },
    });
  });

  it("have the items of the version that the charge is for", async () => {
    const cup = { name: "Cup", amount: 2000, quantity: 1 };
    const checkout = await workspace.merchant.checkout({ amount: 2000, line_items: [cup] });
    await checkout.pay(cardNumbers.insufficientFunds);
    const line_items = [{ ...cup, name: "Saucer" }, cup];
    await workspace.merchant.call("PATCH", `/api/v1/checkout_sessions/${checkout.sessionId}`, { line_items });
    await checkout.reopen();
    await checkout.pay(cardNumbers.approved);
    expect(await workspace.list(`payments?search=${checkout.sessionId}`)).toMatchObject([
      { amount: 4000, order: { first_item: "Saucer", item_count: 2 } },
      { amount: 2000, order: { first_item: "Cup", item_count: 1 } },
    ]);
  });

  it("name the payment that followed a failed one in the same session", async () => {
    const checkout = await workspace.merchant.checkout();
    await checkout.pay(cardNumbers.insufficientFunds);
    await checkout.pay(cardNumbers.approved);
    const [succeeded, failed] = await workspace.merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(await workspace.read(`payments/${idOf(failed)}`)).toMatchObject({
      failure: { message: expect.stringMatching(/insufficient funds\. The customer can use another card/) },
      later_payment: { id: idOf(succeeded), status: "succeeded" },
    });
    expect(await workspace.read(`payments/${idOf(succeeded)}`)).toMatchObject({ later_payment: null });
  });
});

describe("payment search", () => {
  let searchWorkspace: Workspace;
  let plain: Json;
  let declined: Json;
  let yen: Json;
  let charged: Json;
  beforeAll(async () => {
    searchWorkspace = await newWorkspace(service);
    const customer = { email: "Ines@Buyers.example", reference: "customer 77" };
    const line_items = [{ name: "Jug, blue", amount: 4900, quantity: 1 }];
    const description = "Gift for Söhne & Co.";
    plain = await paid(searchWorkspace, { customer, description, line_items, metadata: { orderId: "A-1001" } });
    declined = await paid(searchWorkspace, {}, cardNumbers.stolen);
    const checkout = await searchWorkspace.merchant.checkout({ amount: 700, currency: "jpy" });
    await payAndAuthenticate(checkout, cardNumbers.frictionlessWithoutMethod);
    yen = await searchWorkspace.merchant.chargeOf(checkout);
    charged = (await searchWorkspace.merchant.charge("pm_card_visa", { metadata: { note: "by hand" } })).body;
  });

  const all = () => [charged, yen, declined, plain];

  it("lists the newest first, page by page", async () => {
    expect(idsOf(await searchWorkspace.list("payments"))).toEqual(idsOf(all()));
    const first = await searchWorkspace.read("payments?limit=3");
    expect(first).toMatchObject({ has_more: true, cursor: idOf(declined), searched_to: null });
    const second = await searchWorkspace.read(`payments?limit=3&starting_after=${String(first["cursor"])}`);
    expect(second).toMatchObject({ data: [{ id: idOf(plain) }], has_more: false, cursor: null });
  });

  it.each<[string, () => Json[]]>([
    ["status=failed", () => [declined]],
    ["status=succeeded", () => [charged, yen, plain]],
    ["status=authorized", () => []],
    ["currency=jpy", () => [yen]],
    ["min_amount=4900", () => [charged, declined, plain]],
    ["max_amount=700", () => [yen]],
    ["min_amount=701&max_amount=4899", () => []],
    ["last4=9979", () => [declined]],
    ["last4=0000", () => []],
    ["brand=mastercard", () => [yen]],
    ["decline_code=stolen_card", () => [declined]],
    ["decline_code=stolen_card&currency=jpy", () => []],
    ["from=1&to=2", () => []],
    ["from=1", all],
    ["to=99999999999", all],
    ["status=succeeded&currency=eur&min_amount=4900&last4=4242&brand=visa", () => [plain]],
    ["search=ines@buyers.example", () => [plain]],
    ["search=customer%2077", () => [plain]],
    ["search=a-1001", () => [plain]],
    ["search=by%20hand", () => [charged]],
    ["search=by", () => [charged]],
    ["search=b", () => []],
    ["search=1001", () => [plain]],
    ["search=order%201001", () => [plain]],
    ["search=%231001", () => [plain]],
    ["search=order%201002", () => []],
    ["search=ines", () => [plain]],
    ["search=Ines%40", () => [plain]],
    ["search=nes", () => []],
    ["search=other.ines@buyers.example", () => []],
    ["search=77", () => [plain]],
    ["search=gift", () => [plain]],
    ["search=Gift%20s%C3%B6hne", () => [plain]],
    ["search=gift%20stolen", () => []],
    ["search=jug", () => [plain]],
    ["search=4242", () => [plain]],
    ["search=%E2%80%A2%E2%80%A2%204242", () => [plain]],
    ["search=ines%204242", () => [plain]],
    ["search=ines%209979", () => []],
    ["search=9979", () => [declined]],
    ["search=49", () => [charged, declined, plain]],
    ["search=%E2%82%AC49.00", () => [charged, declined, plain]],
    ["search=-%E2%82%AC%E2%80%AF49.00%C2%A0EUR", () => [charged, declined, plain]],
    ["search=49&status=failed", () => [declined]],
    ["search=4900", () => []],
    ["search=700", () => [yen]],
    ["search=%C2%A5700", () => [yen]],
    ["search=7.00", () => []],
    ["search=pm_card_visa", () => [charged]],
    ["search=A-1001&status=failed", () => []],
  ])("finds matches for %s", async (query, expected) => {
    expect(idsOf(await searchWorkspace.list(`payments?${query}`))).toEqual(idsOf(expected()));
  });

  it("finds a payment by the ID of any object that belongs to it", async () => {
    const refund = await searchWorkspace.merchant.refund(idOf(plain), 100);
    const events = await searchWorkspace.merchant.events();
    const ids = [
      ...["id", "session_id", "decision_id", "payment_method_id"].map((name) => String(plain[name])),
      idOf(refund.body),
      ...idsOf(events.filter(({ data }) => [idOf(plain), idOf(refund.body)].includes(idOf(data?.["object"])))),
    ];
    expect(ids).toHaveLength(7);
    const found = await Promise.all(ids.map(async (id) => idsOf(await searchWorkspace.list(`payments?search=${id}`))));
    expect(found).toEqual(ids.map(() => [idOf(plain)]));
  });

  it.each([
    "limit=0",
    "limit=101",
    "status=paid",
    "currency=EUR",
    "min_amount=-1",
    "from=now",
    "last4=42",
    "search=",
    "search=4242424242424242",
    "search=card%204242%204242%204242%204242",
    "color=red",
  ])("refuses %s", async (query) => {
    expect((await searchWorkspace.visitor.inWorkspace("GET", `payments?${query}`)).status).toBe(400);
  });

  it("scans a limited number of rows per request, reports how far it got and continues from there", async () => {
    const { db, now } = service.context;
    const { accountNo } = searchWorkspace.merchant.tenant;
    const lead = "0".repeat(20);
    // Not all at once, because triggers on a Citus worker need a millisecond for each row.
    for (let first = 1; first < 12_000; first += 3_000) {
      const older = sql`select g, ${lead} || lpad(g::text, 13, '0') as place, ${now()}::timestamptz - interval '1 year' + g * interval '1 second' as at
                          from generate_series(${first}::integer, ${first + 2_999}::integer) g`;
      await sql`
        with older as (${older}), decided as (
          insert into decision (id, account_no, livemode, payment_method_id, status, amount, currency, risk_level, risk_reasons, charge_id, expires_at, created_at)
          select 'dec_' || place, ${accountNo}::bigint, false, 'pm_card_visa', 'consumed', 100, 'sek', 'normal', '{}', 'ch_' || place, at, at from older
          returning id)
        select count(*) from decided`.execute(db);
      await sql`
        insert into charge (id, account_no, livemode, payment_method_id, decision_id, status, amount, currency, amount_captured, capture_method, metadata, created_at)
        select 'ch_' || place, ${accountNo}::bigint, false, 'pm_card_visa', 'dec_' || place, 'succeeded', case g when 1 then 777 else 100 end, 'sek',
               case g when 1 then 777 else 100 end, 'automatic', '{}', at from (${older}) older`.execute(db);
    }
    const searches: Json[] = [];
    for (let cursor = ""; cursor !== "null" && searches.length < 9;) {
      const page: Json = await searchWorkspace.read(
        `payments?min_amount=777&max_amount=777${cursor === "" ? "" : `&starting_after=${cursor}`}`,
      );
      searches.push(page);
      cursor = String(page["cursor"]);
    }
    expect(searches.map(({ data }) => (data as unknown as Json[]).length)).toEqual([0, 0, 1]);
    expect(searches[0]).toMatchObject({ has_more: true, searched_to: expect.any(Number) });
    expect(searches[2]).toMatchObject({ has_more: false, cursor: null, searched_to: null });
    const { text } = await searchWorkspace.visitor.inWorkspace("GET", "payments.csv?min_amount=777&max_amount=777");
    expect(text.split("\r\n")).toEqual([
      expect.stringMatching(/^\ufeff"id"/),
      expect.stringMatching(`^${csvHeartbeat}{2}"ch_`),
      "# complete",
      "",
    ]);
    const common: Json = await searchWorkspace.read("payments?limit=3&search=SEK%201");
    expect(common).toMatchObject({ data: [{ amount: 100 }, { amount: 100 }, { amount: 100 }], has_more: true });
    expect(idsOf(await searchWorkspace.list("payments?search=7.77"))).toEqual([`ch_${lead}${"1".padStart(13, "0")}`]);
    // An index query can't return this many matches, so the search scans rows and must find each match once.
    const found: string[] = [];
    for (let cursor = ""; cursor !== "null" && found.length < 20_000;) {
      const page: Json = await searchWorkspace.read(
        `payments?limit=100&search=pm_card_visa${cursor === "" ? "" : `&starting_after=${cursor}`}`,
      );
      found.push(...idsOf(page["data"] as unknown as Json[]));
      cursor = String(page["cursor"]);
    }
    expect([found.length, new Set(found).size]).toEqual([12_001, 12_001]);
  });
});

describe("the overview", () => {
  it("totals payments by currency and day and counts refusals", async () => {
    const shop = await newWorkspace(service);
    const first = await paid(shop);
    await paid(shop, {}, cardNumbers.insufficientFunds);
    await shop.merchant.charge("pm_card_visa", { capture_method: "manual" });
    await shop.merchant.refund(idOf(first), 900);
    const yen = await shop.merchant.checkout({ amount: 700, currency: "jpy" });
    const { id, payment } = await payUpToChallenge(yen);
    await completeChallenge(service, payment, "cancel");
    await settled(yen, id);
    const overview = await shop.read("overview?days=7");
    expect(overview).toMatchObject({
      days: 7,
      declines: [
        { decline_code: "authentication_canceled", count: 1 },
        { decline_code: "insufficient_funds", count: 1 },
      ],
      risk_refused: 0,
      three_d_secure_failed: 1,
    });
    const [eur, jpy] = overview["currencies"] as unknown as Json[]; // an array according to the contract
    const sums = { captured: 4900, refunded: 900, payments: 3, approved: 2, failed: 1 };
    expect(eur).toMatchObject({ currency: "eur", ...sums, success_rate: 2 / 3 });
    expect(jpy).toMatchObject({ currency: "jpy", captured: 0, payments: 1, failed: 1, success_rate: 0 });
    const series = eur?.["series"] as unknown as Json[]; // an array according to the contract
    expect(series.map(({ date }) => String(date))).toEqual([...new Set(series.map(({ date }) => String(date)))].sort());
    expect(series).toHaveLength(7);
    expect(series.at(-1)).toEqual({ date: String(overview["to"]), ...sums });
    expect(series[0]).toEqual({
      date: String(overview["from"]),
      captured: 0,
      refunded: 0,
      payments: 0,
      approved: 0,
      failed: 0,
    });
    expect((await shop.visitor.inWorkspace("GET", "overview?days=8")).status).toBe(400);
  });
});

describe("refunds, captures and cancellations", () => {
  it("refund once after a double click and replay a lost response", async () => {
    const charge = await paid(workspace);
    const key = randomUUID();
    const refund = () => workspace.post(`payments/${idOf(charge)}/refund`, { amount: 1500, reason: "torn" }, key);
    const responses: ApiResponse[] = [...(await Promise.all([refund(), refund()])), await refund()];
    for (const { status, body } of responses) expect([status, idOf(body)]).toEqual([200, idOf(responses[0]?.body)]);
    expect(responses[2]?.headers["idempotent-replayed"]).toBe("true");
    expect(await workspace.read(`payments/${idOf(charge)}`)).toMatchObject({ amount_refunded: 1500 });
    expect((await workspace.audited()).filter(({ object_id }) => object_id === idOf(charge))).toEqual([
      {
        actor: `login ${workspace.visitor.email}`,
        action: "payment.refunded",
        object_id: idOf(charge),
        details: {
          address: "127.0.0.1",
          amount: 1500,
          currency: "eur",
          refund: idOf(responses[0]?.body),
          livemode: false,
        },
      },
    ]);
    expectError(await workspace.post(`payments/${idOf(charge)}/refund`, { amount: 1 }, key), {
      status: 422,
      type: "idempotency_error",
      code: "idempotency_key_in_use",
      param: "Idempotency-Key",
    });
  });

  it("capture part of a charge, cancel one, and audit both", async () => {
    const reserve = async () => (await workspace.merchant.charge("pm_card_visa", { capture_method: "manual" })).body;
    const [taken, left] = [await reserve(), await reserve()];
    expect(
      (await workspace.post(`payments/${idOf(taken)}/capture`, { amount: 4000 }, randomUUID())).body,
    ).toMatchObject({
      status: "succeeded",
      amount_captured: 4000,
    });
    expect((await workspace.post(`payments/${idOf(left)}/cancel`, {}, randomUUID())).body).toMatchObject({
      status: "canceled",
    });
    const audited = (await workspace.audited()).filter(({ object_id }) =>
      [idOf(taken), idOf(left)].includes(String(object_id)),
    );
    expect(audited.map(({ action, details }) => [action, details["amount"]])).toEqual([
      ["payment.captured", 4000],
      ["payment.canceled", 4900],
    ]);
  });

  it("keep their idempotency keys separate from the API's", async () => {
    const charge = await paid(workspace);
    const key = randomUUID();
    const byApi = await workspace.merchant.refund(idOf(charge), 100, key);
    const byHand = await workspace.post(`payments/${idOf(charge)}/refund`, { amount: 100 }, key);
    expect([byApi.status, byHand.status]).toEqual([200, 200]);
    expect(idOf(byApi.body)).not.toBe(idOf(byHand.body));
    const again = await workspace.merchant.call(
      "POST",
      "/api/v1/refunds",
      { charge_id: idOf(charge), amount: 100 },
      { "idempotency-key": `dashboard ${key}` },
    );
    expectError(again, invalid("idempotency_key_invalid", "Idempotency-Key"));
  });

  it("report an unknown outcome and return the final one later for the same key", async () => {
    const charge = await paid(workspace);
    const key = randomUUID();
    const refund = () => workspace.post(`payments/${idOf(charge)}/refund`, {}, key);
    vi.spyOn(service.context.vault.test, "refund").mockResolvedValueOnce({ outcome: "unknown", reason: "silence" });
    expectError(await refund(), { status: 503, type: "api_error", code: "payment_outcome_unknown" });
    const response = await vi.waitFor(async () => {
      const later = await refund();
      expect(later.status).toBe(200);
      return later;
    }, 20_000);
    expect(response.body).toMatchObject({ status: "succeeded", amount: 4900 });
    expect((await workspace.audited()).filter(({ object_id }) => object_id === idOf(charge))).toHaveLength(1);
  });

  it("move no money and audit nothing when they are refused", async () => {
    const charge = await paid(workspace);
    const before = (await workspace.audited()).length;
    const path = `payments/${idOf(charge)}`;
    expectError(await workspace.post(`${path}/refund`, {}), invalid("idempotency_key_invalid", "Idempotency-Key"));
    expectError(
      await workspace.post(`${path}/refund`, { amount: 4901 }, randomUUID()),
      invalid("amount_too_large", "amount"),
    );
    expectError(
      await workspace.post(`${path}/refund`, { status: "succeeded" }, randomUUID()),
      invalid("parameter_unknown", "status"),
    );
    expectError(await workspace.post(`${path}/capture`, {}, randomUUID()), invalid("charge_not_capturable"));
    expectError(await workspace.post(`${path}/cancel`, {}, randomUUID()), invalid("charge_not_cancelable"));
    expect((await workspace.audited()).length).toBe(before);
    expect(await workspace.read(path)).toMatchObject({ amount_refunded: 0 });
  });

  it("require the matching role", async () => {
    const charge = await paid(workspace);
    const reader = await signInToWorkspace(service, workspace.merchant, "read_only");
    const refused = await reader.post(`payments/${idOf(charge)}/refund`, {}, randomUUID());
    expect([refused.status, refused.body]).toMatchObject([403, { error: { code: "permission_missing" } }]);
    expect(await reader.read(`payments/${idOf(charge)}`)).toMatchObject({ amount_refunded: 0 });
  });
});

describe("payment methods", () => {
  it("lists saved payment methods with their customers and detaches them", async () => {
    const shop = await newWorkspace(service);
    const charge = await paid(shop, { save_payment_method: true, customer: { email: "li@buyers.example" } });
    await paid(shop);
    const id = String(charge["payment_method_id"]);
    expect(await shop.list("payment-methods")).toMatchObject([
      {
        id,
        brand: "visa",
        last4: "4242",
        exp_month: 12,
        exp_year: 2040,
        customer_email: "li@buyers.example",
        reusable: true,
      },
    ]);
    expect((await shop.post(`payment-methods/${id}/detach`)).body).toMatchObject({ id, reusable: false });
    expect(await shop.list("payment-methods")).toEqual([]);
    expect((await shop.audited()).at(-1)).toMatchObject({
      actor: `login ${shop.visitor.email}`,
      action: "payment_method.detached",
      object_id: id,
    });
  });
});

const hostile = [
  "<script>alert(1)</script>",
  `"quoted", and 'so'`,
  "=cmd|'/C calc'!A0",
  "  +1+1",
  "\u{202e}evil.example/fdp\u{202c}",
  "\u{ff1d}1+1",
  "מחיר \u{200f}100",
  "x".repeat(500),
];

it("returns typed text unchanged in JSON and neutralizes formulas in a spreadsheet", async () => {
  const shop = await newWorkspace(service);
  const metadata = Object.fromEntries(hostile.map((text, i) => [`field ${i}`, text]));
  const charge = await paid(shop, {
    metadata,
    customer: { email: "=1+1@x.example", name: hostile[0], reference: hostile[2] },
  });
  const payment = await shop.read(`payments/${idOf(charge)}`);
  const [created] = payment["timeline"] as unknown as Json[]; // an array according to the contract
  expect(created).toMatchObject({ session: { metadata, customer: { name: hostile[0], reference: hostile[2] } } });
  const found = await Promise.all(hostile.map((text) => shop.list(`payments?search=${encodeURIComponent(text)}`)));
  expect(found.map(idsOf)).toEqual(hostile.map(() => [idOf(charge)]));
  const { text, headers } = await shop.visitor.inWorkspace("GET", "payments.csv");
  expect(headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": expect.stringMatching(/^attachment; filename="payments-test-\d{4}-\d\d-\d\d\.csv"$/),
  });
  const [, row] = text.split("\r\n");
  expect(row).toContain(`"'=1+1@x.example"`);
  expect(row).toContain(",49.00,49.00,0.00,");
});

it("exports the order and the customer of checkout payments and API payments", async () => {
  const shop = await newWorkspace(service);
  await paid(shop, {
    description: "=Two mugs",
    metadata: { order_id: "+1001", color: "blue" },
    customer: { name: "@Ann", reference: "-42" },
  });
  await shop.merchant.charge("pm_card_visa", { metadata: { order_id: "1002" } });
  const [head = "", ...lines] = (await shop.visitor.inWorkspace("GET", "payments.csv")).text.split("\r\n");
  const names = ["order_number", "description", "customer_name", "customer_reference"];
  const places = names.map((name) => head.split(",").indexOf(`"${name}"`));
  expect(lines.slice(0, 2).map((line) => places.map((place) => line.split(",")[place]))).toEqual([
    [`"1002"`, "", "", ""],
    [`"'+1001"`, `"'=Two mugs"`, `"'@Ann"`, `"'-42"`],
  ]);
  expect(lines[1]).toContain(`""order_id"":""+1001""`);
});

it("exports the same payments with the same filters", async () => {
  const shop = await newWorkspace(service);
  const charges = [await paid(shop), await paid(shop, {}, cardNumbers.stolen)];
  const lines = async (query: string) =>
    (await shop.visitor.inWorkspace("GET", `payments.csv${query}`)).text.split("\r\n");
  expect((await lines("")).map((line) => line.split(",")[0])).toEqual([
    expect.stringContaining("id"),
    `"${idOf(charges[1])}"`,
    `"${idOf(charges[0])}"`,
    "# complete",
    "",
  ]);
  expect(await lines("?status=failed")).toHaveLength(4);
  expect((await shop.visitor.inWorkspace("GET", "payments.csv?limit=1")).status).toBe(400);
});

describe("two merchants", () => {
  it("can't see each other's payments, whichever ID they send in whichever field", async () => {
    const text = {
      customer: { email: "only@ours.example", reference: "only ours" },
      metadata: { secret: "only-ours-7" },
    };
    const charge = await paid(workspace, { ...text, save_payment_method: true });
    const refund = await workspace.merchant.refund(idOf(charge), 100);
    const reserved = (await workspace.merchant.charge("pm_card_visa", { capture_method: "manual" })).body;
    await paid(other);
    const ids = ["id", "session_id", "decision_id", "payment_method_id"].map((name) => String(charge[name]));
    const events = idsOf(await workspace.merchant.events(idOf(charge)));

    const responses: ApiResponse[] = [];
    for (const id of [...ids, idOf(refund.body), ...events]) {
      responses.push(await other.visitor.inWorkspace("GET", `payments/${id}`));
      for (const verb of ["refund", "capture", "cancel"])
        responses.push(await other.post(`payments/${id}/${verb}`, {}, randomUUID()));
      responses.push(await other.post(`payment-methods/${id}/detach`));
      expect(await other.list(`payments?search=${id}`)).toEqual([]);
    }
    responses.push(await other.post(`payments/${idOf(reserved)}/capture`, {}, randomUUID()));
    for (const response of responses) expectError(response, missing);
    expect(responses.length).toBeGreaterThan(30);

    for (const search of ["only@ours.example", "only ours", "only-ours-7", "ours", "only", "7", "secret"]) {
      expect(await workspace.list(`payments?search=${encodeURIComponent(search)}`)).toHaveLength(1);
      expect(await other.list(`payments?search=${encodeURIComponent(search)}`)).toEqual([]);
    }
    expect(await other.list("payment-methods")).toEqual([]);
    const theirs = idsOf(await other.list(`payments?starting_after=${idOf(reserved)}~`));
    expect(theirs).not.toContain(idOf(charge));
    expect((await other.visitor.inWorkspace("GET", "payments.csv")).text).not.toContain(idOf(charge));
    expect(await workspace.read(`payments/${idOf(charge)}`)).toMatchObject({ amount_refunded: 100 });
    expect(await workspace.list("payment-methods")).toContainEqual(
      expect.objectContaining({ id: String(charge["payment_method_id"]) }),
    );
  });

  it("can't use another account or see the other mode", async () => {
    const charge = await paid(workspace);
    const paths = ["overview", "payments", "payments.csv", `payments/${idOf(charge)}`, "payment-methods"];
    for (const path of paths) {
      expectError(await other.visitor.call("GET", `/data/${workspace.visitor.accountId}/test/${path}`), missing);
    }
    const live = `/data/${workspace.visitor.accountId}/live`;
    expectError(await workspace.visitor.call("GET", `${live}/payments/${idOf(charge)}`), missing);
    expect((await workspace.visitor.call("GET", `${live}/payments?search=${idOf(charge)}`)).body).toMatchObject({
      data: [],
    });
    expect((await workspace.visitor.call("GET", `${live}/overview`)).body).toMatchObject({ currencies: [] });
  });
});
