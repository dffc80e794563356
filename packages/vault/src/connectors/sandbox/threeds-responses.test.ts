import { describe, expect, it } from "vitest";
import type { AReq } from "@oriel/protocol/threeds";
import { readARes, readCardRanges, readErro } from "./threeds-responses.ts";

describe("readCardRanges", () => {
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
    [undefined, "2.3.1", ["2.3.1"]],
  ])(
    "reads a 2.2.0 range from version %s to %s as %j with one method URL",
    (acsStartProtocolVersion, acsEndProtocolVersion, expected) => {
      const range = { ...span, acsStartProtocolVersion, acsEndProtocolVersion, threeDSMethodURL: url };
      expect(read(range)).toEqual(is(...expected.map((version) => ({ version, methodUrl: url }))));
    },
  );

  it("reads 2.3.1 ranges with a method URL per version, in any order", () => {
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
    ["with a suffix after the version", { ...span, acsEndProtocolVersion: "2.2.0.1" }],
    ["with a prefix before the version", { ...span, acsEndProtocolVersion: "02.2.0" }],
    ["with a version in an array", { ...span, acsEndProtocolVersion: ["2.2.0"] }],
    ["without a valid end", { ...span, endRange: 4, acsEndProtocolVersion: "2.2.0" }],
    ["without a start", { ...span, startRange: undefined, acsEndProtocolVersion: "2.2.0" }],
    ["whose end isn't a number", { ...span, endRange: "4000000000000009x", acsEndProtocolVersion: "2.2.0" }],
    ["whose start isn't a number", { ...span, startRange: "x4000000000000000", acsEndProtocolVersion: "2.2.0" }],
    ["that is null", null],
    ["without ranges", { ranges: "4", acsProtocolVersions: [{ version: "2.2.0" }] }],
    ["without versions", { ranges: [{ start: span.startRange, end: span.endRange }], acsProtocolVersions: null }],
  ])("skips a range %s, and keeps the others", (_name, entry) => {
    const good = { ...span, acsEndProtocolVersion: "2.2.0" };
    expect(read(entry, good)).toEqual(is({ version: "2.2.0", methodUrl: null }));
  });

  it("returns null instead of an empty table if all ranges are invalid", () => {
    expect(read({ from: span.startRange, to: span.endRange }, null)).toBeNull();
    expect(read({ from: span.startRange, to: span.endRange })).toBeNull();
    expect(read()).toEqual([]);
  });

  it("skips invalid ranges of a 2.3.1 entry, and keeps its others", () => {
    const [start, end] = [span.startRange, span.endRange];
    const ranges = [{ start, end: "4" }, { start: null, end }, null, { start, end }];
    expect(read({ ranges, acsProtocolVersions: [{ version: "2.2.0" }] })).toEqual(
      is({ version: "2.2.0", methodUrl: null }),
    );
  });

  it("ignores a method URL of more than 2048 characters", () => {
    const withUrl = (threeDSMethodURL: string) => ({ ...span, acsEndProtocolVersion: "2.2.0", threeDSMethodURL });
    const longest = url.padEnd(2048, "x");
    expect(read(withUrl(longest))).toEqual(is({ version: "2.2.0", methodUrl: longest }));
    expect(read(withUrl(`${longest}x`))).toEqual(is({ version: "2.2.0", methodUrl: null }));
  });

  it("ignores a method without a URL", () => {
    expect(read({ ...span, acsEndProtocolVersion: "2.2.0", threeDSMethodURL: 7 })).toEqual(
      is({ version: "2.2.0", methodUrl: null }),
    );
  });

  it.each([null, [], {}, "PRes", { messageType: "PRes" }, { messageType: "ARes", cardRangeData: [] }])(
    "returns null for %j",
    (body) => {
      expect(readCardRanges(body)).toBeNull();
    },
  );
});

