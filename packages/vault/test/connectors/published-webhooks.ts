/**
 * Checks notifications from Adyen against the description of its webhooks, with the rules in `strict-schemas.ts`.
 *
 * The npm package with Adyen's other documents doesn't contain this one. So these checks run only if
 * `ADYEN_WEBHOOKS_DOCUMENT` is the path of a copy of `Webhooks-v1.json` from https://github.com/Adyen/adyen-openapi.
 */
import { isObject, partOf, pointerTo, readDocument, strictSchemas } from "./strict-schemas.ts";

export interface PublishedWebhooks {
  /**
   * Checks each item against the description of its `eventCode`.
   *
   * @param body - The parsed JSON of a standard webhook.
   * @throws Error if it doesn't match the description. It contains no values from the body.
   */
  checkNotification(body: unknown): void;
  /** How many items were checked, by event code. Lets a test make sure that it checked something. */
  readonly checked: ReadonlyMap<string, number>;
}

/** The path of the description. Null if it isn't set. */
export function adyenWebhooksPath(): string | null {
  return process.env["ADYEN_WEBHOOKS_DOCUMENT"] || null;
}

/** @param path - Defaults to {@link adyenWebhooksPath}, which must be set. */
export function openPublishedWebhooks(path = adyenWebhooksPath()): PublishedWebhooks {
  if (path === null) throw new Error("Set ADYEN_WEBHOOKS_DOCUMENT to the path of Adyen's Webhooks-v1.json.");
  const document = readDocument(path);
  const schemas = strictSchemas(document);
  const checked = new Map<string, number>();

  return {
    checked,

    checkNotification(body) {
      const items = partOf(body, "notificationItems");
      if (!isObject(body) || !Array.isArray(items) || items.length === 0)
        throw new Error("The notification has no items.");
      for (const item of items) {
        const eventCode = partOf(item, "NotificationRequestItem", "eventCode");
        const keys = [
          "webhooks",
          `/${String(eventCode)}`,
          "post",
          "requestBody",
          "content",
          "application/json",
          "schema",
        ];
        if (typeof eventCode !== "string" || partOf(document, ...keys) === undefined)
          throw new Error("The notification has an item without an event code from the published description.");
        checked.set(eventCode, (checked.get(eventCode) ?? 0) + 1);
        // A schema describes a notification with one kind of event.
        schemas.check(`${eventCode} notification`, pointerTo(...keys), { ...body, notificationItems: [item] });
      }
    },
  };
}
