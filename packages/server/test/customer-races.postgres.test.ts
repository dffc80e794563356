/** Tests changes of a customer that happen at the same time on two connections. */
import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { describe, expect, inject, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { attachPaymentMethod, deleteCustomer } from "../src/payments/customers/cards-of-customer.ts";
import { createCustomer } from "../src/payments/customers/customers.ts";
import { noCause } from "../src/platform/cause.ts";
import type { Tx } from "../src/platform/storage/database.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService({ role: "api" }));
const { context } = service;
const { db } = context;
const merchant = await newMerchant(service);
const { tenant } = merchant;

const create = async (fields: object = {}) =>
  String((await merchant.call("POST", "/api/v1/customers", fields)).body["id"]);
const attach = (card: string, customer_id: string) =>
  merchant.call("POST", `/api/v1/payment_methods/${card}/attach`, { customer_id });
const remove = (id: string) => merchant.call("DELETE", `/api/v1/customers/${id}`);

async function save(): Promise<string> {
  const checkout = await merchant.checkout({ mode: "setup", amount: undefined, currency: undefined });
  await checkout.pay(cardNumbers.approved);
  return String((await checkout.session())["payment_method_id"]);
}

/** Runs `second` while the transaction of `first` isn't committed yet, and commits once it waits for a lock. */
async function race<T>(first: (tx: Tx) => Promise<unknown>, second: () => Promise<T>): Promise<T> {
  const { response } = await db.transaction().execute(async (tx) => {
    await first(tx);
    let hasEnded = false;
    const later = second().finally(() => (hasEnded = true));
    await until("the second one to wait", async () => hasEnded || (await isWaiting()) || null);
    expect(hasEnded).toBe(false);
    return { response: later }; // which arrives only after the commit
  });
  return await response;
}

/** In a Citus cluster, it waits on the worker that has the account's rows. */
const activity = inject("cluster") === null ? "pg_stat_activity" : "citus_stat_activity";

async function isWaiting(): Promise<boolean> {
  const { rows } = await sql`
    select 1 from ${sql.table(activity)} where datname = current_database() and wait_event_type = 'Lock'`.execute(db);
  return rows.length > 0;
}

/** Saved cards of customers that are deleted. */
async function orphans(): Promise<unknown[]> {
  const { rows } = await sql`
    select payment_method.id from payment_method
    join customer on customer.account_no = payment_method.account_no and customer.livemode = payment_method.livemode
      and customer.id = payment_method.customer_id
    where customer.deleted_at is not null and payment_method.reusable`.execute(db);
  return rows;
}

describe("a card that is attached while its customer is deleted", () => {
  it("is refused if the deletion comes first", async () => {
    const [customer, card] = [await create(), await save()];
    const response = await race(
      (tx) => deleteCustomer(context, tx, tenant, customer, noCause),
      () => attach(card, customer),
    );
    expectError(response, invalid("resource_missing", "customer_id"));
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ customer_id: null, reusable: true });
  });

  it("is detached if it comes first", async () => {
    const [customer, card] = [await create(), await save()];
    const response = await race(
      (tx) => attachPaymentMethod(context, tx, tenant, card, { customer_id: customer }, noCause),
      () => remove(customer),
    );
    expect(response.status).toBe(200);
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ customer_id: customer, reusable: false });
    const types = (await merchant.events(card)).map(({ type }) => type);
    expect(types).toEqual(["payment_method.attached", "payment_method.detached"]);
  });

  it("never stays saved, whichever is faster", async () => {
    const cards = await Promise.all(Array.from({ length: 10 }, save));
    for (const [n, card] of cards.entries()) {
      const customer = await create();
      const deleteLater = async () => {
        await pause(n);
        return await remove(customer);
      };
      const [attached, deleted] = await Promise.all([attach(card, customer), deleteLater()]);
      expect([200, 400]).toContain(attached.status);
      expect(deleted.status).toBe(200);
    }
    expect(await orphans()).toEqual([]);
  });
});

describe("two requests at the same time", () => {
  it("can't give a card to two customers", async () => {
    const [ada, bob, card] = [await create(), await create(), await save()];
    const response = await race(
      (tx) => attachPaymentMethod(context, tx, tenant, card, { customer_id: ada }, noCause),
      () => attach(card, bob),
    );
    expectError(response, invalid("parameter_invalid", "customer_id"));
    expect(await merchant.read(`payment_methods/${card}`)).toMatchObject({ customer_id: ada });
  });

  it("attach a card to the same customer once, with one event", async () => {
    const [ada, card] = [await create(), await save()];
    const responses = await Promise.all(Array.from({ length: 20 }, () => attach(card, ada)));
    expect(responses.filter(({ status }) => status !== 200)).toEqual([]);
    expect(await merchant.events(card)).toMatchObject([{ type: "payment_method.attached" }]);
  });

  it("delete a customer once, and the other gets a not-found error", async () => {
    const ada = await create();
    const response = await race(
      (tx) => deleteCustomer(context, tx, tenant, ada, noCause),
      () => remove(ada),
    );
    expectError(response, missing);
    expect(await merchant.events(ada)).toHaveLength(1);
  });

  it("can't take the same reference, and the error names the customer who has it", async () => {
    const other = await create();
    for (const [method, path] of [
      ["POST", "customers"],
      ["PATCH", `customers/${other}`],
    ] as const) {
      const reference = `race ${method}`;
      let winner = "";
      const response = await race(
        async (tx) => ({ id: winner } = await createCustomer(context, tx, tenant, { reference })),
        () => merchant.call(method, `/api/v1/${path}`, { reference }),
      );
      expectError(response, invalid("parameter_invalid", "reference"));
      expect(response.body["error"]?.["message"]).toContain(winner);
    }
  });

  it("create one customer for a reference, out of twenty", async () => {
    const responses = await Promise.all(
      Array.from({ length: 20 }, () => merchant.call("POST", "/api/v1/customers", { reference: "twenty" })),
    );
    expect(responses.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(responses.filter(({ status }) => status === 400)).toHaveLength(19);
  });

  it("change different fields of a customer without undoing each other's changes", async () => {
    const ada = await create();
    const patch = (body: object) => merchant.call("PATCH", `/api/v1/customers/${ada}`, body);
    await Promise.all(Array.from({ length: 10 }, (_, n) => patch({ metadata: { [`key${n}`]: "x" } })));
    expect(Object.keys((await merchant.read(`customers/${ada}`))["metadata"] ?? {})).toHaveLength(10);
  });
});
