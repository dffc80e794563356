import type { NotificationRequestItem } from "../packages/sandbox/src/adyen/messages.ts";

/** The ID under which the service stores a notification. Each copy of it has the same. */
export function notificationId({
  pspReference,
  eventCode,
  success,
}: Pick<NotificationRequestItem, "pspReference" | "eventCode" | "success">): string {
  return [pspReference, eventCode, success].join(":");
}
