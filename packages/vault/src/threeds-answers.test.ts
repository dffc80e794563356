import { describe, expect, it } from "vitest";
import type { AReq } from "@oriel/protocol/threeds";
import { readARes, readCardRanges, readErro } from "./threeds-answers.ts";

describe("the card ranges", () => {
  const span = { startRange: "4000000000000000", endRange: "4000000000000009" };
  const url = "https://bank.example/method";
  const read = (...cardRangeData: unknown[]) => readCardRanges({ messageType: "PRes", cardRangeData });
  const is = (...versions: object[]) => [{ start: span.startRange, end: span.endRange, versions }];

  it.each([
    ["2.2.0", "2.2.0", ["2.2.0"]],
    ["2.1.0", "2.2.0", ["2.2.0"]],
    ["2.1.0", "2.3.1", ["2.2.0", "2.3.1"]],
    ["2.2.0", "2.10.0", ["2.2.0", "2.3.1"]],
    ["2.3.1", "2.3.1", ["2.3.1"]],
    ["2.2.0", "2.3.0", ["2.2.0"]],
    ["1.0.0", "3.0.0", ["2.2.0", "2.3.1"]],
    [undefined, "2.2.0", ["2.2.0"]],
  ])(
    "of 2.2.0 from version %s to %s speak %j, with one method",
    (acsStartProtocolVersion, acsEndProtocolVersion, expected) => {
      const range = { ...span, acsStartProtocolVersion, acsEndProtocolVersion, threeDSMethodURL: url };
      expect(read(range)).toEqual(is(...expected.map((version) => ({ version, methodUrl: url }))));
    },
  );

  it("of 2.3.1 share their versions, each with its own method, whatever their order", () => {
    const other = { start: "4100000000000000", end: "4100000000000009" };
    const entry = {
      ranges: [{ start: span.startRange, end: span.endRange }, other],
      acsProtocolVersions: [
        { version: "2.3.1", acsInfoInd: ["01"], threeDSMethodURL: url },
        { version: "2.1.0", acsInfoInd: ["01"] },
        { version: "2.2.0", acsInfoInd: ["01"] },
      ],
    };
    const versions = [
      { version: "2.2.0", methodUrl: null },
      { version: "2.3.1", methodUrl: url },
    ];
    expect(read(entry)).toEqual([...is(...versions), { ...other, versions }]);
  });

  it.each<[string, unknown]>([
    ["in an older version only", { ...span, acsStartProtocolVersion: "2.1.0", acsEndProtocolVersion: "2.1.0" }],
    [
      "in a newer version only",
      { ranges: [{ start: span.startRange, end: span.endRange }], acsProtocolVersions: [{ version: "2.4.0" }] },
    ],
    ["without a version", span],
    ["with more after the version", { ...span, acsEndProtocolVersion: "2.2.0.1" }],
    ["with more before the version", { ...span, acsEndProtocolVersion: "02.2.0" }],
    ["with a version in a list", { ...span, acsEndProtocolVersion: ["2.2.0"] }],
    ["without an end", { ...span, endRange: 4, acsEndProtocolVersion: "2.2.0" }],
    ["without a beginning", { ...span, startRange: undefined, acsEndProtocolVersion: "2.2.0" }],
    ["that end in words", { ...span, endRange: "4000000000000009x", acsEndProtocolVersion: "2.2.0" }],
    ["that begin in words", { ...span, startRange: "x4000000000000000", acsEndProtocolVersion: "2.2.0" }],
    ["of nothing", null],
    ["without ranges", { ranges: "4", acsProtocolVersions: [{ version: "2.2.0" }] }],
    ["without versions", { ranges: [{ start: span.startRange, end: span.endRange }], acsProtocolVersions: null }],
  ])("%s are left out, and hide no other", (_name, entry) => {
    const good = { ...span, acsEndProtocolVersion: "2.2.0" };
    expect(read(entry, good)).toEqual(is({ version: "2.2.0", methodUrl: null }));
  });

  it("none of which can be read are no table in which nobody takes part", () => {
    expect(read({ from: span.startRange, to: span.endRange }, null)).toBeNull();
    expect(read({ from: span.startRange, to: span.endRange })).toBeNull();
    expect(read()).toEqual([]);
  });

  it("of 2.3.1 that cannot be read are left out, and hide no other of their entry", () => {
    const [start, end] = [span.startRange, span.endRange];
    const ranges = [{ start, end: "4" }, { start: null, end }, null, { start, end }];
    expect(read({ ranges, acsProtocolVersions: [{ version: "2.2.0" }] })).toEqual(
      is({ version: "2.2.0", methodUrl: null }),
    );
  });

  it("whose method has an address of more than 2048 characters have none", () => {
    const withUrl = (threeDSMethodURL: string) => ({ ...span, acsEndProtocolVersion: "2.2.0", threeDSMethodURL });
    const longest = url.padEnd(2048, "x");
    expect(read(withUrl(longest))).toEqual(is({ version: "2.2.0", methodUrl: longest }));
    expect(read(withUrl(`${longest}x`))).toEqual(is({ version: "2.2.0", methodUrl: null }));
  });

  it("whose method has no address have none", () => {
    expect(read({ ...span, acsEndProtocolVersion: "2.2.0", threeDSMethodURL: 7 })).toEqual(
      is({ version: "2.2.0", methodUrl: null }),
    );
  });

  it.each([null, [], {}, "PRes", { messageType: "PRes" }, { messageType: "ARes", cardRangeData: [] }])(
    "are not in %j",
    (body) => {
      expect(readCardRanges(body)).toBeNull();
    },
  );
});

