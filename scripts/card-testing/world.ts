/**
 * A shop, its customers and an attacker, on a virtual clock. The payments run through the service's own code and real SQL,
 * from the risk rules to the settled charge. There is no HTTP, and the vault and the bank are replaced by a few lines that
 * know each card.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { noDetails, type CardBank, type Vault } from "@oriel/vault";
import type { DeclineCode } from "@oriel/protocol/declines";
import { createAccount } from "../../packages/server/src/merchants/accounts/accounts.ts";
import type { PaymentContext } from "../../packages/server/src/payments/context.ts";
import { findDecision } from "../../packages/server/src/payments/decisions/decisions.ts";
import { authenticatePayment, startPayment } from "../../packages/server/src/payments/flow/payments.ts";
import { runAttempt } from "../../packages/server/src/payments/flow/run-attempt.ts";
import { conclude } from "../../packages/server/src/payments/flow/threeds/conclude.ts";
import { createCheckoutSession } from "../../packages/server/src/payments/sessions/checkout-sessions.ts";
import { ApiError } from "../../packages/server/src/platform/errors.ts";
import { hasId } from "../../packages/server/src/platform/storage/owned-by.ts";
import type { Row } from "../../packages/server/src/platform/storage/tables.ts";
import type { Tenant } from "../../packages/server/src/platform/tenant.ts";
import { browser } from "../../packages/server/test/setup/customer.ts";

/** Shares of the stolen numbers, the customers and their cards. */
export const population = {
  /** Stolen numbers that work. */
  working: 0.05,
  /** Honest customers who have never paid at the shop. */
  newCustomers: 0.4,
  /** Cards whose bank supports 3-D Secure. */
  enrolled: 0.9,
  /** Enrolled cards whose bank asks even if we don't. */
  asked: 0.2,
  /** Honest customers who mistype the CVC, up to three times. */
  typos: 0.05,
};

/** A card in the simulation. */
export interface SimulatedCard {
  id: string;
  /** Whether the issuer approves payments with it. */
  works: boolean;
  /** Whether its bank supports 3-D Secure. */
  isEnrolled: boolean;
  /** Whether the issuer would ask the payer even if we didn't. */
  isAsked: boolean;
  fingerprint: Buffer;
}

export interface Payer {
  /** Whether the payer can pass a challenge: the cardholder can, a thief with the number can't. */
  canConfirm: boolean;
  ip: string;
  device: string | null;
}

export interface Try {
  card: SimulatedCard;
  payer: Payer;
  session: OpenSession;
  /** The payer mistypes the CVC. */
  isMistyped?: boolean;
}

/** A checkout session, created when it's first used. */
export interface OpenSession {
  mode: "payment" | "setup";
  amount: number;
  row?: Row<"checkout_session">;
}

export type Outcome = "approved" | "declined" | "refused";

export interface Tried {
  outcome: Outcome;
  /** Whether the payer was asked to confirm the payment. */
  wasChallenged: boolean;
  /** Whether the acquirer was asked. */
  reachedAcquirer: boolean;
}

/** Declines that issuers send for cards that don't work. */
const declineCodes: readonly DeclineCode[] = ["do_not_honor", "incorrect_cvc", "insufficient_funds", "stolen_card"];

export interface World {
  context: PaymentContext;
  tenant: Tenant;
  newCard(shape: Partial<Omit<SimulatedCard, "id" | "fingerprint">>): SimulatedCard;
  pay(attempt: Try): Promise<Tried>;
}

/**
 * @param service its vault is replaced
 * @param beforeAuthorization called before each authorization, to let others catch up
 */
