/**
 * The HMAC signature of a notification item: SHA-256 with a key in hex, in base64, over eight fields joined by colons.
 * A missing `originalReference` is empty. Nothing is escaped. Source: docs.adyen.com/development-resources/webhooks,
 * and Adyen's own libraries.
 */
import { createHmac } from "node:crypto";
import type { NotificationRequestItem } from "./messages.ts";

/** Whether `key` is an HMAC key as Adyen generates them: 32 bytes in hex. */
export function isHmacKey(key: string): boolean {
  return /^[0-9A-Fa-f]{64}$/.test(key);
}

export type SignedFields = Pick<
  NotificationRequestItem,
  "pspReference" | "originalReference" | "merchantAccountCode" | "merchantReference" | "amount" | "success"
> & { eventCode: string };

export function signatureOf(item: SignedFields, key: string): string {
  const fields = [
    item.pspReference,
    item.originalReference ?? "",
    item.merchantAccountCode,
    item.merchantReference,
    item.amount.value,
    item.amount.currency,
    item.eventCode,
    item.success,
  ];
  return createHmac("sha256", Buffer.from(key, "hex")).update(fields.join(":")).digest("base64");
}

/** Returns the item with its signature in `additionalData`. */
export function signItem(item: NotificationRequestItem, key: string): NotificationRequestItem {
  return { ...item, additionalData: { ...item.additionalData, hmacSignature: signatureOf(item, key) } };
}
