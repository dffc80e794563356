/**
 * Reads Adyen's standard webhook: `{live, notificationItems: [{NotificationRequestItem}]}`. Source: Adyen Webhooks v1.
 *
 * Each item has a signature of its own: HMAC-SHA256 over eight fields, joined by colons and not escaped, as in Adyen's own
 * libraries. Only `merchantReference` may contain a colon here. Otherwise, the same signature would fit other fields: a
 * part of one could be moved to the next.
 *
 * The signature has no time, so whoever has seen an item can send it again at any time: each `id` must be applied once.
 *
 * Nothing else is signed, not even `live`. Test and live need different keys. So no other field may move money, and only
 * a whitelist is kept (`unsigned`). It excludes `reason` of an authorization, which contains the last digits and the expiry date of the card.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Mode } from "../../mode.ts";
import { fieldsOf, isText } from "../fields.ts";
import type { ReadNotification } from "../notification.ts";
import { eventOf, type SignedFields } from "./notification-events.ts";
import { unsignedFieldsOf } from "./unsigned-fields.ts";

export interface NotificationOptions {
  mode: Mode;
  merchantAccount: string;
  /** HMAC keys, in hexadecimal, as in Adyen's Customer Area. During a rotation, the old and the new one. */
  hmacKeys: readonly string[];
}

/** Adyen sends one item per request over HTTP. The format allows several. */
const maxItems = 100;

/**
 * Returns a function that reads a webhook's body. It returns null if the body isn't a standard webhook.
 *
 * @throws RangeError for an invalid HMAC key
 */
export function createNotificationReader(options: NotificationOptions): (body: unknown) => ReadNotification[] | null {
  const { mode, merchantAccount } = options;
  const keys = options.hmacKeys.map(readKey);
  if (keys.length === 0) throw new RangeError("Add an HMAC key for Adyen's webhooks.");

  return (body) => {
    const { live, notificationItems } = fieldsOf(body);
    if (!Array.isArray(notificationItems) || notificationItems.length > maxItems) return null;
    return notificationItems.map((wrapper: unknown) => readItem(live, fieldsOf(wrapper)["NotificationRequestItem"]));
  };

  function readItem(live: unknown, item: unknown): ReadNotification {
    const signed = readSignedFields(item);
    if (signed === null) return { refused: "invalid" };
    if (!isSigned(signed, fieldsOf(fieldsOf(item)["additionalData"])["hmacSignature"], keys))
      return { refused: "wrong_signature" };
    if (signed.merchantAccountCode !== merchantAccount) return { refused: "other_merchant_account" };
    if (live !== (mode === "live" ? "true" : "false")) return { refused: "other_mode" };
    const event = eventOf(signed);
    const id = [signed.pspReference, signed.eventCode, signed.success].join(":");
    return { id, name: signed.eventCode, signed, unsigned: unsignedFieldsOf(item, event), event };
  }
}

/** `Buffer.from` ignores what isn't hexadecimal, so a mistyped key would be a short or empty one. */
function readKey(key: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(key)) throw new RangeError("Adyen's HMAC key must have 64 hexadecimal digits.");
  return Buffer.from(key, "hex");
}

function readSignedFields(item: unknown): SignedFields | null {
  const { pspReference, originalReference, merchantAccountCode, merchantReference, amount, eventCode, success } =
    fieldsOf(item);
  const { value, currency } = fieldsOf(amount);
  if (!isWord(pspReference) || !isWord(merchantAccountCode) || !isWord(eventCode) || !isWord(currency)) return null;
  if (merchantReference !== "" && !isText(merchantReference, 256)) return null;
  const original = originalReference === undefined || originalReference === "" ? null : originalReference;
  if (original !== null && !isWord(original)) return null;
  if (typeof value !== "number" || !Number.isSafeInteger(value)) return null;
  if (success !== "true" && success !== "false") return null;
  return {
    pspReference,
    originalReference: original,
    merchantAccountCode,
    merchantReference,
    value,
    currency,
    eventCode,
    success: success === "true",
  };
}

function isWord(value: unknown): value is string {
  return isText(value, 128) && !value.includes(":");
}

function isSigned(signed: SignedFields, signature: unknown, keys: readonly Buffer[]): boolean {
  if (typeof signature !== "string" || !/^[0-9A-Za-z+/]{43}=$/.test(signature)) return false;
  const given = Buffer.from(signature, "base64");
  const text = [
    signed.pspReference,
    signed.originalReference ?? "",
    signed.merchantAccountCode,
    signed.merchantReference,
    signed.value,
    signed.currency,
    signed.eventCode,
    signed.success,
  ].join(":");
  return keys.some((key) => timingSafeEqual(createHmac("sha256", key).update(text).digest(), given));
}
