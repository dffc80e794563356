/**
 * Checks Adyen's notifications: everything that happened was reported and accepted, and everything that the service
 * accepted is stored and processed.
 */
import { modificationEvents } from "../../packages/sandbox/src/adyen/notifications.ts";
import type { Records } from "../records.ts";
import { notificationId, type AdyenPayment } from "./adyen-side.ts";
import type { Mistake } from "./mistake.ts";

/** The notifications about these payments. Each as its possible IDs. */
function expectedOf({ pspReference, modifications }: AdyenPayment): string[][] {
  const either = (id: string, eventCode: string) =>
    [true, false].map((isDone) => notificationId(id, eventCode, isDone));
  return [
    either(pspReference, "AUTHORISATION"),
    // A capture that nobody requested isn't reported.
    ...modifications
      .filter(({ reference }) => reference !== null)
      .map((modification) => either(modification.pspReference, modificationEvents[modification.kind])),
  ];
}

/** Returns a sentence for everything that Adyen hasn't reported yet. */
export function findUnreported(payments: readonly AdyenPayment[], accepted: { has(id: string): boolean }): string[] {
  return payments
    .flatMap(expectedOf)
    .filter((ids) => !ids.some((id) => accepted.has(id)))
    .map(([id = ""]) => `the notification ${id}`);
}

export function checkNotifications({ notifications }: Records, accepted: ReadonlyMap<string, number>): Mistake[] {
  const stored = new Map(notifications.map((row) => [row.id, row.status]));
  const lost = [...accepted.keys()].filter((id) => !stored.has(id)).map((id) => `${id} was accepted, but isn't stored`);
  const open = [...stored].filter(([, status]) => status !== "processed").map(([id, status]) => `${id} is ${status}`);
  return [...lost, ...open].map((what) => ({ kind: "notification", what: `the notification ${what}` }));
}
