/**
 * Tests disputes: their status and money, in any order of notifications, events, the API, and that no other merchant
 * sees them.
 */
import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { newId } from "../src/platform/ids.ts";
import type { NotificationItem } from "./setup/adyen.ts";
import { expectError, invalid, missing } from "./setup/expect-error.ts";
import { newMerchant } from "./setup/merchant.ts";
import { itemAbout, itemOf, startNotifying, startSilentAdyen, type Notifying } from "./setup/notifying.ts";
import { until } from "./setup/until.ts";

const { adyen, service } = await openForTests(startSilentAdyen());
let shop: Notifying;
beforeEach(async () => void (shop = await startNotifying(service, adyen)));

const dispute = "DISPUTE000000001";
/** All notifications about a dispute have its ID. */
const about = { pspReference: dispute };

describe("a dispute", () => {
  it("goes from the first complaint to the second chargeback", async () => {
    const { id, authorization } = await shop.charge();
    const steps = ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"];
    const statuses: unknown[] = [];
    for (const eventCode of steps) {
      await shop.notify(itemOf(authorization, eventCode, about));
      statuses.push(...(await shop.disputes(id)).map(({ status }) => status));
    }
    expect(statuses).toEqual(["needs_response", "needs_response", "under_review", "lost"]);
    expect(await shop.ledger(id)).toEqual([
      "capture 4900 eur",
      "chargeback -4900 eur",
      "chargeback_reversed 4900 eur",
      "second_chargeback -4900 eur",
    ]);
    const [found] = await shop.disputes(id);
    const events = (await shop.merchant.events(String(found?.["id"]))).map((event) => event["type"]);
    expect(events).toEqual(["dispute.created", "dispute.updated", "dispute.updated", "dispute.closed"]);
    expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({ status: "succeeded", amount_refunded: 0 });
    expect(await shop.attention()).toEqual([]);
  });

  it("is won when the issuer accepts the response, and can be opened again", async () => {
    const { id, authorization } = await shop.charge();
    for (const eventCode of [
      "CHARGEBACK",
      "INFORMATION_SUPPLIED",
      "CHARGEBACK_REVERSED",
      "ISSUER_RESPONSE_TIMEFRAME_EXPIRED",
    ])
      await shop.notify(itemOf(authorization, eventCode, about));
    expect(await shop.disputes(id)).toMatchObject([{ status: "won" }]);
    await shop.notify(itemOf(authorization, "PREARBITRATION_OPEN", about));
    const [found] = await shop.disputes(id);
    expect(found).toMatchObject({ status: "needs_response" });
    await shop.notify(itemOf(authorization, "SCHEME_ARBITRATION_LOST", about));
    const events = (await shop.merchant.events(String(found?.["id"]))).map((event) => event["type"]);
    expect(events.slice(-3)).toEqual(["dispute.closed", "dispute.updated", "dispute.closed"]);
  });

  it("shows the reason, the deadline and an amount of its own, in its own currency", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CHARGEBACK", { ...about, amount: { value: 5321, currency: "USD" } }));
    expect(await shop.disputes(id)).toEqual([
      {
        id: expect.stringMatching(/^dp_/),
        object: "dispute",
        livemode: false,
        created: expect.any(Number),
        status: "needs_response",
        charge_id: id,
        amount: 5321,
        currency: "usd",
        reason: null,
        respond_by: null,
        acquirer_id: dispute,
      },
    ]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur", "chargeback -5321 usd"]);
  });

  it("is recorded after a full refund, twice for one charge, and for more than the charge", async () => {
    const { id, authorization } = await shop.charge();
    await shop.merchant.refund(id);
    const refund = await shop.latest(id);
    await shop.notify(
      itemAbout(refund, authorization, "REFUND"),
      itemOf(authorization, "CHARGEBACK", { ...about, amount: { value: 100_000, currency: "EUR" } }),
      itemOf(authorization, "CHARGEBACK", { pspReference: "DISPUTE000000002" }),
    );
    expect(await shop.disputes(id)).toHaveLength(2);
    expect(await shop.ledger(id)).toEqual([
      "capture 4900 eur",
      "chargeback -100000 eur",
      "chargeback -4900 eur",
      "refund -4900 eur",
    ]);
  });

  it("has no amount in a currency that can't be expressed, and an item is raised that the ledger lacks it", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CHARGEBACK", { ...about, amount: { value: 5, currency: "BIF" } }));
    expect(await shop.disputes(id)).toMatchObject([{ amount: null, currency: null, status: "needs_response" }]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await shop.attention()).toMatchObject([{ kind: "unexpected_notification", charge_id: id }]);
  });

  it("doesn't depend on a fraud report, which only tells a person", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(
      itemOf(authorization, "NOTIFICATION_OF_FRAUD", about),
      itemOf(authorization, "NOTIFICATION_OF_FRAUD", about),
    );
    expect(await shop.disputes(id)).toEqual([]);
    expect(await shop.ledger(id)).toEqual(["capture 4900 eur"]);
    expect(await shop.attention()).toMatchObject([{ kind: "fraud_reported", charge_id: id }]);
  });

  it("shows the deadline that the simulator sends", async () => {
    const { id, authorization } = await shop.charge();
    adyen.holdsNotifications = false;
    await adyen.dispute({
      paymentPspReference: String(authorization.acquirer_id),
      eventCode: "CHARGEBACK",
      reasonCode: "13.1",
    });
    const [found] = await until("the dispute", async () => {
      const disputes = await shop.disputes(id);
      return disputes.length === 0 ? null : disputes;
    });
    adyen.holdsNotifications = true;
    expect(found).toMatchObject({ reason: "13.1", amount: 4900, currency: "eur" });
    const days = (Number(found?.["respond_by"]) - Number(found?.["created"])) / 86_400;
    expect(Math.round(days)).toBe(18);
  });
});

