import { describe, expect, it } from "vitest";
import { readRReq } from "./read-rreq.ts";

const id = "0a1b2c3d-1111-4222-8333-0123456789ab";
const ids = { threeDSServerTransID: id, acsTransID: id.toUpperCase(), dsTransID: id };
const proof = { authenticationType: "02", authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=" };
const yes = { messageType: "RReq", messageVersion: "2.3.1", ...ids, messageCategory: "01", transStatus: "Y", ...proof };
const no = { ...yes, authenticationValue: undefined, transStatus: "N", transStatusReason: "01" };

describe("an RReq", () => {
  it("is read with the fields that are used, and without the others", () => {
    const all = { ...yes, transStatusReason: "17", eci: "05", challengeCancel: "01", interactionCounter: "02" };
    expect(readRReq({ ...all, acsRenderingType: { acsInterface: "01" } })).toEqual({ ok: true, message: all });
  });

  it("may leave out what is optional, or say null", () => {
    const { ok, ...reading } = readRReq({ ...yes, eci: null, interactionCounter: null });
    expect({ ok, ...reading }).toEqual({ ok: true, message: yes });
  });

  it.each([null, undefined, "RReq", [yes], {}, { ...yes, messageType: "CRes" }])("isn't %j: 101", (body) => {
    expect(readRReq(body)).toEqual({ ok: false, errorCode: "101", errorDetail: "messageType" });
  });

  it.each(["2.1.0", undefined, 2])("of the version %s is refused with those that we speak: 102", (messageVersion) => {
    expect(readRReq({ ...yes, messageVersion })).toEqual({ ok: false, errorCode: "102", errorDetail: "2.2.0, 2.3.1" });
  });

  it.each(["threeDSServerTransID", "acsTransID", "dsTransID", "messageCategory", "transStatus"])(
    "needs its %s: 201",
    (name) => {
      for (const absent of [null, undefined]) {
        const fault = { ok: false, messageVersion: "2.3.1", errorCode: "201", errorDetail: name };
        expect(readRReq({ ...yes, [name]: absent })).toEqual(fault);
      }
    },
  );

  it("is told of every field that is missing", () => {
    const { acsTransID: _, transStatus: __, ...rest } = yes;
    expect(readRReq(rest)).toMatchObject({ errorCode: "201", errorDetail: "acsTransID, transStatus" });
  });

  it.each<[string, unknown[]]>([
    ["threeDSServerTransID", [`${id}0`, `0${id}`, id.replaceAll("-", ""), id.replace("a", "g"), "", 1, [id]]],
    ["acsTransID", [`${id}0`, `0${id}`]],
    ["dsTransID", [`${id}0`, `0${id}`]],
    ["messageCategory", ["03", "1", "011", "001", 1]],
    // C, D, I and S are no end.
    ["transStatus", ["C", "D", "I", "S", "y", "YY", "NY", "", ["Y"]]],
    ["transStatusReason", ["1", "011", "x01", "1x", 11]],
    ["authenticationType", ["2", "022", "x02"]],
    ["authenticationValue", ["", "A".repeat(4001), "A-", "-A", "A A", { toString: 1 }]],
    ["eci", ["5", "055", "x05"]],
    ["challengeCancel", ["1", "011", "x01"]],
    ["interactionCounter", ["1", "011", "x01"]],
  ])("whose %s is malformed is told so: 203", (name, values) => {
    for (const value of values) {
      const fault = { ok: false, messageVersion: "2.3.1", errorCode: "203", errorDetail: name };
      expect(readRReq({ ...yes, [name]: value })).toEqual(fault);
    }
  });

  it("is told of every field that is malformed", () => {
    expect(readRReq({ ...yes, dsTransID: "x", eci: "x" })).toMatchObject({ errorDetail: "dsTransID, eci" });
  });

  it("may hold a proof of 4000 characters, of all that base64 has", () => {
    const authenticationValue = "Az09+/=".padEnd(4000, "A");
    expect(readRReq({ ...yes, authenticationValue })).toMatchObject({ ok: true, message: { authenticationValue } });
  });

  it.each<[string, object, string]>([
    ["Y without a proof", { ...yes, authenticationValue: undefined }, "authenticationValue"],
    ["A without a proof", { ...yes, transStatus: "A", authenticationValue: undefined }, "authenticationValue"],
    [
      "a cancellation that says Y without a proof",
      { ...yes, authenticationValue: undefined, challengeCancel: "01" },
      "authenticationValue",
    ],
    ["N without a reason", { ...no, transStatusReason: undefined }, "transStatusReason"],
    ["U without a reason", { ...no, transStatus: "U", transStatusReason: undefined }, "transStatusReason"],
    ["R without a reason", { ...no, transStatus: "R", transStatusReason: undefined }, "transStatusReason"],
    ["Y of 2.3.1 without its way to authenticate", { ...yes, authenticationType: undefined }, "authenticationType"],
    ["N of 2.3.1 without its way to authenticate", { ...no, authenticationType: undefined }, "authenticationType"],
  ])("%s lacks what its status needs: 201", (_name, body, errorDetail) => {
    expect(readRReq(body)).toEqual({ ok: false, messageVersion: "2.3.1", errorCode: "201", errorDetail });
  });

  it.each<[string, object]>([
    ["N with a reason", no],
    [
      "a cancellation without a reason",
      { ...no, transStatusReason: undefined, challengeCancel: "01", authenticationType: undefined },
    ],
    ["Y without a proof where nothing is paid", { ...yes, messageCategory: "02", authenticationValue: undefined }],
    ["A of 2.3.1 without its way to authenticate", { ...yes, transStatus: "A", authenticationType: undefined }],
    ["U of 2.3.1 without its way to authenticate", { ...no, transStatus: "U", authenticationType: undefined }],
    ["Y of 2.2.0 without its way to authenticate", { ...yes, messageVersion: "2.2.0", authenticationType: undefined }],
    ["N of 2.2.0 without its way to authenticate", { ...no, messageVersion: "2.2.0", authenticationType: undefined }],
  ])("%s is enough", (_name, body) => {
    expect(readRReq(body)).toMatchObject({ ok: true });
  });
});
