import { describe, expect, it } from "vitest";
import { adyenWebhooksPath, openPublishedWebhooks } from "./published-webhooks.ts";
import { asObject, partOf, readDocument } from "./strict-schemas.ts";

function notification(changes: object = {}, outer: object = {}) {
  const item = {
    eventCode: "CAPTURE",
    success: "true",
    eventDate: "2026-07-01T12:00:00+02:00",
    merchantAccountCode: "KilnECOM",
    merchantReference: "cap_1",
    originalReference: "NC6HT9CRT65ZGN82",
    pspReference: "JDD6LKT8MBLZNN84",
    amount: { value: 1450, currency: "EUR" },
    additionalData: { hmacSignature: "c2lnbmF0dXJl" },
    ...changes,
  };
  return { live: "false", notificationItems: [{ NotificationRequestItem: item }], ...outer };
}

describe("a notification from Adyen", () => {
  const check = (body: unknown) => () => openPublishedWebhooks().checkNotification(body);

  it("is valid if it has only fields of its event", () => {
    expect(check(notification())).not.toThrow();
    expect(check(notification({ eventCode: "AUTHORISATION" }))).toThrow("/originalReference (additionalProperties)");
  });

  it.each([
    ["a misspelled field", notification({ merchantAccount: "KilnECOM" }), "/merchantAccount (additionalProperties)"],
    ["a success that isn't text", notification({ success: true }), "/success (type)"],
    ["a misspelled signature", notification({ additionalData: { hmac: "" } }), "/additionalData/hmac (additionalProp"],
    ["a live that isn't text", notification({}, { live: false }), "/live (type)"],
  ])("is refused for %s", (_mistake, body, violation) => {
    expect(check(body)).toThrow(violation);
  });

  it("is refused for an event code that doesn't exist", () => {
    expect(check(notification({ eventCode: "CAPTURED" }))).toThrow("without an event code");
  });

  it("is refused without items", () => {
    expect(check({ live: "false", notificationItems: [] })).toThrow("has no items");
    expect(check({})).toThrow("has no items");
  });

  it("is checked item by item, each by its own event code", () => {
    const published = openPublishedWebhooks();
    const [capture] = notification().notificationItems;
    const [chargeback] = notification({ eventCode: "CHARGEBACK", sucess: "" }).notificationItems;
    expect(() => published.checkNotification({ live: "false", notificationItems: [capture, chargeback] })).toThrow(
      "CHARGEBACK notification doesn't match the published description",
    );
    expect([...published.checked]).toEqual([
      ["CAPTURE", 1],
      ["CHARGEBACK", 1],
    ]);
  });

  it("never puts a value in an error", () => {
    expect(check(notification({ reason: 4111111111111111 }))).toThrow(/^(?!.*4111).*\/reason \(type\)/);
  });
});

describe("the examples in the description of the webhooks", () => {
  /** Where the description contradicts its own schemas: keys of `additionalData` that aren't in them. */
  const contradictions = [
    "MANUAL_REVIEW_ACCEPT",
    "MANUAL_REVIEW_REJECT",
    "OFFER_CLOSED",
    "ORDER_CLOSED",
    "POSTPONED_REFUND",
    "PREARBITRATION_LOST",
    "RECURRING_CONTRACT",
  ];

  it("are valid, except for known contradictions", () => {
    const published = openPublishedWebhooks();
    const examples = Object.values(asObject(partOf(readDocument(adyenWebhooksPath() ?? ""), "components", "examples")))
      .map((example) => partOf(example, "value"))
      .filter((value) => partOf(value, "notificationItems") !== undefined);
    const failed: string[] = [];
    for (const example of examples) {
      try {
        published.checkNotification(example);
      } catch (error) {
        failed.push(String(error));
      }
    }
    expect(examples.length).toBeGreaterThan(35);
    expect(failed.filter((text) => !contradictions.some((code) => text.startsWith(`Error: ${code} `)))).toEqual([]);
  });
});

describe("the description of the webhooks", () => {
  it("must be set", () => {
    expect(() => openPublishedWebhooks(null)).toThrow("Set ADYEN_WEBHOOKS_DOCUMENT");
  });
});
