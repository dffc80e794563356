import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { SealingKey } from "./keyring.ts";
import { seal, SealBrokenError, unseal, type SealedFor } from "./seal.ts";

const key: SealingKey = { id: "card_1", secret: randomBytes(32) };
const boundTo: SealedFor = { mode: "test", accountId: "acct_1", recordId: "pm_1", purpose: "card" };
const plaintext = '{"number":"4242424242424242"}';

/** Every way to fail fails alike, and says nothing of what was inside. */
function expectBroken(open: () => string): void {
  let error: unknown;
  try {
    open();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(SealBrokenError);
  const told = `${String(error)} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  expect(told).not.toContain("4242");
  expect(told).not.toContain(key.secret.toString("base64"));
  expect((error as SealBrokenError).cause).toBeUndefined();
}

describe("a sealed value", () => {
  it("opens with the same key for the same record", () => {
    expect(unseal(key, boundTo, seal(key, boundTo, plaintext))).toBe(plaintext);
  });

  it("opens from plain bytes too, as a database driver may give them", () => {
    expect(unseal(key, boundTo, new Uint8Array(seal(key, boundTo, "né€🎈")))).toBe("né€🎈");
  });

  it("shows nothing of its content, and no two are alike", () => {
    const seals = Array.from({ length: 2000 }, () => seal(key, boundTo, plaintext));
    expect(new Set(seals.map((sealed) => sealed.subarray(0, 12).toString("hex"))).size).toBe(2000);
    expect(Buffer.concat(seals).includes("4242")).toBe(false);
  });

  it.each<[string, Partial<SealedFor>]>([
    ["another account", { accountId: "acct_2" }],
    ["another record", { recordId: "pm_2" }],
    ["the other mode", { mode: "live" }],
    ["another purpose", { purpose: "cvc" }],
    ["parts that only read alike when joined", { accountId: 'acct_1","pm_1', recordId: "" }],
  ])("does not open for %s", (_name, change) => {
    const sealed = seal(key, boundTo, plaintext);
    expectBroken(() => unseal(key, { ...boundTo, ...change }, sealed));
  });

  it("does not open under another key, nor under the same key with another name", () => {
    const sealed = seal(key, boundTo, plaintext);
    expectBroken(() => unseal({ ...key, secret: randomBytes(32) }, boundTo, sealed));
    expectBroken(() => unseal({ ...key, id: "card_2" }, boundTo, sealed));
  });

  it("does not open after any one byte was changed", () => {
    const sealed = seal(key, boundTo, plaintext);
    for (let i = 0; i < sealed.length; i++) {
      const changed = Buffer.from(sealed);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expectBroken(() => unseal(key, boundTo, changed));
    }
  });

  it("does not open when it was cut off or added to", () => {
    const sealed = seal(key, boundTo, plaintext);
    for (let length = 0; length < sealed.length; length++) expectBroken(() => unseal(key, boundTo, sealed.subarray(0, length)));
    expectBroken(() => unseal(key, boundTo, Buffer.concat([sealed, Buffer.alloc(1)])));
  });
});
