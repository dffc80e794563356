/**
 * Tests customers and the saved cards that belong to them. `other-customers.test.ts` tests their isolation, and
 * `customer-races.postgres.test.ts` concurrent changes.
 */
import { sql } from "kysely";
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newId } from "../src/platform/ids.ts";
import { sweep } from "../src/worker.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers } from "./setup/customer.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant, order } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { storedCards } from "./setup/vault-counts.ts";

const service = await openForTests(startTestService());
const { db } = service.context;
const merchant = await newMerchant(service);

const post = (path: string, body: object = {}, headers = {}) => merchant.call("POST", `/api/v1/${path}`, body, headers);
const patch = (path: string, body: object) => merchant.call("PATCH", `/api/v1/${path}`, body);
const remove = (id: unknown) => merchant.call("DELETE", `/api/v1/customers/${String(id)}`);
const create = async (fields: object = {}): Promise<string> => idOf(await post("customers", fields));
const attach = (card: string, customer_id: string) => post(`payment_methods/${card}/attach`, { customer_id });
const cardsOf = async (customer: string) =>
  (await merchant.list(`customers/${customer}/payment_methods`)).map(({ id }) => id);
const eventsAbout = async (id: string) => (await merchant.events(id)).map(({ type }) => String(type));

function idOf(response: ApiResponse): string {
  if (response.status !== 200) throw new Error(response.text);
  return String(response.body["id"]);
}

/** A card that a setup session has saved. */
async function save(): Promise<string> {
  const checkout = await merchant.checkout({ mode: "setup", amount: undefined, currency: undefined });
  await checkout.pay(cardNumbers.approved);
  return String((await checkout.session())["payment_method_id"]);
}

async function saveFor(customer: string): Promise<string> {
  const card = await save();
  expect((await attach(card, customer)).status).toBe(200);
  return card;
}

let references = 0;
const newReference = () => `user-${++references}`;

