import type { NotificationRequestItem } from "../packages/sandbox/src/adyen/messages.ts";

/** The ID under which the service stores a notification. Each copy of it has the same. */
export function notificationId({
  pspReference,
  eventCode,
  success,
  reason,
}: Pick<NotificationRequestItem, "pspReference" | "eventCode" | "success" | "reason">): string {
  const repeated = /recaptured/i.test(reason) ? ["repeated"] : [];
  return [pspReference, eventCode, success, ...repeated].join(":");
}
