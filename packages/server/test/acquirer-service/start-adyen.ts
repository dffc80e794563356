/** The simulator of Adyen. Each merchant has an acquirer account of its own, and each notification arrives twice. */
import { acquirerFor } from "../../src/merchants/accounts/live-mode.ts";
import { startAdyen as startAdyenBank, type AdyenBank, type AdyenLedger } from "../setup/adyen.ts";
import { newMerchant } from "../setup/merchant.ts";
import { startTestService } from "../setup/test-service.ts";
import { lostResponses, referencesOf, type NotifyingAcquirer, type Balances } from "./acquirer-under-test.ts";

export interface AdyenUnderTest extends NotifyingAcquirer {
  adyen: AdyenBank;
}

const kinds = { authorize: "authorization", capture: "capture", cancel: "cancel", refund: "refund" } as const;

/** Where Adyen's number of decimals isn't ours. Source: docs.adyen.com/development-resources/currency-codes */
const theirUnits: Readonly<Record<string, number>> = { CLP: 100, ISK: 100, CVE: 1 / 100, IDR: 1 / 100 };

export async function startAdyen(): Promise<AdyenUnderTest> {
  const adyen = await startAdyenBank();
  await adyen.setDelays({ outcomeMs: 0, notificationMs: 0 });
  adyen.repeatsNotifications = true;
  const service = await startTestService({ role: "api", pages: true, bankUrl: adyen.bankUrl });
  const accounts = new Map<number, string>();
  const paymentsOf = async (decisionId: string) =>
    await Promise.all((await referencesOf(service, decisionId)).map((reference) => adyen.ledger(reference)));
  return {
    adyen,
    service,
    async newMerchant() {
      const merchant = await newMerchant(service);
      accounts.set(merchant.tenant.accountNo, await adyen.connect(service, merchant.tenant));
      return merchant;
    },
    async acquirerOf({ tenant }) {
      const acquirer = await acquirerFor(service.context, tenant, accounts.get(tenant.accountNo) ?? null);
      if (acquirer === null) throw new Error("Bug: no acquirer account");
      return acquirer;
    },
    async moneyOf(decisionId) {
      const entries = (await paymentsOf(decisionId)).flatMap((ledger) => ledger.entries);
      const sum = (fits: (entry: AdyenLedger["entries"][number]) => boolean) =>
        entries.filter(fits).reduce((total, { value, currency }) => total + inOurUnit(value, String(currency)), 0);
      const isMerchants = ({ account }: { account: string }) => account === "merchant";
      return {
        reserved: sum(({ account }) => account === "reserved"),
        captured: sum((entry) => isMerchants(entry) && ["captured", "capture_failed"].includes(entry.type)),
        refunded: -sum((entry) => isMerchants(entry) && entry.type.startsWith("refund")) || 0, // never -0
      } satisfies Balances;
    },
    countAuthorizations: async (decisionId) =>
      (await paymentsOf(decisionId)).reduce((count, { payments }) => count + payments.length, 0),
    async merchantBalanceOf(decisionId) {
      const entries = (await paymentsOf(decisionId)).flatMap((ledger) => ledger.entries);
      const own = entries.filter(({ account }) => account === "merchant");
      return own.reduce((total, { value, currency }) => total + inOurUnit(value, String(currency)), 0);
    },
    async loseResponses(kind, when) {
      adyen.holdsNotifications = true;
      await adyen.addFaults({ match: { kind: kinds[kind] }, fault: lostResponses[when] });
    },
    async stopLosing() {
      await adyen.clearFaults();
      adyen.holdsNotifications = false;
    },
    holdNotifications: (isHeld) => void (adyen.holdsNotifications = isHeld),
    async close() {
      await service.close();
      await adyen.close();
    },
  };
}

function inOurUnit(value: number, currency: string): number {
  return value / (theirUnits[currency] ?? 1);
}
