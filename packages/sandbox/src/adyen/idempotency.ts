/**
 * Adyen's idempotency: a request whose key is known isn't processed. It gets the response to the first request.
 *
 * Adyen documents that keys have at most 64 characters and belong to the company account (so to no single endpoint).
 * Adyen stores them for at least 7 days, and this simulator for no longer. A request that arrives later under the same
 * key is processed again. Source: docs.adyen.com/development-resources/api-idempotency.
 *
 * A request that is refused before processing doesn't use up its key.
 *
 * Adyen doesn't document what happens to another request under a known key. This simulator refuses it with 704, the
 * code for a request that was already processed or is in progress, so that a client that reuses a key is noticed.
 */
import { createHmac } from "node:crypto";
import { refused, type Reply } from "./messages.ts";

export const defaultKeyLifetimeMs = 7 * 24 * 60 * 60 * 1000;

const maxKeyLength = 64;

interface StoredReply {
  fingerprint: string;
  reply: Reply<object>;
  expiresMs: number;
}

export class IdempotencyKeys {
  readonly #lifetimeMs: number;
  /** Oldest first. */
  readonly #replies = new Map<string, StoredReply>();

  constructor(lifetimeMs: number) {
    this.#lifetimeMs = lifetimeMs;
  }

  /** Runs `act`, or returns the response of the first request with this key. Without a key it always runs. */
  run<Body extends object>(
    key: string | undefined,
    fingerprint: string,
    nowMs: number,
    act: () => Reply<Body>,
  ): Reply<Body> {
    if (key === undefined) return act();
    if (key === "" || key.length > maxKeyLength)
      return refused(422, "702", "The idempotency key has 1 to 64 characters.");
    this.#forgetExpired(nowMs);
    const known = this.#replies.get(key);
    if (known === undefined) {
      const reply = act();
      if (reply.status < 400) this.#replies.set(key, { fingerprint, reply, expiresMs: nowMs + this.#lifetimeMs });
      return reply;
    }
    if (known.fingerprint !== fingerprint)
      return refused(422, "704", "Another request with this idempotency key was already processed.");
    return known.reply as Reply<Body>; // the fingerprint covers the operation
  }

  #forgetExpired(nowMs: number): void {
    for (const [key, { expiresMs }] of this.#replies) {
      if (expiresMs > nowMs) return;
      this.#replies.delete(key);
    }
  }
}

/**
 * Shows whether two requests are the same without storing a card number. Of the CVC, only whether there's one counts,
 * because nothing derived from it may be stored.
 */
export function createFingerprint(key: Buffer): (operation: string, body: object) => string {
  return (operation, body) =>
    createHmac("sha256", key)
      .update(JSON.stringify([operation, body], (name, value: unknown) => (name === "cvc" ? "present" : value)))
      .digest("base64url");
}
