/** The Adyen connector fulfills the contract with the Adyen simulator, and every message is valid. */
import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../../scripts/test/open-for-tests.ts";
import { describeAcquirerContract, describeReversals } from "../acquirer-contract.ts";
import { authorization } from "../authorization.ts";
import { startAdyen } from "./adyen-under-test.ts";

/** One for all tests of this file, so that the last one sees every message. */
const adyen = await openForTests(startAdyen());

const start = async () => ({ ...adyen, close: async () => {} });
describeAcquirerContract("Adyen", "notified", start);
describeReversals("Adyen", start);

describe("what happens after a refund or capture was accepted", () => {
  it.each([
    ["/fail", "CAPTURE_FAILED", "capture", "capture_failed"],
    ["/fail", "REFUND_FAILED", "refund", "refund_failed"],
    ["/fail", "REFUNDED_REVERSED", "refund", "refund_reversed"],
  ] as const)("is reported: %s %s", async (path, eventCode, kind, type) => {
    const { acquirerId } = await payment(kind === "refund");
    const reply = await adyen.acquirer[kind]({
      reference: reference(),
      isRepeated: false,
      authorization: { reference: reference(), acquirerId },
      amount: 1000,
      currency: "eur",
    });
    expect(await adyen.notified(reply)).toBe("approved");
    await adyen.control(path, { pspReference: reply.details.acquirerId, eventCode });
    await vi.waitFor(() =>
      expect(adyen.events).toContainEqual(expect.objectContaining({ type, acquirerId: reply.details.acquirerId })),
    );
  });

  it("is reported as a dispute, also in another currency", async () => {
    const { acquirerId } = await payment(true);
    const amount = { value: 5200, currency: "USD" };
    for (const eventCode of ["NOTIFICATION_OF_CHARGEBACK", "CHARGEBACK", "CHARGEBACK_REVERSED", "SECOND_CHARGEBACK"])
      await adyen.control("/chargebacks", { paymentPspReference: acquirerId, eventCode, amount });
    const money = { amount: 5200, currency: "usd" };
    const expected = ["dispute_opened", "chargeback", "chargeback_reversed", "second_chargeback"];
    await vi.waitFor(() => {
      for (const type of expected)
        expect(adyen.events).toContainEqual(expect.objectContaining({ type, authorizationId: acquirerId, money }));
    });
  });
});

describe("every request and response", () => {
  it("matches the description that Adyen publishes", () => {
    expect(adyen.mistakes).toEqual([]);
    const counts = Object.fromEntries(adyen.checked);
    const operations = [
      "/payments",
      "/cancels",
      ...["captures", "cancels", "refunds", "reversals"].map((kind) => `/payments/{paymentPspReference}/${kind}`),
    ];
    for (const path of operations) {
      expect(counts[`POST ${path} request`]).toBeGreaterThan(1);
      expect(counts[`POST ${path} 201`] ?? counts[`POST ${path} 200`]).toBeGreaterThan(1);
    }
  });
});

function reference(): string {
  return `att_${crypto.randomUUID()}`;
}

async function payment(capture: boolean): Promise<{ acquirerId: string | null }> {
  const request = { ...authorization, reference: reference(), capture, card: adyen.approvedCard };
  const { details } = await adyen.acquirer.authorize(request);
  return details;
}
