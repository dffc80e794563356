/**
 * An acquirer behind the whole service, for the suites in this folder. Each suite covers one capability, and a test file
 * per acquirer (`acquirer-service-*.test.ts`) runs those that the acquirer has.
 *
 * The service has the role `api`, so nothing is retried by itself: `resume` does it, after some time has passed on the
 * service's clock.
 */
import type { CardAcquirer } from "@oriel/vault";
import type { OperationKind } from "../../../vault/src/connectors/acquirer.ts";
import { requestResults, resumeAttempts } from "../../src/payments/flow/recovery.ts";
import type { FaultName } from "../setup/bank-ledger.ts";
import type { Merchant } from "../setup/merchant.ts";
import type { Json, TestService } from "../setup/test-service.ts";
import { until } from "../setup/until.ts";

export interface AcquirerUnderTest {
  service: TestService;
  /** A new merchant whose payments are made with this acquirer. */
  newMerchant(): Promise<Merchant>;
  /** The acquirer as the service uses it for a merchant. */
  acquirerOf(merchant: Merchant): Promise<CardAcquirer>;
  /**
   * What has moved for a decision, from the acquirer's own records and in our unit. Sums over all authorizations of the
   * decision.
   */
  moneyOf(decisionId: string): Promise<Balances>;
  /** How many authorizations of a decision the acquirer has, whatever their outcome. */
  countAuthorizations(decisionId: string): Promise<number>;
  /** What the merchant has at the acquirer from this decision, in our unit. */
  merchantBalanceOf(decisionId: string): Promise<number>;
  /**
   * Loses the responses to all requests of this kind, before or after the acquirer has processed them, and everything that
   * the acquirer could report by itself.
   */
  loseResponses(kind: OperationKind, when: "before" | "after"): Promise<void>;
  /** Lets all responses arrive again, and what the acquirer has to report. */
  stopLosing(): Promise<void>;
  close(): Promise<void>;
}

/** An acquirer that reports outcomes by notifications. */
export interface NotifyingAcquirer extends AcquirerUnderTest {
  /** While true, no notification arrives. They arrive later. */
  holdNotifications(isHeld: boolean): void;
}

export interface Balances {
  reserved: number;
  captured: number;
  refunded: number;
}

export const nothing: Balances = { reserved: 0, captured: 0, refunded: 0 };

/** The faults that lose a response at once, without a timeout. */
export const lostResponses: Record<"before" | "after", FaultName> = { before: "error_before", after: "error_after" };

/** Lets `ms` pass, and runs everything that is due then. */
export async function resume({ service }: AcquirerUnderTest, ms: number): Promise<void> {
  service.moveClock(ms);
  await resumeAttempts(service.context);
  await requestResults(service.context, service.context.now());
}

/** Waits until a charge has this status and no operation is in progress. */
export async function chargeWith(merchant: Merchant, id: string, status: string): Promise<Json> {
  return await until(`charge ${id} to be ${status}`, async () => {
    const charge = await merchant.read(`charges/${id}`);
    return String(charge["status"]) === status && charge["pending_operation"] === null ? charge : null;
  });
}

export async function refundWith(merchant: Merchant, id: string, status: string): Promise<Json> {
  return await until(`refund ${id} to be ${status}`, async () => {
    const refund = await merchant.read(`refunds/${id}`);
    return String(refund["status"]) === status ? refund : null;
  });
}

export function idOf({ id }: Json): string {
  return String(id);
}

/** The references of all authorizations and verifications of a decision. */
export async function referencesOf({ context }: TestService, decisionId: string): Promise<string[]> {
  const attempts = context.db.selectFrom("attempt").select("id").where("decision_id", "=", decisionId);
  const found = await attempts.where("kind", "in", ["authorize", "verify"]).execute();
  return found.map(({ id }) => id);
}

/** The entries of a charge in the ledger, as `capture 4900 eur`, in any order. */
export async function ledgerOf(merchant: Merchant, chargeId: string): Promise<string[]> {
  const entries = await merchant.list(`ledger_entries?charge_id=${chargeId}`);
  return entries.map(({ kind, amount, currency }) => `${kind} ${amount} ${currency}`).sort();
}

/** What a person has to look at, by kind. */
export async function openAttention({ service }: AcquirerUnderTest, { tenant }: Merchant): Promise<string[]> {
  const items = service.context.db.selectFrom("attention").select("kind").where("account_no", "=", tenant.accountNo);
  return (await items.where("resolved_at", "is", null).execute()).map(({ kind }) => kind);
}
