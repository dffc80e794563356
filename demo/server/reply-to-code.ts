/**
 * Replies to the promotion code that a customer has entered. Only the payment service can say which code that is, so
 * whoever causes this, it changes at most what the shop would change anyway.
 */
import { type CheckoutSessions, OrielError } from "@oriel/sdk";
import { decideOnCode } from "./prices.ts";

export async function replyToCode(sessions: CheckoutSessions, sessionId: string): Promise<void> {
  const session = await sessions.retrieve(sessionId);
  const code = session.collected.promotion_code;
  if (code === null || session.update_request?.status !== "pending") return; // already decided
  try {
    await sessions.update(sessionId, { ...decideOnCode(code, new Date()), if_promotion_code: code });
  } catch (error) {
    // The customer has paid, or entered another code, which has its own event.
    if (error instanceof OrielError && ["session_closed", "promotion_code_mismatch"].includes(error.code)) return;
    throw error;
  }
}
