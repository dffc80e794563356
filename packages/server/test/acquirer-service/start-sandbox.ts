/** The sandbox bank, as the service's default acquirer. */
import { acquirerFor } from "../../src/merchants/accounts/live-mode.ts";
import { addFaults, clearFaults, ledgerOf } from "../setup/bank-ledger.ts";
import { newMerchant } from "../setup/merchant.ts";
import { startTestService } from "../setup/test-service.ts";
import { lostResponses, type AcquirerUnderTest, type Balances } from "./acquirer-under-test.ts";

const kinds = { authorize: "authorization", capture: "capture", cancel: "cancel", refund: "refund" } as const;

export async function startSandbox(): Promise<AcquirerUnderTest> {
  const service = await startTestService({ role: "api", pages: true });
  const sandbox: AcquirerUnderTest = {
    service,
    newMerchant: () => newMerchant(service),
    async acquirerOf({ tenant }) {
      const acquirer = await acquirerFor(service.context, tenant, null);
      if (acquirer === null) throw new Error("Bug: no default acquirer");
      return acquirer;
    },
    async moneyOf(decisionId) {
      const { authorizations } = await ledgerOf(service, decisionId);
      const sum = (of: (one: (typeof authorizations)[number]) => number) =>
        authorizations.reduce((total, one) => total + of(one), 0);
      const isReserved = (one: (typeof authorizations)[number]) =>
        one.status === "approved" && !one.canceled && one.amount_captured === 0;
      return {
        reserved: sum((one) => (isReserved(one) ? one.amount : 0)),
        captured: sum((one) => one.amount_captured),
        refunded: sum((one) => one.amount_refunded),
      } satisfies Balances;
    },
    countAuthorizations: async (decisionId) => (await ledgerOf(service, decisionId)).authorizations.length,
    async merchantBalanceOf(decisionId) {
      const { captured, refunded } = await sandbox.moneyOf(decisionId);
      return captured - refunded;
    },
    loseResponses: (kind, when) =>
      addFaults(
        service,
        { match: { kind: "lookup" }, fault: "down" },
        { match: { kind: kinds[kind] }, fault: lostResponses[when] },
      ),
    stopLosing: () => clearFaults(service),
    close: () => service.close(),
  };
  return sandbox;
}
