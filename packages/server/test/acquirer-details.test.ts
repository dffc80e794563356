/** What the acquirer says about an attempt is kept, shown in the dashboard and sent with later operations. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { addFaults, clearFaults } from "./setup/bank-ledger.ts";
import { cardNumbers } from "./setup/customer.ts";
import { newWorkspace } from "./setup/dashboard-member.ts";
import { startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const service = await openForTests(startTestService());
const workspace = await newWorkspace(service);
afterEach(async () => {
  vi.restoreAllMocks();
  await clearFaults(service);
});

async function pay(card: string, session: object = {}): Promise<string> {
  const checkout = await workspace.merchant.checkout(session);
  await checkout.pay(card);
  const [charge] = await workspace.merchant.list(`charges?session_id=${checkout.sessionId}`);
  return String(charge?.["id"]);
}

/** The attempts of a payment as the dashboard shows them, oldest first. */
async function attemptsOf(id: string): Promise<unknown[]> {
  const { timeline } = await workspace.read(`payments/${id}`);
  return (timeline as unknown as Json[]).flatMap(({ attempt }) => (attempt ? [attempt] : [])); // an array according to the contract
}

const approval = {
  acquirer_id: expect.stringMatching(/^bank_/) as string,
  authorization_code: expect.stringMatching(/^[A-Z]{6}$/) as string,
  avs_result: null,
  cvc_result: "M",
  network_transaction_id: expect.stringMatching(/^[A-Z]{15}$/) as string,
  refusal_code: null,
  refusal_reason: null,
};

describe("the acquirer's details of an authorization", () => {
  it("are shown for an approval", async () => {
    expect(await attemptsOf(await pay(cardNumbers.approved))).toMatchObject([{ status: "approved", ...approval }]);
  });

  it("contain the issuer's words for a decline", async () => {
    expect(await attemptsOf(await pay(cardNumbers.declined))).toMatchObject([
      {
        status: "declined",
        decline_code: "generic_decline",
        acquirer_id: expect.stringMatching(/^bank_/) as string,
        authorization_code: null,
        refusal_code: "05",
        refusal_reason: "Do not honor",
      },
    ]);
  });

  it("are kept if a lookup finds the outcome", async () => {
    await addFaults(service, { match: { kind: "authorization" }, fault: "error_after", times: 1 });
    const id = await pay(cardNumbers.approved);
    await until("the outcome", async () => {
      const { status } = await workspace.merchant.read(`charges/${id}`);
      return String(status) === "succeeded" ? status : null;
    });
    expect(await attemptsOf(id)).toMatchObject([{ status: "approved", ...approval }]);
  });
});

describe("a capture, a cancellation and a refund", () => {
  it.each(["capture", "cancel", "refund"] as const)(
    "refer to the acquirer's ID of the authorization: %s",
    async (kind) => {
      const id = await pay(cardNumbers.approved, kind === "refund" ? {} : { capture_method: "manual" });
      const { test } = service.context.vault;
      const sent = vi.spyOn(test, kind);
      await (kind === "refund" ? workspace.merchant.refund(id) : workspace.merchant[kind](id));
      const [authorization] = (await attemptsOf(id)) as { id: string; acquirer_id: string }[]; // as checked above
      expect(sent).toHaveBeenCalledTimes(1);
      expect(sent.mock.calls[0]?.[0]).toMatchObject({
        authorization: { reference: authorization?.id, acquirerId: authorization?.acquirer_id },
      });
    },
  );
});