describe("an ARes", () => {
  const request = { threeDSServerTransID: "trans_1", messageVersion: "2.3.1", messageCategory: "01" } as AReq; // all that is looked at
  const ids = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1" };
  const no = { messageType: "ARes", messageVersion: "2.3.1", ...ids, transStatus: "N" };
  const proof = { authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci: "05" };

  it("gives the fields that are used, and drops the others", () => {
    expect(readARes({ ...no, transStatus: "Y", ...proof, acsReferenceNumber: "ignored" }, request)).toEqual({
      ...no,
      transStatus: "Y",
      ...proof,
    });
  });

  it.each(["acsTransID", "dsTransID"])("holds an %s of at most 36 characters", (name) => {
    const withId = (length: number) => ({ ...no, transStatus: "Y", ...proof, [name]: "x".repeat(length) });
    for (const length of [1, 36])
      expect(readARes(withId(length), request)).toMatchObject({ [name]: "x".repeat(length) });
    expect(readARes(withId(37), request)).toBeNull();
  });

  it.each([
    ["as 2.2.0 says it", "Ask your bank."],
    ["as 2.3.1 says it", { text: "Ask your bank.", issuerImage: { default: "https://bank.example/x.png" } }],
  ])("tells the customer the same %s", (_name, cardholderInfo) => {
    expect(readARes({ ...no, cardholderInfo }, request)).toEqual({ ...no, cardholderInfo: "Ask your bank." });
  });

  it.each<[string, object]>([
    ["a number for a sentence", { cardholderInfo: 7 }],
    ["too long a sentence", { cardholderInfo: "x".repeat(129) }],
    ["too long a text", { cardholderInfo: { text: "x".repeat(129) } }],
    ["a sentence that no database keeps", { cardholderInfo: "Ask your bank.\0" }],
    ["an empty reason", { transStatusReason: "" }],
    ["a reason of three digits", { transStatusReason: "011" }],
    ["an ECI with something before it", { eci: "x05" }],
    ["a decoupling that is neither yes nor no", { acsDecConInd: "X" }],
    ["too long an address", { acsURL: "https://bank.example/".padEnd(2049, "x") }],
    ["too long a proof", { authenticationValue: "A".repeat(4001) }],
    ["no ECI that is one", { eci: null }],
  ])("that says no is heard with %s beside it", (_name, fault) => {
    expect(readARes({ ...no, ...fault }, request)).toEqual(no);
  });

  it.each<[string, object]>([
    ["of another transaction", { threeDSServerTransID: "trans_2" }],
    ["in another version", { messageVersion: "2.2.0" }],
    ["without a version", { messageVersion: undefined }],
    ["with a status that is none", { transStatus: "X" }],
    ["that wants secure payment confirmation, which we never offer", { transStatus: "S" }],
    ["without a status", { transStatus: undefined }],
    ["without a transaction of the ACS's", { acsTransID: undefined }],
    ["without a transaction of the directory server's", { dsTransID: "" }],
    ["with a transaction that no database keeps", { acsTransID: "acs_1\0" }],
    ["that says Y without a proof", { transStatus: "Y", eci: "05" }],
    ["that says A without a proof", { transStatus: "A", authenticationValue: "" }],
    ["that says Y with a proof beyond all bounds", { transStatus: "Y", authenticationValue: "A".repeat(4001) }],
    ["that wants a challenge nowhere", { transStatus: "C" }],
    ["that wants a challenge at no address", { transStatus: "C", acsURL: "https://bank.example/acs\0" }],
    ["that decouples without saying so", { transStatus: "D", cardholderInfo: "Open your app." }],
    ["that decouples and says no", { transStatus: "D", acsDecConInd: "N" }],
  ])("%s is none", (_name, fault) => {
    expect(readARes({ ...no, ...fault }, request)).toBeNull();
  });

  it.each<[string, object]>([
    ["Y with a proof", { transStatus: "Y", ...proof }],
    ["A with a proof", { transStatus: "A", ...proof }],
    ["C with an address", { transStatus: "C", acsURL: "https://bank.example/acs" }],
    ["D that says so", { transStatus: "D", acsDecConInd: "Y" }],
    ["N with its reason", { transStatusReason: "01" }],
    ["N that was not decoupled", { acsDecConInd: "N" }],
    ["C with an address as long as may be", { transStatus: "C", acsURL: "https://bank.example/".padEnd(2048, "x") }],
    ["U", { transStatus: "U" }],
    ["R", { transStatus: "R" }],
    ["I", { transStatus: "I" }],
  ])("is one with %s", (_name, more) => {
    expect(readARes({ ...no, ...more }, request)).toEqual({ ...no, ...more });
  });

  it("needs no proof where nothing is paid", () => {
    expect(readARes({ ...no, transStatus: "Y" }, { ...request, messageCategory: "02" })).toMatchObject({
      transStatus: "Y",
    });
  });
});

describe("an Erro", () => {
  it("has a code", () => {
    expect(readErro({ messageType: "Erro", errorCode: "402" })).toMatchObject({ errorCode: "402" });
    const codes = ["", "4020", 402].map((errorCode) => ({ messageType: "Erro", errorCode }));
    for (const body of [null, {}, { messageType: "Erro" }, { errorCode: "402" }, ...codes]) {
      expect(readErro(body)).toBeNull();
    }
  });
});
