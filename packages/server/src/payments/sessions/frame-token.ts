/**
 * The token that lets one loaded checkout page act for its session. It's signed, not stored, and the page keeps it in
 * memory. It expires an hour after the session, so that the page can follow a payment in progress to its end.
 */
import type { PlatformContext } from "../../platform/context.ts";
import { ApiError } from "../../platform/errors.ts";
import type { Row } from "../../platform/storage/tables.ts";

const graceMs = 60 * 60 * 1000;

export function newFrameToken({ keys }: Pick<PlatformContext, "keys">, session: Row<"checkout_session">): string {
  const claim = `${session.id}.${session.expires_at.getTime() + graceMs}`;
  return `${claim}.${keys.sign(`frame ${claim}`)}`;
}

/** Reads the ID of the session that a token is for. @throws ApiError `frame_token_invalid` */
export function readFrameToken({ keys, now }: Pick<PlatformContext, "keys" | "now">, token: string | null): string {
  const [sessionId = "", expiresAt = "", signature = ""] = (token ?? "").split(".");
  if (!keys.isSignatureOf(signature, `frame ${sessionId}.${expiresAt}`) || Number(expiresAt) <= now().getTime()) {
    throw new ApiError("frame_token_invalid", "This page has been open for too long. Reload the page.");
  }
  return sessionId;
}
