/**
 * Reads Adyen's standard webhook: `{live, notificationItems: [{NotificationRequestItem}]}`. Source: Adyen Webhooks v1.
 *
 * Each item has a signature of its own: HMAC-SHA256 over eight fields, joined by colons and not escaped. A field that's
 * null or absent counts as empty. Adyen's own libraries do the same (`HMACValidator` in Adyen/adyen-java-api-library).
 *
 * Adyen holds back what follows an item that's refused. So an item is read even if we can't use it, as long as it's
 * signed, and its event is `unknown`. That includes every item with a colon in another field than `merchantReference`:
 * the same signature fits other fields then, because a part of one can be moved to the next. Such items have other IDs,
 * so that none can take the place of an item that we can use.
 *
 * The signature has no time, so whoever has seen an item can send it again at any time: each `id` must be applied once.
 * If Adyen captures again after a failure, possibly with the same `pspReference`, only `reason` differs, so it's part
 * of the `id`. `eventDate` isn't: copies have the same `eventCode` and `pspReference`, but it may differ. Source:
 * https://docs.adyen.com/development-resources/webhooks/handle-webhook-events
 *
 * Nothing else is signed, not even `live`. Test and live need different keys. So no other field may move money by
 * itself, except that a failed capture can look as if it was made again (`isRepetition`), and a person is always
 * notified of that. Only a whitelist is kept (`unsigned`). It excludes `reason` of an authorization, which contains the
 * last digits and the expiry date of the card.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import type { Mode } from "../../mode.ts";
import { fieldsOf, isText } from "../fields.ts";
import type { Notification, ReadNotification } from "../notification.ts";
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
    const fields = signedFieldsOf(item);
    const signed = readSignedFields(fields);
    const text = signedText(fields);
    if (text === null || !isSigned(text, fieldsOf(fieldsOf(item)["additionalData"])["hmacSignature"], keys))
      return { refused: signed === null ? "invalid" : "wrong_signature" };
    if ((fields.merchantAccountCode ?? merchantAccount) !== merchantAccount)
      return { refused: "other_merchant_account" };
    if (live !== (mode === "live" ? "true" : "false")) return { refused: "other_mode" };
    if (signed === null) return unusable(item, fields, text);
    const event = eventOf(signed);
    const unsigned = unsignedFieldsOf(item, event);
    const repetition = unsigned.isRepetition === undefined ? [] : ["repeated"];
    const id = [signed.pspReference, signed.eventCode, signed.success, ...repetition].join(":");
    return { id, name: signed.eventCode, signed, unsigned, event };
  }
}

/** `Buffer.from` ignores what isn't hexadecimal, so a mistyped key would be a short or empty one. */
function readKey(key: string): Buffer {
  if (!/^[0-9a-f]{64}$/i.test(key)) throw new RangeError("Adyen's HMAC key must have 64 hexadecimal digits.");
  return Buffer.from(key, "hex");
}

/** As Adyen sent them, in the order in which they're signed. */
function signedFieldsOf(item: unknown) {
  const { pspReference, originalReference, merchantAccountCode, merchantReference, amount, eventCode, success } =
    fieldsOf(item);
  const { value, currency } = fieldsOf(amount);
  return {
    pspReference,
    originalReference,
    merchantAccountCode,
    merchantReference,
    value,
    currency,
    eventCode,
    success,
  };
}

type Unchecked = ReturnType<typeof signedFieldsOf>;

/** Null if we can't use them. */
function readSignedFields(fields: Unchecked): SignedFields | null {
  const {
    pspReference,
    originalReference,
    merchantAccountCode,
    merchantReference,
    value,
    currency,
    eventCode,
    success,
  } = fields;
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

/** What Adyen signs. Null if a field isn't a single value. */
function signedText(fields: Unchecked): string | null {
  const values = Object.values(fields).map((value) => value ?? "");
  return values.some((value) => typeof value === "object") ? null : values.map(String).join(":");
}

function isSigned(text: string, signature: unknown, keys: readonly Buffer[]): boolean {
  if (typeof signature !== "string" || !/^[0-9A-Za-z+/]{43}=$/.test(signature)) return false;
  const given = Buffer.from(signature, "base64");
  return keys.some((key) => timingSafeEqual(createHmac("sha256", key).update(text).digest(), given));
}

/** A signed item that we can't use. Its ID follows from all signed fields, because they may not be what they seem. */
function unusable(item: unknown, fields: Unchecked, text: string): Notification {
  const { pspReference, merchantReference, eventCode } = fields;
  const name = isWord(eventCode) ? eventCode : "unreadable";
  const id = [createHash("sha256").update(text).digest("hex"), name, "unusable"].join(":");
  const event = {
    type: "unknown",
    ...(isWord(pspReference) && { acquirerId: pspReference }),
    ...(isText(merchantReference, 256) && { reference: merchantReference }),
  } as const;
  return { id, name, signed: { text }, unsigned: unsignedFieldsOf(item, event), event };
}
