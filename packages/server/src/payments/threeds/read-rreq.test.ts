import { describe, expect, it } from "vitest";
import { readRReq } from "./read-rreq.ts";

const id = "0a1b2c3d-1111-4222-8333-0123456789ab";
const ids = { threeDSServerTransID: id, acsTransID: id.toUpperCase(), dsTransID: id };
const proof = { authenticationType: "02", authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" };
const yes = { messageType: "RReq", messageVersion: "2.3.1", ...ids, messageCategory: "01", transStatus: "Y", ...proof };
const no = { ...yes, authenticationValue: undefined, transStatus: "N", transStatusReason: "01" };

describe("readRReq", () => {
  it("reads the fields that we use and drops the others", () => {
    const all = { ...yes, transStatusReason: "17", eci: "05", challengeCancel: "01", interactionCounter: "02" };
    expect(readRReq({ ...all, acsRenderingType: { acsInterface: "01" } })).toEqual({ ok: true, message: all });
  });

  it("accepts optional fields that are missing or null", () => {
    const { ok, ...reading } = readRReq({ ...yes, eci: null, interactionCounter: null });
    expect({ ok, ...reading }).toEqual({ ok: true, message: yes });
  });

  it.each([null, undefined, "RReq", [yes], {}, { ...yes, messageType: "CRes" }])("rejects %j with 101", (body) => {
    expect(readRReq(body)).toEqual({ ok: false, errorCode: "101", errorDetail: "messageType" });
  });

  it.each(["2.1.0", undefined, 2])("rejects version %s with 102 and the supported versions", (messageVersion) => {
    expect(readRReq({ ...yes, messageVersion })).toEqual({ ok: false, errorCode: "102", errorDetail: "2.2.0, 2.3.1" });
  });

  it.each(["threeDSServerTransID", "acsTransID", "dsTransID", "messageCategory", "transStatus"])(
    "rejects a missing %s with 201",
    (name) => {
      for (const absent of [null, undefined]) {
        const fault = { ok: false, messageVersion: "2.3.1", errorCode: "201", errorDetail: name };
        expect(readRReq({ ...yes, [name]: absent })).toEqual(fault);
      }
    },
  );

  it("names every missing field", () => {
    const { acsTransID: _, transStatus: __, ...rest } = yes;
    expect(readRReq(rest)).toMatchObject({ errorCode: "201", errorDetail: "acsTransID, transStatus" });
  });

  it.each<[string, unknown[]]>([
    ["threeDSServerTransID", [`${id}0`, `0${id}`, id.replaceAll("-", ""), id.replace("a", "g"), "", 1, [id]]],
    ["acsTransID", [`${id}0`, `0${id}`]],
    ["dsTransID", [`${id}0`, `0${id}`]],
    ["messageCategory", ["03", "1", "011", "001", 1]],
    // C, D, I and S are not final.
    ["transStatus", ["C", "D", "I", "S", "y", "YY", "NY", "", ["Y"]]],
    ["transStatusReason", ["1", "011", "x01", "1x", 11]],
    ["authenticationType", ["2", "022", "x02"]],
    ["authenticationValue", ["", "A".repeat(4001), "A-", "-A", "A A", { toString: 1 }]],
    ["eci", ["5", "055", "x05"]],
    ["challengeCancel", ["1", "011", "x01"]],
    ["interactionCounter", ["1", "011", "x01"]],
  ])("rejects a malformed %s with 203", (name, values) => {
    for (const value of values) {
      const fault = { ok: false, messageVersion: "2.3.1", errorCode: "203", errorDetail: name };
      expect(readRReq({ ...yes, [name]: value })).toEqual(fault);
    }
  });

  it("names every malformed field", () => {
    expect(readRReq({ ...yes, dsTransID: "x", eci: "x" })).toMatchObject({ errorDetail: "dsTransID, eci" });
  });

  it("accepts a 4,000-character authenticationValue with all base64 characters", () => {
    const authenticationValue = "Az09+/=".padEnd(4000, "A");
    expect(readRReq({ ...yes, authenticationValue })).toMatchObject({ ok: true, message: { authenticationValue } });
  });

  it.each<[string, object, string]>([
    ["Y without a proof", { ...yes, authenticationValue: undefined }, "authenticationValue"],
    ["A without a proof", { ...yes, transStatus: "A", authenticationValue: undefined }, "authenticationValue"],
    [
      "a cancellation with Y without a proof",
      { ...yes, authenticationValue: undefined, challengeCancel: "01" },
      "authenticationValue",
    ],
    ["N without a reason", { ...no, transStatusReason: undefined }, "transStatusReason"],
    ["U without a reason", { ...no, transStatus: "U", transStatusReason: undefined }, "transStatusReason"],
    ["R without a reason", { ...no, transStatus: "R", transStatusReason: undefined }, "transStatusReason"],
    ["Y in 2.3.1 without authenticationType", { ...yes, authenticationType: undefined }, "authenticationType"],
    ["N in 2.3.1 without authenticationType", { ...no, authenticationType: undefined }, "authenticationType"],
  ])("rejects %s with 201", (_name, body, errorDetail) => {
    expect(readRReq(body)).toEqual({ ok: false, messageVersion: "2.3.1", errorCode: "201", errorDetail });
  });

  it.each<[string, object]>([
    ["N with a reason", no],
    [
      "a cancellation without a reason",
      { ...no, transStatusReason: undefined, challengeCancel: "01", authenticationType: undefined },
    ],
    ["Y without a proof in a non-payment", { ...yes, messageCategory: "02", authenticationValue: undefined }],
    ["A in 2.3.1 without authenticationType", { ...yes, transStatus: "A", authenticationType: undefined }],
    ["U in 2.3.1 without authenticationType", { ...no, transStatus: "U", authenticationType: undefined }],
    ["Y in 2.2.0 without authenticationType", { ...yes, messageVersion: "2.2.0", authenticationType: undefined }],
    ["N in 2.2.0 without authenticationType", { ...no, messageVersion: "2.2.0", authenticationType: undefined }],
  ])("accepts %s", (_name, body) => {
    expect(readRReq(body)).toMatchObject({ ok: true });
  });
});
