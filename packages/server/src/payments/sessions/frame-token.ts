/**
 * What one load of the checkout page may do: act for its session. Signed, not stored; the page keeps it in memory. It
 * ends an hour after the session's time, so that a payment in flight can still be seen to its end.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

const graceMs = 60 * 60 * 1000;

export function newFrameToken({ keys }: Pick<PlatformContext, "keys">, session: Row<"checkout_session">): string {
  const claim = `${session.id}.${session.expires_at.getTime() + graceMs}`;
  return `${claim}.${keys.sign(`frame ${claim}`)}`;
}

/** The id of the session that a token is for. @throws ApiError `frame_token_invalid` */
export function readFrameToken({ keys, now }: Pick<PlatformContext, "keys" | "now">, token: string | null): string {
  const [sessionId = "", expiresAt = "", signature = ""] = (token ?? "").split(".");
  if (!keys.isSignatureOf(signature, `frame ${sessionId}.${expiresAt}`) || Number(expiresAt) <= now().getTime()) {
    throw new ApiError("frame_token_invalid", "The page was open for too long. Load it again.");
  }
  return sessionId;
}
