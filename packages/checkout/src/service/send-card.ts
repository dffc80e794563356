/** Encrypts a card for the open session, and sends it with the browser data and the billing details. */
import type { BillingDetails, CardMessage, FramePayment } from "@oriel/protocol/frame";
import type { BrowserFields, ChallengeWindowSize } from "@oriel/protocol/threeds";
import { encryptCard } from "./encrypt-card.ts";
import type { FrameApi, Outcome } from "./frame-api.ts";

/** The card as typed, and the network that was chosen for it. */
export type CardToSend = Omit<CardMessage, "session_id" | "nonce">;

export interface SendWorld {
  api: Pick<FrameApi, "session" | "encryption" | "pay">;
  crypto: Crypto;
  browser(): BrowserFields;
  billing(): BillingDetails | undefined;
  windowSize(): ChallengeWindowSize;
  device(): string;
}

/** @param version of the order that the customer saw */
export async function sendCard(
  card: CardToSend,
  version: number | undefined,
  { api, crypto, ...world }: SendWorld,
): Promise<Outcome<FramePayment>> {
  const session = api.session();
  const encryption = api.encryption();
  if (!session || !encryption) throw new Error("Bug: no session");
  const message = { ...card, session_id: session.id, nonce: encryption.nonce };
  const jwe = await encryptCard(message, encryption, crypto);
  const billing = world.billing();
  return api.pay({
    card: jwe,
    browser: world.browser(),
    challenge_window_size: world.windowSize(),
    request_id: crypto.randomUUID(),
    payment_round: session.payment_round,
    device: world.device(),
    // Services of the version before don't know this field, and refuse it.
    ...(version && version > 1 && { version }),
    ...(billing && { billing_details: billing }),
  });
}