describe("a customer", () => {
  const ada = { email: "ada@customer.example", name: "Ada Vance", phone: "+49 30 123456", metadata: { tier: "gold" } };

  it("has the fields that were sent, and null for the others", async () => {
    const reference = newReference();
    const created = await post("customers", { reference, ...ada });
    const id = idOf(created);
    expect(created.body).toEqual({
      id: expect.stringMatching(/^cus_[0-9a-z]{33}$/),
      object: "customer",
      livemode: false,
      created: expect.any(Number),
      reference,
      ...ada,
    });
    expect(await merchant.read(`customers/${id}`)).toEqual(created.body);
    const empty = await merchant.read(`customers/${await create()}`);
    expect(empty).toMatchObject({ reference: null, email: null, name: null, phone: null, metadata: {} });
    expect(await merchant.events(id)).toEqual([]);
  });

  it("is created once for an idempotency key", async () => {
    const key = { "idempotency-key": "customer-1" };
    const fields = { reference: newReference() };
    const first = await post("customers", fields, key);
    expect((await post("customers", fields, key)).text).toBe(first.text);
    expect(await merchant.list(`customers?reference=${fields.reference}`)).toHaveLength(1);
  });

  it("changes only in the fields that are sent, and null clears a field", async () => {
    const id = await create({ reference: newReference(), ...ada });
    const before = await merchant.read(`customers/${id}`);
    expect((await patch(`customers/${id}`, {})).body).toEqual(before);
    const changed = await patch(`customers/${id}`, {
      name: null,
      phone: "+1 202 555 0142",
      metadata: { tier: null, a: "1" },
    });
    expect(changed.body).toEqual({ ...before, name: null, phone: "+1 202 555 0142", metadata: { a: "1" } });
    expect(await merchant.read(`customers/${id}`)).toEqual(changed.body);
    expect((await patch(`customers/${id}`, { reference: null, email: null })).body).toMatchObject({
      reference: null,
      email: null,
    });
  });

  it("is listed newest first, and found by its reference or its email address", async () => {
    const own = await newMerchant(service);
    const ids: string[] = [];
    for (const fields of [
      { reference: "a" },
      { email: "ada@customer.example" },
      { reference: "b", email: "ada@customer.example" },
    ])
      ids.unshift(idOf(await own.call("POST", "/api/v1/customers", fields)));
    const listed = async (query: string) => (await own.list(`customers${query}`)).map(({ id }) => id);
    expect(await listed("")).toEqual(ids);
    expect(await listed("?limit=1")).toEqual(ids.slice(0, 1));
    expect(await listed(`?starting_after=${ids[0]}&limit=1`)).toEqual([ids[1]]);
    expect(await listed("?reference=b")).toEqual([ids[0]]);
    expect(await listed("?email=ada%40customer.example")).toEqual([ids[0], ids[1]]);
    expect(await listed(`?email=ada%40customer.example&starting_after=${ids[0]}`)).toEqual([ids[1]]);
    for (const query of [
      "?reference=c",
      "?reference=",
      "?email=Ada%40customer.example",
      "?reference=a&email=ada%40customer.example",
    ])
      expect(await listed(query)).toEqual([]);
  });

  it.each<[string, object, string]>([
    ["an empty reference", { reference: "" }, "reference"],
    ["a long reference", { reference: "x".repeat(201) }, "reference"],
    ["a long email address", { email: `${"x".repeat(250)}@b.example` }, "email"],
    ["a long name", { name: "x".repeat(201) }, "name"],
    ["a long phone number", { phone: "0".repeat(41) }, "phone"],
    ["a list of references", { reference: ["a"] }, "reference"],
    ["metadata that isn't text", { metadata: { a: 1 } }, "metadata.a"],
    [
      "too many metadata keys",
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, i) => [`key${i}`, ""])) },
      "metadata",
    ],
    ["a card number as the name", { name: "4242 4242 4242 4242" }, "name"],
    ["a card number as the reference", { reference: "4242424242424242" }, "reference"],
    ["a card number as the phone number", { phone: "+4242424242424242" }, "phone"],
    ["a card number written like a phone number", { phone: "(4242) 4242.4242.4242" }, "phone"],
    ["a card number in the metadata", { metadata: { card: "4242424242424242" } }, "metadata.card"],
  ])("can't have %s", async (_, fields, param) => {
    const id = await create();
    for (const response of [await post("customers", fields), await patch(`customers/${id}`, fields)])
      expectError(response, invalid("parameter_invalid", param));
    expect(await dumpDatabase(db)).not.toContain("4242424242424242");
  });

  it("can't have a field that doesn't exist, or null in a new customer", async () => {
    expectError(await post("customers", { deleted: true }), invalid("parameter_unknown", "deleted"));
    expectError(await post("customers", { email: null }), invalid("parameter_invalid", "email"));
  });

  it("can't have a card number as the phone number, even if the idempotency key was used before", async () => {
    const key = { "idempotency-key": "used-before" };
    const first = await post("customers", {}, key);
    expectError(await post("customers", { phone: "4242424242424242" }, key), invalid("parameter_invalid", "phone"));
    expect((await post("customers", {}, key)).text).toBe(first.text);
  });

  it("can have a phone number that looks like a card number", async () => {
    expect((await post("customers", { phone: "+639175550149" })).body).toMatchObject({ phone: "+639175550149" });
  });

  it("can't get more metadata keys than a new customer", async () => {
    const keys = (from: number) => Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`key${from + i}`, "x"]));
    const id = await create({ metadata: keys(0) });
    expectError(await patch(`customers/${id}`, { metadata: keys(30) }), invalid("parameter_invalid", "metadata"));
    expect((await merchant.read(`customers/${id}`))["metadata"]).toEqual(keys(0));
  });
});

describe("a reference", () => {
  const taken = invalid("parameter_invalid", "reference");

  it("belongs to one customer, and the error names that customer", async () => {
    const reference = newReference();
    const id = await create({ reference });
    const other = await create({ reference: newReference() });
    for (const response of [await post("customers", { reference }), await patch(`customers/${other}`, { reference })]) {
      expectError(response, taken);
      expect(response.body["error"]?.["message"]).toContain(id);
    }
    expect((await patch(`customers/${id}`, { reference, name: "Ada" })).status).toBe(200);
    expect(await merchant.list(`customers?reference=${reference}`)).toMatchObject([{ id, name: "Ada" }]);
  });

  it("can be used again once its customer has another one or is deleted", async () => {
    const reference = newReference();
    const first = await create({ reference });
    await patch(`customers/${first}`, { reference: null });
    const second = await create({ reference });
    await remove(second);
    const third = await create({ reference });
    expect(await merchant.list(`customers?reference=${reference}`)).toMatchObject([{ id: third }]);
  });
});

