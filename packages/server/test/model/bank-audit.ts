/**
 * Compares the acquirer's records with ours: the acquirer has a record of each request, and where we know the outcome,
 * both sides agree on the money.
 */
import { expect } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { bankKeys } from "../setup/test-service.ts";
import { readRows } from "./invariants.ts";
import type { World } from "./world.ts";

interface Entry {
  reference: string;
  status: string;
  requests: number;
  amount?: number;
}

/**
 * @param mayCallTwice true if another process may have taken over a slow attempt. Its request has the same reference, so
 * the two count as one
 */
export async function expectRecordsAgree(world: World, mayCallTwice = false): Promise<void> {
  const { charges, attempts } = await readRows(world);
  const authorizations = await readRecords<Authorization>(world, "authorizations");
  const entries = new Map<string, Entry>();
  for (const entry of authorizations) entries.set(entry.reference, entry);
  for (const kind of ["captures", "cancels", "refunds"] as const) {
    for (const entry of await readRecords<Entry>(world, kind)) entries.set(entry.reference, entry);
  }
  for (const { id, status, kind, amount, decline_code } of attempts) {
    const entry = entries.get(id);
    if (entry === undefined) {
      // An authorization that couldn't be sent in time is declined. Nothing else ends without the acquirer's response.
      const isTooLate = (kind === "authorize" || kind === "verify") && decline_code === "processing_error";
      expect(status, `${kind} ${id}, which the acquirer never received`).toBe(isTooLate ? "declined" : "processing");
      continue;
    }
    const received = mayCallTwice ? 1 : entry.requests;
    expect(received, `how often the acquirer received ${kind} ${id}`).toBe(1);
    if (status !== "processing") expect(entry.status, `${kind} ${id}`).toBe(status);
    if (kind !== "cancel") expect(entry.amount, `${kind} ${id}`).toBe(amount);
  }
  for (const charge of charges) {
    const own = attempts.filter((attempt) => attempt.charge_id === charge.id);
    if (own.some((attempt) => attempt.status === "processing")) continue;
    // If there are two, the first was declined.
    const authorization = own.findLast((attempt) => attempt.kind === "authorize");
    const entry = authorizations.find(({ reference }) => reference === authorization?.id);
    const { amount_captured = 0, amount_refunded = 0, canceled = false } = entry ?? {};
    expect({ amount_captured, amount_refunded, canceled }, `what the acquirer knows about ${charge.id}`).toEqual({
      amount_captured: charge.amount_captured,
      amount_refunded: charge.amount_refunded,
      canceled: charge.status === "canceled",
    });
  }
}

/** @throws if the acquirer received a request that we have no record of */
export async function expectNoUnrecordedRequests(world: World): Promise<void> {
  const rows = await world.service.context.db.selectFrom("attempt").select("id").execute();
  const known = new Set(rows.map(({ id }) => id));
  for (const kind of ["authorizations", "captures", "cancels", "refunds"] as const) {
    const unknown = (await readRecords<Entry>(world, kind)).filter(({ reference }) => !known.has(reference));
    expect(unknown, `${kind} without an attempt in our database`).toEqual([]);
  }
}

async function readRecords<T>(
  { service }: World,
  kind: "authorizations" | "captures" | "cancels" | "refunds",
): Promise<T[]> {
  const headers = { authorization: `Bearer ${bankKeys.apiKey}` };
  const response = await fetch(`${service.bankUrl}/acquirer/${kind}`, { headers });
  const ledger = (await response.json()) as Partial<Record<typeof kind, T[]>>; // the shape in the acquirer contract
  return ledger[kind] ?? [];
}