describe("notifications about one payment, in any order and any number of times", () => {
  it("end with the same charge, disputes and ledger", { timeout: 300_000 }, async () => {
    const second = { pspReference: "DISPUTE000000002", amount: { value: 700, currency: "USD" } };
    const itemsOf = async () => {
      const { id, authorization } = await shop.charge({ capture_method: "manual" });
      await shop.merchant.capture(id);
      const capture = await shop.latest(id);
      const items: NotificationItem[] = [
        itemOf(authorization, "AUTHORISATION"),
        itemAbout(capture, authorization, "CAPTURE"),
        itemAbout(capture, authorization, "CAPTURE_FAILED"),
        itemOf(authorization, "NOTIFICATION_OF_CHARGEBACK", { ...about, amount: { value: 1, currency: "EUR" } }),
        itemOf(authorization, "CHARGEBACK", about),
        itemOf(authorization, "CHARGEBACK_REVERSED", about),
        itemOf(authorization, "SECOND_CHARGEBACK", about),
        itemOf(authorization, "CHARGEBACK", second),
      ];
      return { id, items };
    };
    const indexes = Array.from({ length: 8 }, (_, index) => index);
    const orders = fc.tuple(
      fc.shuffledSubarray(indexes, { minLength: indexes.length }),
      fc.array(fc.constantFrom(...indexes), { maxLength: 4 }),
    );
    const property = fc.asyncProperty(orders, async ([order, repeated]) => {
      shop = await startNotifying(service, adyen);
      const { id, items } = await itemsOf();
      await shop.notify(...[...order, ...repeated].flatMap((index) => items.slice(index, index + 1)));
      expect(await shop.ledger(id)).toEqual([
        "capture 4900 eur",
        "capture_failed -4900 eur",
        "chargeback -4900 eur",
        "chargeback -700 usd",
        "chargeback_reversed 4900 eur",
        "second_chargeback -4900 eur",
      ]);
      const disputes = (await shop.disputes(id)).map(
        ({ acquirer_id, status, amount }) => `${acquirer_id} ${status} ${amount}`,
      );
      expect(disputes.toSorted()).toEqual([`${dispute} lost 4900`, "DISPUTE000000002 needs_response 700"]);
      expect(await shop.merchant.read(`charges/${id}`)).toMatchObject({
        status: "failed",
        amount_captured: 0,
        pending_operation: null,
      });
      const concerns = (await shop.attention()).filter(({ kind }) => kind !== "capture_failed_late");
      expect(concerns).toEqual([]);
      expect((await shop.stored()).filter((stored) => !stored.endsWith("processed"))).toEqual([]);
    });
    await fc.assert(property, { seed: 424_242, numRuns: Number(process.env["ORIEL_PROPERTY_RUNS"] ?? 12) });
    expect(property).toBeDefined();
  });
});

