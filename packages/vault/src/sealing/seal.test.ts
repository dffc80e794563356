import { createSecretKey, randomBytes } from "node:crypto";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { SealingKey } from "../keys/keyring.ts";
import { rewrap, seal, SealBrokenError, unseal, type Sealed, type SealedFor } from "./seal.ts";

const key: SealingKey = { id: "card_1", secret: createSecretKey(randomBytes(32)) };
const boundTo: SealedFor = { mode: "test", accountNo: 1, recordId: "pm_1", purpose: "card" };
const plaintext = '{"number":"4242424242424242"}';

/** Expects the same error for every fault, without any of the content. */
function expectBroken(open: () => unknown): void {
  let error: unknown;
  try {
    open();
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(SealBrokenError);
  const shown = `${String(error)} ${JSON.stringify(error, Object.getOwnPropertyNames(error))}`;
  expect(shown).toMatch(/^SealBrokenError: The vault record .* can't be decrypted: does_not_open\./);
  expect(shown).not.toContain("4242");
  expect(shown).not.toContain(key.secret.export().toString("base64"));
  expect((error as SealBrokenError).cause).toBeUndefined();
}

describe("a sealed value", () => {
  it("can be opened with the same key for the same record", () => {
    expect(unseal(key, boundTo, seal(key, boundTo, plaintext))).toBe(plaintext);
  });

  it("can be opened if an earlier version sealed it", () => {
    const then = { id: "card_1", secret: createSecretKey(Buffer.alloc(32, 1)) };
    const wrappedKey = Buffer.from(
      "pAgcK6Ww+IFsl+xH9cXh7zdPaCQIRJPZSE+YRWInS3lcybeSVtTLOCFxGtahSGBjotXsNxyGMbhd6GRk",
      "base64",
    );
    const content = Buffer.from("/Midgv1Dohjt/Yd8SdSzYbWde9aw1SlSk+7ulV4R/xpshM0QJYVfYCU=", "base64");
    expect(unseal(then, boundTo, { wrappedKey, content })).toBe("what was kept");
  });

  it("can be opened from a Uint8Array, which is what database drivers return", () => {
    const { wrappedKey, content } = seal(key, boundTo, "né€🎈");
    expect(unseal(key, boundTo, { wrappedKey: new Uint8Array(wrappedKey), content: new Uint8Array(content) })).toBe(
      "né€🎈",
    );
  });

  it("hides its content, and has a unique data key and IV", () => {
    const seals = Array.from({ length: 10_000 }, () => seal(key, boundTo, plaintext));
    const iv = (bytes: Uint8Array) => Buffer.from(bytes).subarray(0, 12).toString("hex");
    const all = seals.flatMap(({ wrappedKey, content }) => [iv(wrappedKey), iv(content)]);
    expect(new Set(all).size).toBe(20_000);
    expect(new Set(seals.map(({ content }) => Buffer.from(content).toString("hex"))).size).toBe(10_000);
    expect(Buffer.concat(seals.map(({ content }) => content)).includes("4242")).toBe(false);
    expect(seals[0]).toMatchObject({ keyId: key.id });
  }, 30_000);

  it("can't be opened with another record's data key", () => {
    const [one, other] = [seal(key, boundTo, plaintext), seal(key, boundTo, plaintext)];
    expectBroken(() => unseal(key, boundTo, { ...one, wrappedKey: other.wrappedKey }));
  });

  it.each<[string, Partial<SealedFor>]>([
    ["another account", { accountNo: 2 }],
    ["another record", { recordId: "pm_2" }],
    ["the other mode", { mode: "live" }],
    ["another purpose", { purpose: "cvc" }],
    ["another purpose under the same key", { purpose: "credentials" }],
    ["parts that look the same when joined", { recordId: 'pm_1","card' }],
  ])("can't be opened for %s", (_name, change) => {
    const sealed = seal(key, boundTo, plaintext);
    expectBroken(() => unseal(key, { ...boundTo, ...change }, sealed));
  });

  it("can't be opened with another key, nor with the same key under another name", () => {
    const sealed = seal(key, boundTo, plaintext);
    expectBroken(() => unseal({ ...key, secret: createSecretKey(randomBytes(32)) }, boundTo, sealed));
    expectBroken(() => unseal({ ...key, id: "card_2" }, boundTo, sealed));
  });

  const parts = ["wrappedKey", "content"] as const;

  it.each(parts)("can't be opened after a change of any byte of its %s", (part) => {
    const sealed = seal(key, boundTo, plaintext);
    for (let i = 0; i < sealed[part].length; i++) {
      const changed = Buffer.from(sealed[part]);
      changed[i] = (changed[i] ?? 0) ^ 1;
      expectBroken(() => unseal(key, boundTo, { ...sealed, [part]: changed }));
    }
  });

  it.each(parts)("can't be opened if its %s is truncated or extended", (part) => {
    const sealed = seal(key, boundTo, plaintext);
    const bytes = Buffer.from(sealed[part]);
    const open = (changed: Uint8Array) => unseal(key, boundTo, { ...sealed, [part]: changed });
    for (let length = 0; length < bytes.length; length++) expectBroken(() => open(bytes.subarray(0, length)));
    expectBroken(() => open(Buffer.concat([bytes, Buffer.alloc(1)])));
  });
});

describe("rewrap", () => {
  const next: SealingKey = { id: "card_2", secret: createSecretKey(randomBytes(32)) };
  const moved = (sealed: Sealed): Sealed => ({
    ...sealed,
    keyId: next.id,
    wrappedKey: rewrap(key, next, boundTo, sealed.wrappedKey),
  });

  it("makes a value open only with the new key, and leaves its content unchanged", () => {
    const sealed = seal(key, boundTo, plaintext);
    const rewrapped = moved(sealed);
    expect(unseal(next, boundTo, rewrapped)).toBe(plaintext);
    expectBroken(() => unseal(key, boundTo, rewrapped));
    expect(rewrapped.content).toBe(sealed.content);
    expect(rewrapped.wrappedKey).not.toEqual(sealed.wrappedKey);
  });

  it("refuses a value that can't be opened or belongs to another record", () => {
    const { wrappedKey } = seal(key, boundTo, plaintext);
    expectBroken(() => rewrap(next, key, boundTo, wrappedKey));
    expectBroken(() => rewrap(key, next, { ...boundTo, recordId: "pm_2" }, wrappedKey));
    expectBroken(() => rewrap(key, next, { ...boundTo, purpose: "cvc" }, wrappedKey));
  });
});

describe("memory", () => {
  afterEach(() => vi.restoreAllMocks());
  /** Small buffers share one. */
  const pool = () => Buffer.from(Buffer.from("x").buffer);

  it("contains no content in freed buffers after it was sealed and opened", () => {
    const content = `{"number":"${randomBytes(8).readBigUInt64BE()}"}`;
    const sealed = seal(key, boundTo, content);
    expect(pool().includes(content)).toBe(false);
    expect(unseal(key, boundTo, sealed)).toBe(content);
    expect(pool().includes(content)).toBe(false);
  });

  it("contains neither data keys nor content after they were used, even if that failed", () => {
    const filled = vi.spyOn(Buffer.prototype, "fill");
    const wiped = () => filled.mock.contexts.splice(0).map((bytes) => (bytes as Buffer).length);
    const sealed = seal(key, boundTo, "737");
    expect(new Set(wiped())).toEqual(new Set([3, 32]));
    unseal(key, boundTo, sealed);
    expect(new Set(wiped())).toEqual(new Set([3, 32]));
    rewrap(key, key, boundTo, sealed.wrappedKey);
    expect(wiped()).toEqual([32]);
    expectBroken(() => unseal(key, boundTo, { ...sealed, content: Buffer.alloc(31) }));
    expect(wiped()).toContain(32);
    const badTag = Buffer.from(sealed.content);
    badTag.writeUInt8(badTag.readUInt8(badTag.length - 1) ^ 1, badTag.length - 1);
    expectBroken(() => unseal(key, boundTo, { ...sealed, content: badTag }));
    expect(wiped()).toContain(3);
  });
});
