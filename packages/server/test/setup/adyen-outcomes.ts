/**
 * A service whose merchant takes payments with the simulator of Adyen, and receives no notifications by itself: a test
 * decides when the service learns what the simulator has decided, and in which order. No worker runs.
 */
import { noDetails } from "@oriel/vault";
import type { FinalOutcome } from "../../src/payments/attempts/final-reply.ts";
import { resumeAttempts } from "../../src/payments/flow/recovery.ts";
import { reportOutcome, type Reported } from "../../src/payments/notifications/report-outcome.ts";
import type { Row } from "../../src/platform/storage/tables.ts";
import { startAdyen, type AdyenBank, type AdyenLedger } from "./adyen.ts";
import { newMerchant, summarize, type Merchant } from "./merchant.ts";
import { startTestService, type TestService } from "./test-service.ts";

export interface AdyenWorld {
  service: TestService;
  adyen: AdyenBank;
  merchant: Merchant;
  acquirerAccountId: string;
  /** Moves the service's clock, but not the simulator's. */
  pass(seconds: number): void;
  /** Runs all attempts that are due, as a worker would, and waits for everything in the background. */
  work(): Promise<void>;
  /** The attempts of a charge, oldest first. */
  attempts(chargeId: string): Promise<Row<"attempt">[]>;
  attempt(
    chargeId: string,
    kind: Row<"attempt">["kind"],
    reversal?: Row<"attempt">["reversal"],
  ): Promise<Row<"attempt">>;
  /** Reports what the simulator has decided about the latest such attempt, as its notification would. */
  report(
    chargeId: string,
    kind: Row<"attempt">["kind"],
    reversal?: Row<"attempt">["reversal"],
  ): Promise<{ reported: Reported; outcome: FinalOutcome["outcome"] }>;
  /** What the simulator has for a charge's authorization. */
  atAdyen(chargeId: string): Promise<AdyenLedger>;
  /** Our ledger of a charge, as `capture 4900`. */
  ledger(chargeId: string): Promise<string[]>;
  events(objectId: string): Promise<string[]>;
  /** What a person has to look at, as `outcome_unknown open`. */
  attention(chargeId: string): Promise<string[]>;
  charge(id: string): Promise<Row<"charge">>;
  close(): Promise<void>;
}

export async function startAdyenWorld(options: Parameters<typeof startAdyen>[0] = {}): Promise<AdyenWorld> {
  const adyen = await startAdyen(options);
  adyen.holdsNotifications = true;
  await adyen.setDelays({ outcomeMs: 0 });
  const service = await startTestService({ bankUrl: adyen.bankUrl, role: "api" });
  const merchant = await newMerchant(service);
  const acquirerAccountId = await adyen.connect(service, merchant.tenant);
  const { context } = service;
  const { db } = context;
  const background: Promise<unknown>[] = [];
  context.inBackground = (_what, work) => void background.push(work);

  const world: AdyenWorld = {
    service,
    adyen,
    merchant,
    acquirerAccountId,
    pass: (seconds) => service.moveClock(seconds * 1000),
    async work() {
      await resumeAttempts(context);
      while (background.length > 0) await background.pop();
    },
    attempts: (id) => db.selectFrom("attempt").selectAll().where("charge_id", "=", id).orderBy("id").execute(),
    async attempt(chargeId, kind, reversal = null) {
      const found = (await world.attempts(chargeId)).findLast((row) => row.kind === kind && row.reversal === reversal);
      if (found === undefined) throw new Error(`The charge has no attempt to ${reversal ?? kind}`);
      return found;
    },
    async report(chargeId, kind, reversal = null) {
      const attempt = await world.attempt(chargeId, kind, reversal);
      const { outcome, releasedId } = decided(attempt, await world.atAdyen(chargeId));
      return { reported: await reportOutcome(context, attempt, outcome, releasedId), outcome: outcome.outcome };
    },
    atAdyen: async (chargeId) => adyen.ledger((await world.attempt(chargeId, "authorize")).id),
    async ledger(chargeId) {
      const entries = db.selectFrom("ledger_entry").select(["kind", "amount"]).where("charge_id", "=", chargeId);
      return (await entries.execute()).map(({ kind, amount }) => `${kind} ${amount}`).sort();
    },
    events: async (objectId) => summarize(await merchant.events(objectId)),
    async attention(chargeId) {
      const items = db.selectFrom("attention").selectAll().where("charge_id", "=", chargeId).orderBy("id");
      return (await items.execute()).map(({ kind, resolved_at }) => `${kind} ${resolved_at ? "resolved" : "open"}`);
    },
    charge: (id) => db.selectFrom("charge").selectAll().where("id", "=", id).executeTakeFirstOrThrow(),
    async close() {
      await service.close();
      await adyen.close();
    },
  };
  return world;
}

/** What the simulator's notification about an attempt says. */
function decided({ id, kind }: Row<"attempt">, { payments }: AdyenLedger) {
  const [payment] = payments;
  if (kind === "authorize") {
    if (payment === undefined) throw new Error("The payment never arrived");
    return { outcome: approved(payment.pspReference), releasedId: null };
  }
  const modification = payment?.modifications.find(({ reference }) => reference === id);
  const isDone = modification?.["state"] === "done";
  const outcome = isDone ? approved(modification.pspReference) : declined(modification?.pspReference ?? null);
  return { outcome, releasedId: isDone ? (payment?.pspReference ?? null) : null };
}

export function approved(acquirerId: string): FinalOutcome {
  return { outcome: "approved", details: { ...noDetails, acquirerId } };
}

export function declined(acquirerId: string | null): FinalOutcome {
  return { outcome: "declined", declineCode: "generic_decline", details: { ...noDetails, acquirerId } };
}
