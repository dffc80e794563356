/** Tests lists: newest first, cursors in both directions, and filters. All object types share these rules. */
import { describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newId } from "../src/platform/ids.ts";
import { cardNumbers } from "./setup/customer.ts";
import { expectError, invalid } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

/** Each list with the number of objects created. */
const kinds = [
  ["checkout_sessions", 4],
  ["charges", 6],
  ["refunds", 8],
  ["webhook_endpoints", 5],
  ["events", 14],
] as const;

/** The created objects, newest first. */
const made = new Map<string, string[]>();
/** Each refund with its charge, which names its session and decision. */
const of: { refund: Json; charge: Json }[] = [];
const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
for (let i = 0; i < 4; i++) {
  const checkout = await merchant.checkout({ amount: 1000 + i });
  if (i % 2 === 0) await checkout.pay(cardNumbers.declined);
  await checkout.pay(cardNumbers.approved);
  const charge = await merchant.chargeOf(checkout);
  for (const amount of [1, 2]) of.push({ charge, refund: (await merchant.refund(String(charge["id"]), amount)).body });
}
for (let i = 0; i < 5; i++) {
  await merchant.call("POST", "/api/v1/webhook_endpoints", { url: `https://shop.example/${i}` });
}
for (const [kind] of kinds)
  made.set(
    kind,
    (await merchant.list(`${kind}?limit=100`)).map(({ id }) => String(id)),
  );

// A list's data is an array.
const idsOf = (page: Json) => (page["data"] as unknown as Json[]).map(({ id }) => String(id));

describe.each(kinds)("the list of %s", (kind, count) => {
  const all = () => made.get(kind) ?? [];

  it("is complete and sorted newest first", () => {
    expect(all()).toHaveLength(count);
    expect(all()).toEqual(all().toSorted().reverse());
  });

  it.each([1, 2, 3, 100])("can be paged to the end and back, %i at a time", async (limit) => {
    const forward: string[] = [];
    for (let after = "", more = true; more;) {
      const page = await merchant.read(`${kind}?limit=${limit}${after}`);
      forward.push(...idsOf(page));
      after = `&starting_after=${forward.at(-1)}`;
      more = String(page["has_more"]) === "true";
      expect(more).toBe(forward.length < all().length);
    }
    expect(forward).toEqual(all());

    const back: string[] = [all().at(-1) ?? ""];
    for (let more = true; more;) {
      const page = await merchant.read(`${kind}?limit=${limit}&ending_before=${back[0]}`);
      back.unshift(...idsOf(page));
      more = String(page["has_more"]) === "true";
      expect(more).toBe(back.length < all().length);
    }
    expect(back).toEqual(all());
  });

  it("continues from where an ID would be if it was deleted or never existed", async () => {
    const [first = "", second = ""] = all();
    const between = idAfter(second);
    expect(idsOf(await merchant.read(`${kind}?ending_before=${between}`))).toEqual([first]);
    expect(idsOf(await merchant.read(`${kind}?limit=1&starting_after=${between}`))).toEqual([second]);
  });

  it.each(["starting_after", "ending_before"])("refuses any other %s than one of its IDs", async (cursor) => {
    const [id = ""] = all();
    const [prefix = ""] = id.split("_");
    const ofAnotherType = made.get(kind === "charges" ? "refunds" : "charges")?.[0];
    for (const wrong of ["null", "undefined", "0", ofAnotherType, id.slice(0, -1), `${id}0`, `${prefix}_undefined`]) {
      const response = await merchant.call("GET", `/api/v1/${kind}?${cursor}=${wrong}`);
      expectError(response, invalid("parameter_invalid", cursor));
    }
    // These lists contain all of the prefixes of IDs.
    const foreign = newId(prefix as "ch", service.context.now(), { ...merchant.tenant, livemode: true });
    const response = await merchant.call("GET", `/api/v1/${kind}?${cursor}=${foreign}`);
    expectError(response, invalid("resource_missing", cursor));
  });

  it("refuses both cursors in one request", async () => {
    const [id] = all();
    const response = await merchant.call("GET", `/api/v1/${kind}?starting_after=${id}&ending_before=${id}`);
    expectError(response, invalid("parameter_invalid", "ending_before"));
  });
});

