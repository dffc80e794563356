import { describe, expect, it } from "vitest";
import { eventOf, type SignedFields } from "./notification-events.ts";

const signed: SignedFields = {
  pspReference: "QFQTPCQ8HXSKGK82",
  originalReference: "9913140798220028",
  merchantAccountCode: "OrielTest",
  merchantReference: "ref_2",
  value: 1000,
  currency: "EUR",
  eventCode: "CAPTURE",
  success: true,
};
const subject = {
  acquirerId: "QFQTPCQ8HXSKGK82",
  authorizationId: "9913140798220028",
  reference: "ref_2",
  money: { amount: 1000, currency: "eur" },
};

describe("eventOf", () => {
  it.each([
    ["CAPTURE", true, "captured"],
    ["CAPTURE", false, "capture_declined"],
    ["CANCELLATION", true, "canceled"],
    ["CANCELLATION", false, "cancel_declined"],
    ["REFUND", true, "refunded"],
    ["REFUND", false, "refund_declined"],
    ["CAPTURE_FAILED", true, "capture_failed"],
    ["REFUND_FAILED", true, "refund_failed"],
    ["REFUNDED_REVERSED", true, "refund_reversed"],
    ["EXPIRE", true, "authorization_expired"],
    ["NOTIFICATION_OF_FRAUD", true, "fraud_reported"],
    ["REQUEST_FOR_INFORMATION", true, "dispute_opened"],
    ["NOTIFICATION_OF_CHARGEBACK", true, "dispute_opened"],
    ["CHARGEBACK", true, "chargeback"],
    ["SECOND_CHARGEBACK", true, "second_chargeback"],
    ["CHARGEBACK_REVERSED", true, "chargeback_reversed"],
    ["INFORMATION_SUPPLIED", true, "dispute_updated"],
    ["DISPUTE_DEFENSE_PERIOD_ENDED", true, "dispute_updated"],
    ["ISSUER_COMMENTS", true, "dispute_updated"],
    ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", true, "dispute_updated"],
    ["PREARBITRATION_OPEN", true, "dispute_updated"],
    ["PREARBITRATION_ACCEPTED", true, "dispute_updated"],
    ["PREARBITRATION_DECLINED", true, "dispute_updated"],
    ["PREARBITRATION_ISSUER_WITHDRAWN", true, "dispute_updated"],
    ["PREARBITRATION_LOST", true, "dispute_updated"],
    ["PREARBITRATION_WON", true, "dispute_updated"],
    ["SCHEME_ARBITRATION", true, "dispute_updated"],
    ["SCHEME_ARBITRATION_LOST", true, "dispute_updated"],
    ["SCHEME_ARBITRATION_WON", true, "dispute_updated"],
  ])("reads %s with success %j as %s", (eventCode, success, type) => {
    expect(eventOf({ ...signed, eventCode, success })).toEqual({ type, ...subject });
  });

  it.each([
    [true, "authorized"],
    [false, "authorization_failed"],
  ])("reads AUTHORISATION with success %j as %s, whose own ID is the authorization's", (success, type) => {
    const payment = { ...signed, eventCode: "AUTHORISATION", originalReference: null, success };
    expect(eventOf(payment)).toEqual({ type, ...subject, authorizationId: "QFQTPCQ8HXSKGK82" });
  });

  it.each([true, false])("reads TECHNICAL_CANCEL with success %j", (success) => {
    expect(eventOf({ ...signed, eventCode: "TECHNICAL_CANCEL", success })).toEqual({
      type: "technical_cancel",
      done: success,
      ...subject,
    });
  });

  it.each(["CAPTURE_FAILED", "REFUND_FAILED", "REFUNDED_REVERSED", "CHARGEBACK", "CHARGEBACK_REVERSED", "EXPIRE"])(
    "doesn't know %s without success",
    (eventCode) => {
      expect(eventOf({ ...signed, eventCode, success: false })).toEqual({ type: "unknown" });
    },
  );

  it.each([
    "CANCEL_OR_REFUND",
    "AUTHORISATION_ADJUSTMENT",
    "REFUND_WITH_DATA",
    "VOID_PENDING_REFUND",
    "POSTPONED_REFUND",
    "OFFER_CLOSED",
    "ORDER_OPENED",
    "ORDER_CLOSED",
    "MANUAL_REVIEW_ACCEPT",
    "MANUAL_REVIEW_REJECT",
    "RECURRING_CONTRACT",
    "REPORT_AVAILABLE",
    "PAIDOUT_REVERSED",
    "AUTORESCUE",
    "constructor",
    "capture",
  ])("doesn't know %s", (eventCode) => {
    expect(eventOf({ ...signed, eventCode })).toEqual({ type: "unknown" });
  });

  it("converts Adyen's unit to ISO 4217's", () => {
    expect(eventOf({ ...signed, currency: "ISK" })).toMatchObject({ money: { amount: 10, currency: "isk" } });
  });

  it.each(["BIF", "XXX"])("has no money in %s", (currency) => {
    expect(eventOf({ ...signed, eventCode: "CHARGEBACK", currency })).toMatchObject({
      type: "chargeback",
      money: null,
    });
  });
});
