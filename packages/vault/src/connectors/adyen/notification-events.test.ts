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
    ["CANCEL_OR_REFUND", true, "refunded"],
    ["CANCEL_OR_REFUND", false, "refund_declined"],
    ["TECHNICAL_CANCEL", true, "reversed"],
    ["TECHNICAL_CANCEL", false, "reversal_declined"],
    ["CAPTURE_FAILED", true, "capture_failed"],
    ["REFUND_FAILED", true, "refund_failed"],
    ["REFUNDED_REVERSED", true, "refund_reversed"],
    ["EXPIRE", true, "authorization_expired"],
    ["NOTIFICATION_OF_FRAUD", true, "fraud_reported"],
    ["REQUEST_FOR_INFORMATION", true, "dispute_opened"],
    ["NOTIFICATION_OF_CHARGEBACK", true, "dispute_opened"],
    ["CHARGEBACK", true, "chargeback"],
    ["DISPUTE_OPENED_WITH_CHARGEBACK", true, "chargeback"],
    ["SECOND_CHARGEBACK", true, "second_chargeback"],
    ["CHARGEBACK_REVERSED", true, "chargeback_reversed"],
    ["INFORMATION_SUPPLIED", true, "response_sent"],
    ["DISPUTE_DEFENSE_PERIOD_ENDED", true, "response_missed"],
    ["ISSUER_COMMENTS", true, "dispute_updated"],
    ["ISSUER_RESPONSE_TIMEFRAME_EXPIRED", true, "response_accepted"],
    ["PREARBITRATION_OPEN", true, "prearbitration_opened"],
    ["PREARBITRATION_ACCEPTED", true, "prearbitration_lost"],
    ["PREARBITRATION_DECLINED", true, "prearbitration_declined"],
    ["PREARBITRATION_ISSUER_WITHDRAWN", true, "prearbitration_won"],
    ["PREARBITRATION_LOST", true, "prearbitration_lost"],
    ["PREARBITRATION_WON", true, "prearbitration_won"],
    ["SCHEME_ARBITRATION", true, "arbitration_opened"],
    ["SCHEME_ARBITRATION_LOST", true, "arbitration_lost"],
    ["SCHEME_ARBITRATION_WON", true, "arbitration_won"],
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

  it.each(["CAPTURE_FAILED", "REFUND_FAILED", "REFUNDED_REVERSED", "CHARGEBACK", "CHARGEBACK_REVERSED", "EXPIRE"])(
    "doesn't know %s without success",
    (eventCode) => {
      expect(eventOf({ ...signed, eventCode, success: false })).toEqual({ type: "unknown", ...subject });
    },
  );

  it.each([
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
    expect(eventOf({ ...signed, eventCode })).toEqual({ type: "unknown", ...subject });
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