describe("disputes and ledger entries in the API", () => {
  it("are listed in pages, newest first, and filtered", async () => {
    const { id, authorization } = await shop.charge();
    const other = await shop.charge();
    for (const pspReference of ["DISPUTE1", "DISPUTE2"])
      await shop.notify(itemOf(authorization, "CHARGEBACK", { pspReference }));
    await shop.notify(itemOf(other.authorization, "SECOND_CHARGEBACK", { pspReference: "DISPUTE3" }));
    const idsAtAcquirer = async (query: string) =>
      (await shop.merchant.list(`disputes${query}`)).map(({ acquirer_id }) => acquirer_id);
    expect(await idsAtAcquirer("")).toEqual(["DISPUTE3", "DISPUTE2", "DISPUTE1"]);
    expect(await idsAtAcquirer(`?charge_id=${id}`)).toEqual(["DISPUTE2", "DISPUTE1"]);
    expect(await idsAtAcquirer("?status=lost")).toEqual(["DISPUTE3"]);
    const page = await shop.merchant.read("disputes?limit=1");
    expect(page).toMatchObject({ data: [{ acquirer_id: "DISPUTE3" }], has_more: true });
    const [first] = await shop.merchant.list("disputes");
    expect(await shop.merchant.read(`disputes/${first?.["id"]}`)).toEqual(first);
    expect(await idsAtAcquirer(`?starting_after=${first?.["id"]}`)).toEqual(["DISPUTE2", "DISPUTE1"]);
    expectError(
      await shop.merchant.call("GET", "/api/v1/disputes?status=open"),
      invalid("parameter_invalid", "status"),
    );
  });

  it("can't be read by another merchant", async () => {
    const { id, authorization } = await shop.charge();
    await shop.notify(itemOf(authorization, "CHARGEBACK", about));
    const [found] = await shop.disputes(id);
    const stranger = await newMerchant(service);
    expectError(await stranger.call("GET", `/api/v1/disputes/${found?.["id"]}`), missing);
    expect(await stranger.list("disputes")).toEqual([]);
    for (const list of ["disputes", "ledger_entries"]) {
      const response = await stranger.call("GET", `/api/v1/${list}?charge_id=${id}`);
      expectError(response, invalid("resource_missing", "charge_id"));
    }
  });

  it("are read with a charge's ID", async () => {
    expectError(await shop.merchant.call("GET", "/api/v1/ledger_entries"), invalid("parameter_missing", "charge_id"));
    const id = newId("ch", service.context.now(), shop.merchant.tenant);
    const unknown = await shop.merchant.call("GET", `/api/v1/ledger_entries?charge_id=${id}`);
    expectError(unknown, invalid("resource_missing", "charge_id"));
    const charge = await shop.charge({ capture_method: "manual" });
    expect(await shop.merchant.read(`ledger_entries?charge_id=${charge.id}`)).toEqual({
      object: "list",
      data: [],
      has_more: false,
    });
  });
});