export async function openWorld(
  service: PaymentContext,
  name: string,
  beforeAuthorization = async (_tenant: Tenant) => {},
): Promise<World> {
  const cards = new Map<string, SimulatedCard>();
  const stored = new Map<string, { card: SimulatedCard; isMistyped: boolean }>();
  const asked = new Set<string>();
  const context: PaymentContext = { ...service, vault: simulatedVault() };
  const { accountNo } = await createAccount(context.db, name, context.now());
  const tenant: Tenant = { accountNo, livemode: false };
  let made = 0;

  return {
    context,
    tenant,
    newCard(shape) {
      const card = {
        works: true,
        isEnrolled: true,
        isAsked: false,
        ...shape,
        id: `card ${++made}`,
        fingerprint: randomBytes(32),
      };
      cards.set(card.id, card);
      return card;
    },
    async pay({ card, payer, session, isMistyped = false }) {
      session.row ??= await newSession(session);
      const request = {
        card: JSON.stringify({ id: card.id, isMistyped }),
        browser,
        challenge_window_size: "03",
        request_id: randomUUID(),
        ...(payer.device !== null && { device: payer.device }),
      } as const;
      let id: string;
      try {
        id = await startPayment(context, await reread(session.row), request, { ip: payer.ip, userAgent: "simulation" });
      } catch (error) {
        if (error instanceof ApiError) return { outcome: "refused", wasChallenged: false, reachedAcquirer: false };
        throw error;
      }
      const wasChallenged = await authenticate(id, payer);
      const ended = await context.db
        .selectFrom("attempt")
        .select("status")
        .where(hasId(id, "decision_id"))
        .executeTakeFirst();
      return {
        outcome: ended?.status === "approved" ? "approved" : "declined",
        wasChallenged,
        reachedAcquirer: asked.delete(id),
      };
    },
  };

  async function newSession({ mode, amount }: OpenSession): Promise<Row<"checkout_session">> {
    const money = mode === "setup" ? {} : { amount, currency: "eur" };
    const request = { mode, ...money, allowed_origins: ["https://shop.example"] };
    const defaults = { appearance: null, allowed_origins: [] } as never; // the request has all of them
    const created = await createCheckoutSession(context, context.db, tenant, request, defaults);
    if (created === undefined) throw new Error("Bug: no session was created");
    return await reread(created.session);
  }

  async function reread({ id }: { id: string }): Promise<Row<"checkout_session">> {
    return await context.db.selectFrom("checkout_session").selectAll().where(hasId(id)).executeTakeFirstOrThrow();
  }

  /** @returns whether the payer was asked */
  async function authenticate(id: string, payer: Payer): Promise<boolean> {
    const decision = await findDecision(context.db, tenant, id);
    if (decision?.status !== "requires_action") return false;
    await authenticatePayment(context, decision);
    const open = await context.db
      .selectFrom("authentication")
      .selectAll()
      .where(hasId(id, "decision_id"))
      .where("status", "=", "challenge")
      .executeTakeFirst();
    if (open === undefined) return false;
    const proof = { eci: "05", authentication_value: randomBytes(20).toString("base64") };
    const ended = payer.canConfirm
      ? await conclude(context, open, "authenticated", { ...proof, trans_status: "Y" })
      : await conclude(context, open, "failed", { trans_status: "N" });
    if (ended?.attempt) await runAttempt(context, ended.attempt);
    return true;
  }

  function simulatedVault(): Vault {
    const cardOf = (paymentMethodId: string) => {
      const found = stored.get(paymentMethodId);
      if (found === undefined) throw new Error(`Bug: ${paymentMethodId} has no card`);
      return found;
    };
    const bank: CardBank<"test"> = {
      mode: "test",
      capabilities: service.vault.test.capabilities,
      resolves: { by: "reference" },
      threeDS: {
        kind: "directory_server",
        async enrollment({ paymentMethodId }) {
          return cardOf(paymentMethodId).card.isEnrolled ? { version: "2.2.0", methodUrl: null } : null;
        },
        async authenticate({ paymentMethodId }, request) {
          const isMandated = request.threeDSRequestorChallengeInd?.includes("04") ?? false;
          const isAsked = isMandated || cardOf(paymentMethodId).card.isAsked;
          const answer = {
            messageType: "ARes",
            messageVersion: "2.2.0",
            threeDSServerTransID: request.threeDSServerTransID,
            acsTransID: randomUUID(),
            dsTransID: randomUUID(),
          };
          const proof = { transStatus: "Y", eci: "05", authenticationValue: randomBytes(20).toString("base64") };
          const challenge = { transStatus: "C", acsURL: "https://bank.example/challenge" };
          return { ...answer, ...(isAsked ? challenge : proof) } as never; // as the directory server sends it
        },
        result: async () => null,
      },
      async authorize({ paymentMethodId }, { reference }) {
        const { card, isMistyped } = cardOf(paymentMethodId);
        await beforeAuthorization(tenant);
        asked.add(await decisionOf(reference));
        if (card.works && !isMistyped) return { outcome: "approved", details: noDetails };
        const declineCode = isMistyped ? "incorrect_cvc" : declineCodes[made % declineCodes.length];
        return { outcome: "declined", declineCode: declineCode ?? "do_not_honor", details: noDetails };
      },
      capture: async () => ({ outcome: "approved", details: noDetails }),
      cancel: async () => ({ outcome: "approved", details: noDetails }),
      refund: async () => ({ outcome: "approved", details: noDetails }),
      cancelOrRefund: async () => ({ outcome: "approved", details: noDetails }),
      reverse: async () => ({ outcome: "unknown", reason: "silence" }),
      lookup: async () => ({ outcome: "absent" }),
    };
    return {
      checkKeys: async () => {},
      encryption: () => ({}) as never, // the page isn't simulated
      async storeCard({ message, paymentMethodId }) {
        const { id, isMistyped } = JSON.parse(message) as { id: string; isMistyped: boolean }; // of `pay`
        const card = cards.get(id);
        if (card === undefined) throw new Error(`Bug: there is no ${id}`);
        stored.set(paymentMethodId, { card, isMistyped });
        const summary = { brand: "visa", last4: "4242", expMonth: 12, expYear: 2040, network: null } as const;
        return { ok: true, summary, fingerprint: card.fingerprint };
      },
      keep: async () => true,
      async erase(ids) {
        for (const id of ids) stored.delete(id);
      },
      eraseCvc: async () => {},
      // Only the default acquirer is simulated.
      readSettings: () => ({}),
      tryOut: async () => {},
      storeCredentials: async () => "",
      eraseCredentials: async () => {},
      readNotification: async () => "not_a_notification",
      sweep: async () => {},
      checkWrites: async () => {},
      test: bank,
      live: null,
      bank: async () => bank,
    };
  }

  async function decisionOf(attemptId: string): Promise<string> {
    const attempt = context.db.selectFrom("attempt").select("decision_id").where(hasId(attemptId));
    return (await attempt.executeTakeFirstOrThrow()).decision_id;
  }
}
