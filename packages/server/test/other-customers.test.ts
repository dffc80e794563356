/**
 * Tests the isolation of customers: to another merchant, and to the same merchant in the other mode, customers and their
 * cards look like objects that don't exist, on every route and in every part of a request.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { createApiKey } from "../src/merchants/accounts/api-keys.ts";
import { newId } from "../src/platform/ids.ts";
import { ownedBy } from "../src/platform/storage/owned-by.ts";
import { ownerColumns, type Tenant } from "../src/platform/tenant.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant, type Merchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Method } from "./setup/test-service.ts";
import { withoutForeignKeys } from "./setup/without-foreign-keys.ts";

/** A merchant in one mode, with customers of the same references and email addresses as everyone else's. */
interface Owner {
  name: string;
  tenant: Tenant;
  call: Merchant["call"];
  customers: readonly [Known, Known];
}

interface Known {
  customer: string;
  card: string;
  /** A saved card without a customer. */
  loose: string;
}

const service = await openForTests(startTestService({ live: true, liveBankUrl: "http://127.0.0.1:9" }));
const { db, now } = service.context;
const emailOf = (number: number) => `ada${number}@customer.example`;

const owners: Owner[] = [];
beforeAll(async () => {
  for (const name of ["first", "second"]) {
    const live = await newMerchant(service, { livemode: true });
    owners.push(await ownerOf(`${name}, live`, live.tenant, live.call));
    const test = { ...live.tenant, livemode: false };
    const { secretKey } = await createApiKey(db, test, now());
    owners.push(
      await ownerOf(`${name}, test`, test, (method, path, body, headers) =>
        service.call(method, path, body, { authorization: `Bearer ${secretKey}`, ...headers }),
      ),
    );
  }
});

async function ownerOf(name: string, tenant: Tenant, call: Merchant["call"]): Promise<Owner> {
  return { name, tenant, call, customers: [await known(tenant, call, 1), await known(tenant, call, 2)] };
}

async function known(tenant: Tenant, call: Merchant["call"], number: number): Promise<Known> {
  const fields = { reference: `user-${number}`, email: emailOf(number), name: `Ada ${number}` };
  const customer = String((await call("POST", "/api/v1/customers", fields)).body["id"]);
  const [card, loose] = [await saveCard(tenant), await saveCard(tenant)];
  await expectOk(call("POST", `/api/v1/payment_methods/${card}/attach`, { customer_id: customer }));
  return { customer, card, loose };
}

async function expectOk(response: Promise<ApiResponse>): Promise<void> {
  expect(await response).toMatchObject({ status: 200 });
}

/** A copy of a card that was really saved, in the other account or mode. */
async function saveCard(tenant: Tenant): Promise<string> {
  const template = await saved();
  const row = await db.selectFrom("payment_method").selectAll().where("id", "=", template).executeTakeFirstOrThrow();
  const id = newId("pm", now(), tenant);
  await withoutForeignKeys(db, (tx) =>
    tx
      .insertInto("payment_method")
      .values({ ...row, ...ownerColumns(tenant), id, ...withoutJson })
      .execute(),
  );
  return id;
}

let template: Promise<string> | undefined;
function saved(): Promise<string> {
  template ??= (async () => {
    const checkout = await (await newMerchant(service)).checkout({ save_payment_method: true });
    await checkout.pay(cardNumbers.approved);
    return String((await checkout.session())["payment_method_id"]);
  })();
  return template;
}

/** Everything that is stored about customers and their cards. */
async function stored(): Promise<unknown> {
  const [customers, cards, events] = [
    await db.selectFrom("customer").selectAll().orderBy("id").execute(),
    await db.selectFrom("payment_method").selectAll().orderBy("id").execute(),
    await db.selectFrom("event").select("id").orderBy("id").execute(),
  ];
  return { customers, cards, events };
}

/** Gives another owner rows with the same IDs, as somebody with write access to the database could. */
async function copyRows(from: Tenant, to: Tenant, customer: string, cards: readonly string[]): Promise<void> {
  await withoutForeignKeys(db, async (tx) => {
    const person = await tx.selectFrom("customer").selectAll().where(ownedBy(from)).where("id", "=", customer).executeTakeFirstOrThrow(); // prettier-ignore
    const copy = { ...person, ...ownerColumns(to), reference: null, metadata: JSON.stringify(person.metadata) };
    await tx.insertInto("customer").values(copy).execute();
    const rows = await tx
      .selectFrom("payment_method")
      .selectAll()
      .where(ownedBy(from))
      .where("id", "in", cards)
      .execute();
    const copies = rows.map((row) => ({ ...row, ...ownerColumns(to), customer_id: customer, ...withoutJson }));
    await tx.insertInto("payment_method").values(copies).execute();
  });
}

/** For copies of a payment method. */
const withoutJson = { billing_details: null, consent: null };

/** Everything that an owner has about customers and their cards. */
async function rowsOf(tenant: Tenant): Promise<unknown> {
  const [customers, cards] = [
    await db.selectFrom("customer").selectAll().where(ownedBy(tenant)).orderBy("id").execute(),
    await db.selectFrom("payment_method").selectAll().where(ownedBy(tenant)).orderBy("id").execute(),
  ];
  return { customers, cards };
}

/** Every route with an ID of a customer or of a card, with a body that would work for the owner. */
const routes: [Method, path: string, body?: (own: Known) => object][] = [
  ["GET", "customers/{id}"],
  ["GET", "customers/{id}/payment_methods"],
  ["PATCH", "customers/{id}", () => ({ name: "Eve", reference: null })],
  ["DELETE", "customers/{id}"],
  ["GET", "payment_methods/{id}"],
  ["PATCH", "payment_methods/{id}", () => ({ removable_by_customer: false })],
  ["POST", "payment_methods/{id}/attach", ({ customer }) => ({ customer_id: customer })],
  ["POST", "payment_methods/{id}/detach", () => ({})],
];