describe("a saved card", () => {
  it("gets a customer once, with an event", async () => {
    const [ada, bob] = [await create(), await create()];
    const card = await save();
    const before = await merchant.read(`payment_methods/${card}`);
    expect(before).toMatchObject({
      customer_id: null,
      usage: "off_session",
      consent: null,
      removable_by_customer: true,
      last_used_at: null,
    });
    const attached = await attach(card, ada);
    expect(attached.body).toEqual({ ...before, customer_id: ada });
    expect((await attach(card, ada)).body).toEqual(attached.body);
    expectError(await attach(card, bob), invalid("parameter_invalid", "customer_id"));
    expect(await merchant.read(`payment_methods/${card}`)).toEqual(attached.body);
    expect([await cardsOf(ada), await cardsOf(bob)]).toEqual([[card], []]);
    expect(await eventsAbout(card)).toEqual(["payment_method.attached"]);
  });

  it("stays without a customer if the customer or the card can't be used", async () => {
    const [ada, deleted] = [await create(), await create()];
    await remove(deleted);
    const card = await save();
    const noCustomer = invalid("resource_missing", "customer_id");
    for (const customer of ["cus_none", "x", deleted, card]) expectError(await attach(card, customer), noCustomer);
    for (const id of ["pm_none", "pm_card_visa", ada]) expectError(await attach(id, ada), missing);
    expectError(await post(`payment_methods/${card}/attach`), invalid("parameter_missing", "customer_id"));

    const checkout = await merchant.checkout();
    await checkout.pay(cardNumbers.approved);
    const unsaved = String((await merchant.chargeOf(checkout))["payment_method_id"]);
    await post(`payment_methods/${card}/detach`);
    for (const id of [unsaved, card]) expectError(await attach(id, ada), invalid("payment_method_not_reusable"));
    expect(await cardsOf(ada)).toEqual([]);
    expect(await merchant.read(`payment_methods/${unsaved}`)).toMatchObject({ usage: null, last_used_at: null });
    const setCustomer = db.updateTable("payment_method").set({ customer_id: ada }).where("id", "=", unsaved);
    await expect(setCustomer.execute()).rejects.toThrow("payment_method_saved_for_customer");
  });

  it("is attached once for an idempotency key", async () => {
    const ada = await create();
    const card = await save();
    const send = () => post(`payment_methods/${card}/attach`, { customer_id: ada }, { "idempotency-key": "attach-1" });
    const first = await send();
    await remove(ada);
    const again = await send();
    expect(again.text).toBe(first.text);
    expect(again.headers["idempotent-replayed"]).toBe("true");
  });

  it("can be kept from being removed by the customer, with an event only if that changes", async () => {
    const card = await save();
    const change = (removable_by_customer: boolean) => patch(`payment_methods/${card}`, { removable_by_customer });
    for (const value of [true, false, false])
      expect((await change(value)).body).toMatchObject({ id: card, removable_by_customer: value });
    expect((await patch(`payment_methods/${card}`, {})).body).toMatchObject({ removable_by_customer: false });
    const [event, ...more] = await merchant.events(card);
    expect(more).toEqual([]);
    expect(event).toMatchObject({ type: "payment_method.updated", data: { object: { removable_by_customer: false } } });
    expectError(
      await patch(`payment_methods/${card}`, { customer_id: await create() }),
      invalid("parameter_unknown", "customer_id"),
    );
    expectError(
      await patch(`payment_methods/${card}`, { removable_by_customer: null }),
      invalid("parameter_invalid", "removable_by_customer"),
    );
    expectError(await patch("payment_methods/pm_none", {}), missing);
  });

  it("leaves its customer's list when it's detached, with one event", async () => {
    const ada = await create();
    const card = await saveFor(ada);
    for (let times = 0; times < 2; times++)
      expect((await post(`payment_methods/${card}/detach`)).body).toMatchObject({
        reusable: false,
        usage: null,
        customer_id: ada,
      });
    expect(await cardsOf(ada)).toEqual([]);
    expect(await eventsAbout(card)).toEqual(["payment_method.attached", "payment_method.detached"]);
    expectError(await attach(card, ada), invalid("payment_method_not_reusable"));
  });

  it("counts as consented if an earlier version has saved it, and keeps what the customer agreed to otherwise", async () => {
    const card = await save();
    const consent = { text: "Save this card", locale: "en", accepted_at: 1_700_000_000, ip: "192.0.2.1" };
    const set = { usage: "on_session", consent: JSON.stringify(consent) } as const;
    await db.updateTable("payment_method").set(set).where("id", "=", card).execute();
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ usage: "on_session", consent });
    await post(`payment_methods/${card}/detach`);
    const asEarlierVersion = db
      .updateTable("payment_method")
      .set({ card_erased_at: service.context.now(), billing_details: null })
      .where("id", "=", card);
    await expect(asEarlierVersion.execute()).rejects.toThrow("payment_method_erased_ip");
    await sweep(service.context);
    expect(await storedCards(service, { paymentMethodId: card })).toEqual({ cards: 0, codes: 0 });
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({
      usage: null,
      consent: { ...consent, ip: null },
    });
  });
});