describe("readARes", () => {
  // Only these fields are used.
  const request = { threeDSServerTransID: "trans_1", messageVersion: "2.3.1", messageCategory: "01" } as AReq;
  const ids = { threeDSServerTransID: "trans_1", acsTransID: "acs_1", dsTransID: "ds_1" };
  const no = { messageType: "ARes", messageVersion: "2.3.1", ...ids, transStatus: "N" };
  const proof = { authenticationValue: "AAAAAAAAAAAAAAAAAAAAAAAAAAA=", eci: "05" };

  it("returns the fields that are used and drops the others", () => {
    expect(readARes({ ...no, transStatus: "Y", ...proof, acsReferenceNumber: "ignored" }, request)).toEqual({
      ...no,
      transStatus: "Y",
      ...proof,
    });
  });

  it.each(["acsTransID", "dsTransID"])("accepts an %s of at most 36 characters", (name) => {
    const withId = (length: number) => ({ ...no, transStatus: "Y", ...proof, [name]: "x".repeat(length) });
    for (const length of [1, 36])
      expect(readARes(withId(length), request)).toMatchObject({ [name]: "x".repeat(length) });
    expect(readARes(withId(37), request)).toBeNull();
  });

  it.each([
    ["2.2.0", "Ask your bank."],
    ["2.3.1", { text: "Ask your bank.", issuerImage: { default: "https://bank.example/x.png" } }],
  ])("returns the text for the customer from version %s", (_name, cardholderInfo) => {
    expect(readARes({ ...no, cardholderInfo }, request)).toEqual({ ...no, cardholderInfo: "Ask your bank." });
  });

  it.each<[string, object]>([
    ["a number as the customer's text", { cardholderInfo: 7 }],
    ["a customer's text that's too long", { cardholderInfo: "x".repeat(129) }],
    ["a 2.3.1 text that's too long", { cardholderInfo: { text: "x".repeat(129) } }],
    ["a text with a NUL character", { cardholderInfo: "Ask your bank.\0" }],
    ["an empty reason", { transStatusReason: "" }],
    ["a reason of three digits", { transStatusReason: "011" }],
    ["an ECI with a prefix", { eci: "x05" }],
    ["an invalid acsDecConInd", { acsDecConInd: "X" }],
    ["a URL that's too long", { acsURL: "https://bank.example/".padEnd(2049, "x") }],
    ["an authentication value that's too long", { authenticationValue: "A".repeat(4001) }],
    ["a null ECI", { eci: null }],
  ])("keeps a status of N despite %s", (_name, fault) => {
    expect(readARes({ ...no, ...fault }, request)).toEqual(no);
  });

  it.each<[string, object]>([
    ["of another transaction", { threeDSServerTransID: "trans_2" }],
    ["in another version", { messageVersion: "2.2.0" }],
    ["without a version", { messageVersion: undefined }],
    ["with an unknown status", { transStatus: "X" }],
    ["that requests secure payment confirmation, which we don't offer", { transStatus: "S" }],
    ["without a status", { transStatus: undefined }],
    ["without an ACS transaction ID", { acsTransID: undefined }],
    ["without a directory server transaction ID", { dsTransID: "" }],
    ["with a NUL character in a transaction ID", { acsTransID: "acs_1\0" }],
    ["with Y but no authentication value", { transStatus: "Y", eci: "05" }],
    ["with A but no authentication value", { transStatus: "A", authenticationValue: "" }],
    ["with Y and an authentication value that's too long", { transStatus: "Y", authenticationValue: "A".repeat(4001) }],
    ["with C but no challenge URL", { transStatus: "C" }],
    ["with C and an invalid challenge URL", { transStatus: "C", acsURL: "https://bank.example/acs\0" }],
    ["with D but no acsDecConInd", { transStatus: "D", cardholderInfo: "Open your app." }],
    ["with D and acsDecConInd N", { transStatus: "D", acsDecConInd: "N" }],
  ])("returns null for a response %s", (_name, fault) => {
    expect(readARes({ ...no, ...fault }, request)).toBeNull();
  });

  it.each<[string, object]>([
    ["Y with an authentication value", { transStatus: "Y", ...proof }],
    ["A with an authentication value", { transStatus: "A", ...proof }],
    ["C with a challenge URL", { transStatus: "C", acsURL: "https://bank.example/acs" }],
    ["D with acsDecConInd Y", { transStatus: "D", acsDecConInd: "Y" }],
    ["N with a reason", { transStatusReason: "01" }],
    ["N with acsDecConInd N", { acsDecConInd: "N" }],
    [
      "C with a challenge URL of the maximum length",
      { transStatus: "C", acsURL: "https://bank.example/".padEnd(2048, "x") },
    ],
    ["U", { transStatus: "U" }],
    ["R", { transStatus: "R" }],
    ["I", { transStatus: "I" }],
  ])("accepts %s", (_name, more) => {
    expect(readARes({ ...no, ...more }, request)).toEqual({ ...no, ...more });
  });

  it("requires no authentication value without a payment", () => {
    expect(readARes({ ...no, transStatus: "Y" }, { ...request, messageCategory: "02" })).toMatchObject({
      transStatus: "Y",
    });
  });
});

describe("readErro", () => {
  it("requires a valid code", () => {
    expect(readErro({ messageType: "Erro", errorCode: "402" })).toMatchObject({ errorCode: "402" });
    const codes = ["", "4020", 402].map((errorCode) => ({ messageType: "Erro", errorCode }));
    for (const body of [null, {}, { messageType: "Erro" }, { errorCode: "402" }, ...codes]) {
      expect(readErro(body)).toBeNull();
    }
  });
});
