/**
 * Tests captures and cancellations that the acquirer refuses, perhaps long after the response to the merchant's
 * request: the merchant is notified, and a hold that no longer exists ends.
 */
import { afterEach, describe, expect, it } from "vitest";
import { noDetails, type AcquirerOutcome, type Vault } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers, type Checkout } from "./setup/customer.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, summarize } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const declined: Refusal = { status: 402, type: "card_error", code: "card_declined", decline_code: "generic_decline" };
const refusal: AcquirerOutcome = { outcome: "declined", declineCode: "generic_decline", details: noDetails };

const service = await openForTests(startTestService());
const merchant = await newMerchant(service);
const vault = service.context.vault;
afterEach(async () => {
  service.context.vault = vault;
  await clearFaults(service);
});

async function reserve(card: string = cardNumbers.approved): Promise<{ checkout: Checkout; id: string }> {
  const checkout = await merchant.checkout({ capture_method: "manual" });
  await checkout.pay(card);
  return { checkout, id: String((await merchant.chargeOf(checkout))["id"]) };
}

/**
 * Makes the acquirer refuse captures and cancellations.
 * @param knows what the acquirer's records say about the hold
 */
function refuse(knows: "approved" | "absent" | "unknown"): void {
  const { test } = vault;
  const acquirer: Vault["test"] = {
    ...test,
    capture: async () => refusal,
    cancel: async () => refusal,
    lookup: async (kind, ...args) =>
      kind === "authorize" && knows !== "approved"
        ? { outcome: knows, reason: "silence" }
        : await test.lookup(kind, ...args),
  };
  service.context.vault = { ...vault, test: acquirer, acquirer: () => Promise.resolve(acquirer) };
}

const eventsOf = async (id: string) => summarize(await merchant.events(id));

describe("a refusal", () => {
  it("is reported with its reason after the response, and the charge is unchanged", async () => {
    const { checkout, id } = await reserve(cardNumbers.captureDeclined);
    const before = await merchant.read(`charges/${id}`);
    await addFaults(
      service,
      { match: { kind: "capture" }, fault: "error_after" },
      { match: { kind: "lookup" }, fault: "down" },
    );
    expect((await merchant.capture(id, 1000)).status).toBe(503);
    await clearFaults(service);

    const event = await until("the event", async () => (await merchant.events(id))[1] ?? null);
    expect(event).toMatchObject({
      type: "charge.capture_failed",
      data: {
        object: {
          ...before,
          failure: { code: "card_declined", decline_code: "generic_decline" },
          session: { id: checkout.sessionId, payment_status: "authorized" },
        },
      },
    });
    expect(await merchant.read(`charges/${id}`)).toEqual(before);
  });

  it.each([
    ["capture", (id: string) => merchant.capture(id)],
    ["cancel", (id: string) => merchant.cancel(id)],
  ] as const)(
    "leaves a hold reserved if the acquirer refuses to %s it without saying that it is gone",
    async (kind, begin) => {
      const { checkout, id } = await reserve();
      for (const knows of ["approved", "unknown"] as const) {
        refuse(knows);
        expectError(await begin(id), declined);
      }
      expect(await eventsOf(id)).toEqual([
        "charge.authorized 1 authorized",
        `charge.${kind}_failed 2 authorized`,
        `charge.${kind}_failed 3 authorized`,
      ]);
      expect(await checkout.session()).toMatchObject({ payment_status: "authorized" });
      service.context.vault = vault;
      expect((await merchant.capture(id)).body).toMatchObject({ status: "succeeded" });
    },
  );
});

describe("a hold that the acquirer no longer has", () => {
  it("ends when a capture reveals this", async () => {
    const { checkout, id } = await reserve();
    refuse("absent");
    expectError(await merchant.capture(id), declined);
    expect(await merchant.read(`charges/${id}`)).toMatchObject({
      status: "canceled",
      amount_captured: 0,
      failure: null,
    });
    expect(await eventsOf(id)).toEqual([
      "charge.authorized 1 authorized",
      "charge.capture_failed 2 authorized",
      "charge.canceled 3 canceled",
    ]);
    expect(await checkout.session()).toMatchObject({ status: "complete", payment_status: "unpaid" });
  });

  it("is canceled when a cancellation reveals this", async () => {
    const { checkout, id } = await reserve();
    refuse("absent");
    expect(await merchant.cancel(id)).toMatchObject({ status: 200, body: { status: "canceled" } });
    expect(await eventsOf(id)).toEqual(["charge.authorized 1 authorized", "charge.canceled 2 canceled"]);
    expect(await checkout.session()).toMatchObject({ payment_status: "unpaid" });
  });
});