const idsOf = ({ customers }: Owner) => customers.flatMap((one) => [one.customer, one.card, one.loose]);

/** Calls `check` for each pair of two different owners. */
async function forEachPair(check: (actor: Owner, victim: Owner) => Promise<void>): Promise<void> {
  for (const actor of owners) for (const victim of owners) if (actor !== victim) await check(actor, victim);
}

describe("another merchant, and the same merchant in the other mode", () => {
  it("finds no customer or card on any route, and changes nothing", async () => {
    const before = await stored();
    let refused = 0;
    await forEachPair(async (actor, victim) => {
      for (const [method, path, body] of routes)
        for (const id of idsOf(victim)) {
          const url = `/api/v1/${path.replace("{id}", id)}`;
          const response = await actor.call(method, url, body?.(actor.customers[0]));
          expectError(response, missing);
          // Nothing but the ID that was sent.
          const text = response.text.replaceAll(id, "");
          for (const shown of [...idsOf(victim), "user-", "customer.example", "4242"])
            expect(text).not.toContain(shown);
          refused++;
        }
    });
    expect(refused).toBe(4 * 3 * routes.length * 6);
    expect(await stored()).toEqual(before);
  });

  it("can't attach a card to a customer that isn't theirs", async () => {
    const before = await stored();
    await forEachPair(async (actor, victim) => {
      const [own] = actor.customers;
      for (const { customer } of victim.customers) {
        const attach = { customer_id: customer };
        const response = await actor.call("POST", `/api/v1/payment_methods/${own.loose}/attach`, attach);
        expectError(response, invalid("resource_missing", "customer_id"));
      }
    });
    expect(await stored()).toEqual(before);
  });

  it("gets only their own customers in lists, and an error for another one's ID as the cursor", async () => {
    for (const actor of owners) {
      const ids = actor.customers.map(({ customer }) => customer);
      const listed = async (query: string) => await actor.call("GET", `/api/v1/customers?${query}`);
      expect((await listed("")).body["data"]).toMatchObject(ids.toReversed().map((id) => ({ id })));
      for (const [index, id] of ids.entries())
        for (const query of [`reference=user-${index + 1}`, `email=${emailOf(index + 1)}`]) {
          const { body } = await listed(query);
          expect({ query, data: body["data"] }).toMatchObject({ query, data: [{ id }] });
          expect(body["data"]).toHaveLength(1);
        }
      for (const { customers } of owners.filter((other) => other !== actor))
        for (const { customer } of customers)
          for (const cursor of ["starting_after", "ending_before"])
            expectError(await listed(`${cursor}=${customer}`), invalid("resource_missing", cursor));
    }
  });

  it("doesn't take anyone else's references", async () => {
    for (const { call, customers } of owners) {
      const [{ customer: other }, { customer }] = customers;
      const response = await call("PATCH", `/api/v1/customers/${customer}`, { reference: "user-1" });
      expectError(response, invalid("parameter_invalid", "reference"));
      expect(response.body["error"]?.["message"]).toContain(other);
      for (const { customers: others } of owners.filter((owner) => owner.call !== call))
        for (const { customer: hidden } of others) expect(response.text).not.toContain(hidden);
    }
  });
});

describe("another customer of the same merchant", () => {
  it("neither gets nor lists a card that has a customer", async () => {
    for (const { call, customers } of owners) {
      const [ada, bob] = customers;
      const response = await call("POST", `/api/v1/payment_methods/${ada.card}/attach`, { customer_id: bob.customer });
      expectError(response, invalid("parameter_invalid", "customer_id"));
      for (const { customer, card } of customers) {
        const { data } = (await call("GET", `/api/v1/customers/${customer}/payment_methods`)).body;
        expect(data).toMatchObject([{ id: card, customer_id: customer }]);
        expect(data).toHaveLength(1);
      }
    }
  });
});

// The tests below change the objects.
describe("the owner", () => {
  it("changes nothing of anyone else, even if others had rows with the same IDs", async () => {
    for (const [index, { call, tenant, customers }] of owners.entries()) {
      const [{ customer, card, loose }] = customers;
      const other = owners.at(index - 1);
      if (other === undefined) throw new Error("Bug: there's no other owner");
      await copyRows(tenant, other.tenant, customer, [card, loose]);
      const before = await rowsOf(other.tenant);
      const path = `/api/v1/customers/${customer}`;
      await expectOk(call("PATCH", path, { name: "Eve", phone: "1" }));
      await expectOk(call("PATCH", `/api/v1/payment_methods/${card}`, { removable_by_customer: false }));
      await expectOk(call("POST", `/api/v1/payment_methods/${loose}/attach`, { customer_id: customer }));
      expect((await call("GET", `${path}/payment_methods`)).body["data"]).toHaveLength(2);
      await expectOk(call("POST", `/api/v1/payment_methods/${loose}/detach`, {}));
      await expectOk(call("DELETE", path));
      expect(await rowsOf(other.tenant)).toEqual(before);
    }
  });

  it("finds each customer and each card on the routes for it", async () => {
    for (const { name, call, customers } of owners) {
      const [, own] = customers; // the other one is deleted
      for (const [method, path, body] of routes.toSorted(
        ([a], [b]) => Number(a === "DELETE") - Number(b === "DELETE"),
      )) {
        const id = path.startsWith("customers") ? own.customer : own.card;
        const { status } = await call(method, `/api/v1/${path.replace("{id}", id)}`, body?.(own));
        expect({ name, method, path, status }).toEqual({ name, method, path, status: 200 });
      }
    }
  });
});