/** The lowest ID that sorts after this one. */
function idAfter(id: string): string {
  const digits = "0123456789abcdefghjkmnpqrstvwxyz";
  const next = digits[digits.indexOf(id.at(-1) ?? "") + 1];
  return next === undefined ? `${idAfter(id.slice(0, -1))}0` : id.slice(0, -1) + next;
}

describe("a filter", () => {
  it("shows one charge's refunds only, page by page", async () => {
    for (const { charge } of of) {
      const own = of.filter((made) => made.charge === charge).map(({ refund }) => refund["id"]);
      const all = await merchant.list(`refunds?charge_id=${charge["id"]}`);
      expect(all.map(({ id }) => id)).toEqual(own.reverse());
      const page = await merchant.read(`refunds?charge_id=${charge["id"]}&limit=1`);
      expect(page).toEqual({ object: "list", data: [all[0]], has_more: true });
      const rest = await merchant.read(`refunds?charge_id=${charge["id"]}&limit=1&starting_after=${all[0]?.["id"]}`);
      expect(rest).toEqual({ object: "list", data: [all[1]], has_more: false });
    }
    const unknown = newId("ch", service.context.now(), merchant.tenant);
    expect(await merchant.list(`refunds?charge_id=${unknown}`)).toEqual([]);
  });

  it("includes a session's failed charges, and exactly one charge per decision", async () => {
    const sessions = [...new Set(of.map(({ charge }) => String(charge["session_id"])))];
    const statuses = await Promise.all(
      sessions.map(async (id) => (await merchant.list(`charges?session_id=${id}`)).map(({ status }) => status)),
    );
    expect(statuses).toEqual([["succeeded", "failed"], ["succeeded"], ["succeeded", "failed"], ["succeeded"]]);
    const unknown = newId("cs", service.context.now(), merchant.tenant);
    for (const { charge } of of) {
      const [found, ...more] = await merchant.list(`charges?decision_id=${charge["decision_id"]}`);
      expect(more).toEqual([]);
      expect(found).toMatchObject({ id: charge["id"], amount_refunded: 3 });
      expect(
        await merchant.list(`charges?decision_id=${charge["decision_id"]}&session_id=${charge["session_id"]}`),
      ).toEqual([found]);
      expect(await merchant.list(`charges?decision_id=${charge["decision_id"]}&session_id=${unknown}`)).toEqual([]);
    }
  });

  it.each([
    ["charges", "decision_id", "dec"],
    ["charges", "session_id", "cs"],
    ["refunds", "charge_id", "ch"],
    ["disputes", "charge_id", "ch"],
    ["ledger_entries", "charge_id", "ch"],
    ["webhook_endpoints/we_1/deliveries", "event_id", "evt"],
  ] as const)(
    "of %s refuses a %s that can't match, instead of returning an empty list",
    async (list, filter, prefix) => {
      const id = newId(prefix, service.context.now(), merchant.tenant);
      const ofAnotherType = newId("re", service.context.now(), merchant.tenant);
      for (const wrong of ["undefined", "null", ofAnotherType, id.slice(0, -1), `${prefix}_undefined`]) {
        const response = await merchant.call("GET", `/api/v1/${list}?${filter}=${wrong}`);
        expectError(response, invalid("parameter_invalid", filter));
      }
      for (const owner of [{ ...merchant.tenant, livemode: true }, (await newMerchant(service)).tenant]) {
        const foreign = newId(prefix, service.context.now(), owner);
        const response = await merchant.call("GET", `/api/v1/${list}?${filter}=${foreign}`);
        expectError(response, invalid("resource_missing", filter));
      }
    },
  );

  it("shows events of one type only", async () => {
    const types = async (type: string) =>
      (await merchant.list(`events?type=${type}&limit=100`)).map((event) => event["type"]);
    expect(await types("refund.succeeded")).toEqual(Array(8).fill("refund.succeeded"));
    expect(await types("payment_failed")).toEqual(Array(2).fill("payment_failed"));
    expect(await types("refund.failed")).toEqual([]);
  });
});
