import { describe, expect, it } from "vitest";
import { messageVersions, type RReq } from "@oriel/protocol/threeds";
import { anotherResult, erro, unknown, refuseRReq, type Known } from "./refuse-rreq.ts";

const ids = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1" };
const rreq: RReq = {
  messageType: "RReq",
  messageVersion: "2.3.1",
  ...ids,
  messageCategory: "01",
  transStatus: "Y",
  interactionCounter: "01",
};
const known: Known = { version: "2.3.1", flow: "challenge", acs_trans_id: "acs_1", ds_trans_id: "ds_1", amount: 4900 };

describe("refuseRReq", () => {
  it("accepts the result of a transaction with a challenge", () => {
    expect(refuseRReq(rreq, known)).toBeNull();
    expect(refuseRReq({ ...rreq, messageCategory: "02" }, { ...known, amount: 0 })).toBeNull();
    expect(refuseRReq({ ...rreq, messageVersion: "2.2.0" }, { ...known, version: "2.2.0" })).toBeNull();
  });

  it("refuses unknown or mismatched transaction IDs and names the three fields", () => {
    const fault = { errorCode: "301", errorDetail: "threeDSServerTransID, acsTransID, dsTransID" };
    expect(unknown).toEqual(fault);
    expect(refuseRReq({ ...rreq, acsTransID: "acs_2" }, known)).toEqual(fault);
    expect(refuseRReq({ ...rreq, dsTransID: "ds_2" }, known)).toEqual(fault);
    expect(refuseRReq(rreq, { ...known, acs_trans_id: null, ds_trans_id: null })).toEqual(fault);
  });

  it("refuses a message version that differs from the transaction's", () => {
    expect(refuseRReq({ ...rreq, messageVersion: "2.2.0" }, known)).toEqual({
      errorCode: "305",
      errorDetail: "messageVersion",
    });
  });

  it("refuses a messageCategory that doesn't match the transaction, because only non-payments may lack a proof", () => {
    const fault = { errorCode: "305", errorDetail: "messageCategory" };
    expect(refuseRReq({ ...rreq, messageCategory: "02" }, known)).toEqual(fault);
    expect(refuseRReq(rreq, { ...known, amount: 0 })).toEqual(fault);
  });

  it.each([
    ["2.2.0", "301"],
    ["2.3.1", "313"],
  ] as const)(
    "in version %s, refuses a result without a challenge or decoupled authentication, with error code %s",
    (version, errorCode) => {
      const fault = { errorCode, errorDetail: "no result is expected for this transaction" };
      expect(refuseRReq({ ...rreq, messageVersion: version }, { ...known, version, flow: null })).toEqual(fault);
    },
  );
});

describe("anotherResult", () => {
  it.each([
    ["2.2.0", "305"],
    ["2.3.1", "312"],
  ] as const)("for version %s, returns the error code %s", (version, errorCode) => {
    expect(anotherResult(version)).toEqual({
      errorCode,
      errorDetail: "a different result was already received for this transaction",
    });
  });
});

describe("erro", () => {
  it("contains the EMV 3DS description, the message version and the transaction IDs", () => {
    const { threeDSServerTransID, acsTransID } = ids;
    expect(
      erro({ errorCode: "305", errorDetail: "messageVersion" }, { threeDSServerTransID, acsTransID }, "2.2.0"),
    ).toEqual({
      messageType: "Erro",
      messageVersion: "2.2.0",
      errorCode: "305",
      errorComponent: "S",
      errorDescription: "Transaction Data Not Valid",
      errorDetail: "messageVersion",
      errorMessageType: "RReq",
      threeDSServerTransID,
      acsTransID,
    });
  });

  it("uses the newest supported version and no transaction IDs if the message couldn't be read", () => {
    const message = erro({ errorCode: "102", errorDetail: "2.2.0, 2.3.1" }, {});
    expect(message).toMatchObject({
      messageVersion: messageVersions.at(-1),
      errorDescription: "Message Version Number Not Supported",
    });
    expect(message).not.toHaveProperty("threeDSServerTransID");
    expect(message).not.toHaveProperty("acsTransID");
  });

  it.each([
    ["101", "Message Received Invalid"],
    ["201", "Required Data Element Missing"],
    ["203", "Format of one or more Data Elements is Invalid"],
    ["301", "Transaction ID Not Recognised"],
    ["312", "Duplicate Message"],
    ["313", "Inconsistent RReq Message"],
  ] as const)("describes %s as %j (EMV 3DS 2.3.1, Table A.4)", (errorCode, errorDescription) => {
    expect(erro({ errorCode, errorDetail: "" }, {})).toMatchObject({ errorDescription });
  });
});