describe("a customer's list of cards", () => {
  const usedAt = async (card: string) => (await merchant.read(`payment_methods/${card}`))["last_used_at"];

  it("begins with the card that was used last, and the newest of the others", async () => {
    const ada = await create();
    const cards = [await saveFor(ada), await saveFor(ada), await saveFor(ada), await saveFor(ada)];
    const [first = "", second = "", third = "", fourth = ""] = cards;
    expect(await cardsOf(ada)).toEqual([fourth, third, second, first]);
    expect((await merchant.charge(second)).status).toBe(200);
    service.moveClock(1_000);
    expect((await merchant.charge(first)).status).toBe(200);
    expect(await cardsOf(ada)).toEqual([first, second, fourth, third]);
    const page = await merchant.read(`customers/${ada}/payment_methods`);
    expect(page).toMatchObject({ object: "list", has_more: false });
    expectError(
      await merchant.call("GET", `/api/v1/customers/${ada}/payment_methods?limit=1`),
      invalid("parameter_unknown", "limit"),
    );
  });

  it("has the time of the last approved authorization, in a session or without one", async () => {
    const checkout = await merchant.checkout({ save_payment_method: true, capture_method: "manual" });
    await checkout.pay(cardNumbers.declined);
    const [failed] = await merchant.list(`charges?session_id=${checkout.sessionId}`);
    expect(await usedAt(String(failed?.["payment_method_id"]))).toBeNull();
    await checkout.pay(cardNumbers.approved);
    expect(await usedAt(String((await merchant.chargeOf(checkout))["payment_method_id"]))).toEqual(expect.any(Number));

    const approved = await save();
    expect(await usedAt(approved)).toBeNull();
    const before = Math.floor(service.context.now().getTime() / 1_000);
    expect((await merchant.charge(approved, { capture_method: "manual" })).status).toBe(200);
    expect(Number(await usedAt(approved))).toBeGreaterThanOrEqual(before);
  });

  it("has at most 100 cards", async () => {
    const ada = await create();
    const card = await saveFor(ada);
    const row = await db.selectFrom("payment_method").selectAll().where("id", "=", card).executeTakeFirstOrThrow();
    const copies = Array.from({ length: 99 }, () => ({
      ...row,
      billing_details: null,
      consent: null,
      id: newId("pm", row.created_at, merchant.tenant),
    }));
    await db.insertInto("payment_method").values(copies).execute();
    const another = await save();
    expectError(await attach(another, ada), invalid("parameter_invalid", "customer_id"));
    expect(await cardsOf(ada)).toHaveLength(100);
    await post(`payment_methods/${card}/detach`);
    expect((await attach(another, ada)).status).toBe(200);
    expect(await remove(ada)).toMatchObject({ status: 200 });
    expect(await cardsLeft(ada)).toBe(0);
  });

  async function cardsLeft(customer: string): Promise<number> {
    const left = db
      .selectFrom("payment_method")
      .select("id")
      .where("customer_id", "=", customer)
      .where("reusable", "=", true);
    return (await left.execute()).length;
  }
});

