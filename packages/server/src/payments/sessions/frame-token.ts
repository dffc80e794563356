/**
 * The token that lets one loaded checkout page act for its session. It's signed, not stored, and the page keeps it in
 * memory. It expires an hour after the session, so that the page can follow a payment in progress to its end.
 *
 * It's `session.expiry.signature.proof`. The proof is another signature, which includes the client secret's hash. A new
 * payment needs it, so a page can't start one after the session's `embed_url` was replaced. Without it, the page can
 * still follow its payment.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

type Keys = Pick<PlatformContext, "keys">;
type Session = Row<"checkout_session">;

const graceMs = 60 * 60 * 1000;

export function newFrameToken({ keys }: Keys, session: Session): string {
  const claim = `${session.id}.${session.expires_at.getTime() + graceMs}`;
  return `${claim}.${keys.sign(`frame ${claim}`)}.${keys.sign(proofOf(claim, session))}`;
}

/** Reads the ID of the session that a token is for. @throws ApiError `frame_token_invalid` */
export function readFrameToken({ keys, now }: Keys & Pick<PlatformContext, "now">, token: string | null): string {
  const [sessionId = "", expiresAt = "", signature = ""] = (token ?? "").split(".");
  if (!keys.isSignatureOf(signature, `frame ${sessionId}.${expiresAt}`) || Number(expiresAt) <= now().getTime())
    throw new ApiError("frame_token_invalid", "This page has been open for too long. Reload the page.");
  return sessionId;
}

/**
 * Requires that a token was issued for the session's current client secret.
 *
 * @param token one that {@link readFrameToken} has accepted
 * @throws ApiError `frame_token_invalid`
 */
export function requireCurrentSecret({ keys }: Keys, token: string, session: Session): void {
  const [sessionId = "", expiresAt = "", , proof] = token.split(".");
  // Processes of an earlier version issue tokens without a proof. In round 0, the secret was never replaced. In a later
  // one, the page gets another token.
  const isCurrent =
    proof === undefined
      ? session.payment_round === 0
      : keys.isSignatureOf(proof, proofOf(`${sessionId}.${expiresAt}`, session));
  if (!isCurrent) throw new ApiError("frame_token_invalid", "This checkout was opened elsewhere. Reload the page.");
}

function proofOf(claim: string, { client_secret_hash }: Session): string {
  return `frame ${claim} ${client_secret_hash.toString("base64url")}`;
}
