import { describe, expect, it } from "vitest";
import { messageVersions, type RReq } from "@oriel/protocol/threeds";
import { anotherResult, erro, whyRefused, type Known } from "./refuse-rreq.ts";

const ids = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1" };
const rreq: RReq = {
  messageType: "RReq",
  messageVersion: "2.3.1",
  ...ids,
  messageCategory: "01",
  transStatus: "Y",
  interactionCounter: "01",
};
const known: Known = { version: "2.3.1", asked: "challenge", acs_trans_id: "acs_1", ds_trans_id: "ds_1", amount: 4900 };

describe("an RReq that was read", () => {
  it("is taken for the transaction in which the bank asked the customer", () => {
    expect(whyRefused(rreq, known)).toBeNull();
    expect(whyRefused({ ...rreq, messageCategory: "02" }, { ...known, amount: 0 })).toBeNull();
    expect(whyRefused({ ...rreq, messageVersion: "2.2.0" }, { ...known, version: "2.2.0" })).toBeNull();
  });

  it("is refused for a transaction that is unknown, or known to the bank under other IDs, and says which three it went by", () => {
    const fault = { errorCode: "301", errorDetail: "threeDSServerTransID, acsTransID, dsTransID" };
    expect(whyRefused(rreq, undefined)).toEqual(fault);
    expect(whyRefused({ ...rreq, acsTransID: "acs_2" }, known)).toEqual(fault);
    expect(whyRefused({ ...rreq, dsTransID: "ds_2" }, known)).toEqual(fault);
    expect(whyRefused(rreq, { ...known, acs_trans_id: null, ds_trans_id: null })).toEqual(fault);
  });

  it("is refused in another version than the transaction's", () => {
    expect(whyRefused({ ...rreq, messageVersion: "2.2.0" }, known)).toEqual({
      errorCode: "305",
      errorDetail: "messageVersion",
    });
  });

  it("of a payment doesn't pass for one in which nothing is paid, where a proof may be missing", () => {
    const fault = { errorCode: "305", errorDetail: "messageCategory" };
    expect(whyRefused({ ...rreq, messageCategory: "02" }, known)).toEqual(fault);
    expect(whyRefused(rreq, { ...known, amount: 0 })).toEqual(fault);
  });

  it.each([
    ["2.2.0", "301"],
    ["2.3.1", "313"],
  ] as const)("of %s is refused where the bank asked nobody: %s", (version, errorCode) => {
    const fault = { errorCode, errorDetail: "nobody was to be asked" };
    expect(whyRefused({ ...rreq, messageVersion: version }, { ...known, version, asked: null })).toEqual(fault);
  });

  it.each([
    ["2.2.0", "305"],
    ["2.3.1", "312"],
  ] as const)("of %s is refused when another one was first: %s", (version, errorCode) => {
    expect(anotherResult(version)).toEqual({
      errorCode,
      errorDetail: "another result of this transaction was received before",
    });
  });
});

describe("an Erro", () => {
  it("says what is wrong in the words of EMV 3DS, in the version that was spoken, of which transaction", () => {
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

  it("is in the newest version that we know where none was spoken that we do, and names no transaction", () => {
    const told = erro({ errorCode: "102", errorDetail: "2.2.0, 2.3.1" }, {});
    expect(told).toMatchObject({
      messageVersion: messageVersions.at(-1),
      errorDescription: "Message Version Number Not Supported",
    });
    expect(told).not.toHaveProperty("threeDSServerTransID");
    expect(told).not.toHaveProperty("acsTransID");
  });

  it.each([
    ["101", "Message Received Invalid"],
    ["201", "Required Data Element Missing"],
    ["203", "Format of one or more Data Elements is Invalid"],
    ["301", "Transaction ID Not Recognised"],
    ["312", "Duplicate Message"],
    ["313", "Inconsistent RReq Message"],
  ] as const)("calls %s %j (EMV 3DS 2.3.1, Table A.4)", (errorCode, errorDescription) => {
    expect(erro({ errorCode, errorDetail: "" }, {})).toMatchObject({ errorDescription });
  });
});