describe("a deleted customer", () => {
  it("has no personal data, and its cards are detached and erased", async () => {
    const reference = newReference();
    const marks = ["Maximiliane", "erased@customer.example", "+49 30 998877", "platinum", reference];
    const [name, email, phone, tier] = marks;
    const ada = await create({ reference, name, email, phone, metadata: { tier } });
    const cards = [await saveFor(ada), await saveFor(ada)];
    const unrelated = await saveFor(await create());
    const deleted = await remove(ada);
    expect(deleted.body).toEqual({ id: ada, object: "customer", deleted: true });
    for (const response of [
      await merchant.call("GET", `/api/v1/customers/${ada}`),
      await merchant.call("GET", `/api/v1/customers/${ada}/payment_methods`),
      await patch(`customers/${ada}`, { name: "Ada" }),
      await remove(ada),
    ])
      expectError(response, missing);
    expect((await merchant.list("customers?limit=100")).map(({ id }) => id)).not.toContain(ada);

    for (const card of cards) {
      expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ reusable: false, customer_id: ada });
      expectError(await attach(card, await create()), invalid("parameter_invalid", "customer_id"));
      expect(await eventsAbout(card)).toEqual(["payment_method.attached", "payment_method.detached"]);
    }
    expect(await merchant.events(ada)).toMatchObject([
      { type: "customer.deleted", object_sequence: 1, data: { object: deleted.body } },
    ]);
    await sweep(service.context);
    for (const card of cards)
      expect(await storedCards(service, { paymentMethodId: card })).toEqual({ cards: 0, codes: 0 });
    expect(await storedCards(service, { paymentMethodId: unrelated })).toEqual({ cards: 1, codes: 0 });

    const rows = await db.selectFrom("customer").selectAll().where("id", "=", ada).execute();
    expect(rows).toMatchObject([{ deleted_at: expect.any(Date), metadata: {} }]);
    const dump = await dumpDatabase(db);
    expect(marks.filter((mark) => dump.includes(mark))).toEqual([]);
  });

  it("leaves a payment in progress its card, and the card is erased afterwards", async () => {
    const ada = await create();
    const card = await saveFor(ada);
    const decision = await merchant.decide(card);
    await addFaults(
      service,
      { match: { kind: "authorization" }, fault: "error_after" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    const charge = { ...order, payment_method_id: card, decision_id: decision["id"] };
    expect((await post("charges", charge, { "idempotency-key": "in-progress" })).status).toBe(503);
    await remove(ada);
    await sweep(service.context);
    expect(await storedCards(service, { paymentMethodId: card })).toEqual({ cards: 1, codes: 0 });
    await clearFaults(service);
    service.moveClock(60_000);
    await sweep(service.context);
    const [paid] = await merchant.list(`charges?decision_id=${String(decision["id"])}`);
    expect(await settled(String(paid?.["id"]))).toMatchObject({ status: "succeeded" });
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ reusable: false });
    await sweep(service.context);
    expect(await storedCards(service, { paymentMethodId: card })).toEqual({ cards: 0, codes: 0 });
  });

  async function settled(chargeId: string): Promise<Json> {
    for (let tries = 0; tries < 20; tries++) {
      const charge = await merchant.read(`charges/${chargeId}`);
      if (String(charge["status"]) !== "processing") return charge;
      service.moveClock(60_000);
    }
    throw new Error("The charge is still processing.");
  }
});

describe("an event", () => {
  it("has neither the expiry date nor anything else that is erased with the card", async () => {
    const ada = await create();
    const card = await saveFor(ada);
    await patch(`payment_methods/${card}`, { removable_by_customer: false });
    await remove(ada);
    const {
      exp_month: _month,
      exp_year: _year,
      billing_details: _billing,
      consent: _consent,
      ...shown
    } = await merchant.read(`payment_methods/${card}`);
    const events = await merchant.events(card);
    expect(events.map(({ type }) => type)).toEqual([
      "payment_method.attached",
      "payment_method.updated",
      "payment_method.detached",
    ]);
    for (const { data } of events)
      expect(Object.keys(data?.["object"] ?? {}).sort()).toEqual(Object.keys(shown).sort());
    expect(events.at(-1)?.["data"]?.["object"]).toEqual(shown);
    expect(events.at(-1)?.["request"]).toMatchObject({ id: expect.stringMatching(/^req_/) });
  });

  it("isn't recorded if the transaction fails", async () => {
    const ada = await create();
    const card = await saveFor(ada);
    await sql`alter table event add constraint no_deletions check (type <> 'customer.deleted') not valid`.execute(db);
    expect((await remove(ada)).status).toBe(500);
    await sql`alter table event drop constraint no_deletions`.execute(db);
    expect(await cardsOf(ada)).toEqual([card]);
    expect(await eventsAbout(card)).toEqual(["payment_method.attached"]);
    expect((await remove(ada)).status).toBe(200);
    expect(await eventsAbout(card)).toEqual(["payment_method.attached", "payment_method.detached"]);
  });
});
