import { CardGoneError, SealBrokenError } from "@oriel/vault";

/**
 * A card that can't be read can't be authenticated, and it isn't charged without authentication. The vault has logged
 * the reason.
 */
export function cardUnreadable(error: unknown): "unreadable" {
  if (error instanceof SealBrokenError || error instanceof CardGoneError) return "unreadable";
  throw error;
}
