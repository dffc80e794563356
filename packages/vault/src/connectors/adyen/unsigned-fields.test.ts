import { describe, expect, it } from "vitest";
import type { NotificationEvent } from "../notification.ts";
import { unsignedFieldsOf } from "./unsigned-fields.ts";

const subject = { acquirerId: "QFQTPCQ8HXSKGK82", authorizationId: null, reference: "att_1", money: null };
const nothing = { eventDate: null, reason: null, authorization: null, dispute: null };
const event = (type: Exclude<NotificationEvent["type"], "unknown">) => ({ type, ...subject });

describe("unsignedFieldsOf", () => {
  const item = {
    eventDate: "2021-01-01T01:00:00+01:00",
    reason: "044925:4242:3/2030",
    paymentMethod: "visa",
    additionalData: {
      authCode: "044925",
      avsResult: "4 AVS not supported for this card type",
      cvcResult: "1 Matches",
      networkTxReference: "MCC123456 0101",
      refusalReasonRaw: "AUTHORISED",
      expiryDate: "3/2030",
      cardSummary: "4242",
      cardBin: "424242",
      shopperEmail: "ada@example.com",
    },
  };

  it.each(["authorized", "authorization_failed"] as const)(
    "keeps the issuer's results of `%s`, but neither its reason nor anything else about the card",
    (type) => {
      expect(unsignedFieldsOf(item, event(type))).toEqual({
        ...nothing,
        eventDate: "2021-01-01T01:00:00+01:00",
        authorization: {
          authorizationCode: "044925",
          avsResult: "4 AVS not supported for this card type",
          cvcResult: "1 Matches",
          networkTransactionId: "MCC123456 0101",
          refusalReason: "AUTHORISED",
        },
      });
    },
  );

  it.each(["captured", "canceled", "refunded", "refund_reversed", "authorization_expired"] as const)(
    "keeps only the date of `%s`",
    (type) => {
      expect(unsignedFieldsOf(item, event(type))).toEqual({ ...nothing, eventDate: "2021-01-01T01:00:00+01:00" });
    },
  );

  it("keeps only the date of unknown events", () => {
    expect(unsignedFieldsOf(item, { type: "unknown" })).toEqual({ ...nothing, eventDate: "2021-01-01T01:00:00+01:00" });
  });

  it.each(["capture_declined", "cancel_declined", "refund_declined", "capture_failed", "refund_failed"] as const)(
    "keeps the reason of `%s`",
    (type) => {
      const reason = "Transaction hasn't been captured, refund not possible";
      expect(unsignedFieldsOf({ reason }, event(type))).toEqual({ ...nothing, reason });
      expect(unsignedFieldsOf(item, event(type)).reason).toBeNull();
    },
  );

  it.each([
    "dispute_opened",
    "dispute_updated",
    "chargeback",
    "second_chargeback",
    "chargeback_reversed",
    "prearbitration_opened",
    "arbitration_won",
    "fraud_reported",
  ] as const)("keeps what's needed to respond to `%s`", (type) => {
    const additionalData = {
      chargebackReasonCode: " 4853",
      defensePeriodEndsAt: "2021-07-31T03:03:08+02:00",
      disputeStatus: "Undefended",
      modificationMerchantReferences: "cap_1, ref_2",
      shopperReference: "cus_1",
      arn: "74556451234567890123456",
    };
    expect(unsignedFieldsOf({ reason: "dispute", additionalData }, event(type))).toEqual({
      ...nothing,
      dispute: {
        respondBy: "2021-07-31T03:03:08+02:00",
        reasonCode: "4853",
        status: "Undefended",
        references: ["cap_1", "ref_2"],
      },
    });
  });

  it.each<[string, unknown]>([
    ["absent", {}],
    [
      "invalid",
      { chargebackReasonCode: " ", defensePeriodEndsAt: "soon", disputeStatus: 1, modificationMerchantReferences: "" },
    ],
  ])("has nulls for fields of a dispute that are %s", (_name, additionalData) => {
    expect(unsignedFieldsOf({ additionalData }, event("chargeback")).dispute).toEqual({
      respondBy: null,
      reasonCode: null,
      status: null,
      references: [],
    });
  });
});
