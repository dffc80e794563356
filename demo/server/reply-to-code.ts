/**
 * Replies to the promotion code that a customer has entered. Only the payment service can say which code that is, so
 * whoever causes this, it changes at most what the shop would change anyway.
 */
import { type CheckoutSessions, OrielError, type UpdateCheckoutSession } from "@oriel/sdk";
import { decideOnCode } from "./prices.ts";

export async function replyToCode(sessions: CheckoutSessions, sessionId: string): Promise<void> {
  const session = await sessions.retrieve(sessionId);
  const code = session.collected.promotion_code;
  if (code === null || session.update_request?.status !== "pending") return; // already decided
  const reply = (change: UpdateCheckoutSession) => sessions.update(sessionId, { ...change, if_promotion_code: code });
  try {
    await reply(decideOnCode(code, new Date()));
  } catch (error) {
    const refusal = error instanceof OrielError ? error.code : null;
    // The amount can't be changed again, so the code has no effect.
    if (refusal === "session_changed_too_often")
      await reply({ reject: { field: "promotion_code", reason: "not_applicable" } });
    // The session has ended, or the customer has entered another code, which has its own event.
    else if (refusal !== "session_closed" && refusal !== "promotion_code_mismatch") throw error;
  }
}
