/**
 * The server side of the tests' merchant: creates sessions over Oriel's public API, with the key that `npm start` wrote
 * for its demo account. Runs in Node, in the tests and in the host server. The key is sent only to the service, never
 * to a page.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createClient, type CreateCheckoutSession, type Oriel } from "@oriel/sdk";
import { addresses } from "../urls.ts";

export type SessionFields = Partial<CreateCheckoutSession>;

export interface OpenSession {
  sessionId: string;
  embedUrl: string;
}

/** A session of €49.00 for the tests' host pages, unless the fields override it. */
export async function openSession(fields: SessionFields = {}): Promise<OpenSession> {
  const request = { amount: 4900, currency: "eur", allowed_origins: [addresses.hosts], ...fields };
  const { session, embed_url } = await oriel().checkoutSessions.create(request);
  return { sessionId: session.id, embedUrl: embed_url };
}

/** The session as the service has it, because a page's state proves nothing. */
export function sessionOf(sessionId: string) {
  return oriel().checkoutSessions.retrieve(sessionId);
}

/** The card that a session saved, as the service returns it to the merchant. */
export async function savedCardOf(sessionId: string) {
  const { payment_method_id } = await sessionOf(sessionId);
  if (payment_method_id === null) throw new Error(`${sessionId} has no saved card.`);
  return await oriel().paymentMethods.retrieve(payment_method_id);
}

/** Expires a session now. */
export function expireSession(sessionId: string) {
  return oriel().checkoutSessions.expire(sessionId);
}

let client: Oriel | null = null;

/** The merchant's own client, for requests without a helper here. */
export function oriel(): Oriel {
  client ??= createClient({ apiUrl: addresses.api, secretKey: readSecretKey(), totalTimeoutMs: 15_000 });
  return client;
}

function readSecretKey(): string {
  const dataDir = process.env["ORIEL_E2E_DATA_DIR"];
  if (!dataDir)
    throw new Error("ORIEL_E2E_DATA_DIR isn't set. Run the tests with playwright.config.ts, which sets it.");
  const key = /^ORIEL_SECRET_KEY=(.+)$/m.exec(readFileSync(join(dataDir, "demo.env"), "utf8"))?.[1];
  if (!key) throw new Error(`There's no ORIEL_SECRET_KEY in ${dataDir}/demo.env.`);
  return key;
}
