/** A card's life in the vault: it's stored, sent to the acquirer and nowhere else, and erased when it expires. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AReqWithoutCard } from "@oriel/protocol/threeds";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { CardGoneError, type CardAcquirer } from "../src/cards/card-acquirer.ts";
import { storeCard, type CardToStore } from "../src/cards/card-store.ts";
import { connectSandbox } from "../src/connectors/sandbox/connect-sandbox.ts";
import { newKeyring } from "../src/keys/keyring.ts";
import { SealBrokenError } from "../src/sealing/seal.ts";
import { createVault } from "../src/vault.ts";
import { directoryServerOf } from "./directory-server-of.ts";
import { encryptCard, openVault, openVaultDatabase, visa } from "./open-vault.ts";

const db = await openForTests(openVaultDatabase());
beforeEach(() => db.empty());

const later = (date: Date, minutes: number) => new Date(date.getTime() + minutes * 60_000);
const ofOne = (paymentMethodId: string) => ({ paymentMethodId, accountNo: 1 });
const rowsOf = async (table: string) => (await db.dump())[table];

describe("a card", () => {
  it("is sent to the acquirer unchanged, with its CVC until that is erased", async () => {
    const { store, charge, vault } = openVault(db);
    expect(await store("pm_1")).toMatchObject({
      ok: true,
      summary: { brand: "visa", last4: "4242", expMonth: 12, expYear: 2030, network: null },
    });
    for (let i = 0; i < 2; i++)
      expect(await charge("pm_1")).toEqual({ number: visa, expMonth: 12, expYear: 2030, cvc: "9173" });
    await vault.eraseCvc("pm_1");
    expect(await rowsOf("cvc")).toEqual([]);
    expect(await charge("pm_1")).toEqual({ number: visa, expMonth: 12, expYear: 2030 });
  });

  it("without a CVC is sent to the acquirer without one", async () => {
    const { store, charge } = openVault(db);
    const number = "5000550000000029"; // Maestro
    expect(await store("pm_1", { number, cvc: "" })).toMatchObject({ ok: true, summary: { brand: "maestro" } });
    expect(await rowsOf("cvc")).toHaveLength(1);
    expect(await charge("pm_1")).toEqual({ number, expMonth: 12, expYear: 2030 });
  });

  it("is added to an authentication request with its expiry as YYMM", async () => {
    const { store, vault, authenticated } = openVault(db);
    await store("pm_1", { expMonth: 3 });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the vault doesn't use the other fields
    expect(await directoryServerOf(vault.test).authenticate(ofOne("pm_1"), areq)).toBe("silent");
    expect(authenticated).toEqual([{ ...areq, acctNumber: visa, cardExpiryDate: "3003" }]);
  });

  it("keeps its CVC for fifteen minutes if the acquirer doesn't respond", async () => {
    const { store, charge, acquirer, clock, vault } = openVault(db);
    acquirer.reply = "silence";
    await store("pm_1");
    clock.now = later(clock.now, 14);
    expect(await charge("pm_1")).toMatchObject({ cvc: "9173" });
    clock.now = later(clock.now, 1);
    expect(await charge("pm_1")).not.toHaveProperty("cvc");
    await vault.sweep();
    expect(await rowsOf("cvc")).toEqual([]);
  });

  it("is unavailable after erase_at, even before the sweep", async () => {
    const { store, charge, clock, vault } = openVault(db);
    await store("pm_1", { eraseAt: later(clock.now, 60) });
    clock.now = later(clock.now, 60);
    await expect(charge("pm_1")).rejects.toThrow(CardGoneError);
    expect(await vault.retain(ofOne("pm_1"))).toBe(false);
    await vault.sweep();
    expect(await rowsOf("card")).toEqual([]);
  });

  it("stays until it's erased after a call of `keep`", async () => {
    const { store, charge, clock, vault } = openVault(db);
    await store("pm_1", { eraseAt: later(clock.now, 60) });
    expect(await vault.retain(ofOne("pm_1"))).toBe(true);
    expect(await vault.retain(ofOne("pm_1"))).toBe(true);
    expect(await vault.retain(ofOne("pm_2"))).toBe(false);
    expect(await vault.retain(ofOne("pm_card_visa"))).toBe(true);
    clock.now = later(clock.now, 60 * 24 * 365);
    await vault.sweep();
    expect(await charge("pm_1")).toMatchObject({ number: visa });
    await vault.erase(["pm_1"]);
    await expect(charge("pm_1")).rejects.toThrow(CardGoneError);
  });

  it("is stored once per message, and never under a used ID", async () => {
    const { store, vault } = openVault(db);
    const message = await encryptCard(vault, "cs_1", { number: visa, cvc: "9173" });
    const entry = { message, sessionId: "cs_1", accountNo: 1, acquirer: vault.test, eraseAt: null };
    expect(await vault.storeCard({ ...entry, paymentMethodId: "pm_1" })).toMatchObject({ ok: true });
    expect(await vault.storeCard({ ...entry, paymentMethodId: "pm_2" })).toEqual({
      ok: false,
      refusal: "card_message_stale",
    });
    await expect(store("pm_1")).rejects.toThrow("duplicate key");
    expect(await rowsOf("card")).toHaveLength(1);
  });
});

describe("storeCard", () => {
  it("accepts a nonce once, and never uses a closed key", async () => {
    const { vault, keyring, clock } = openVault(db);
    await vault.checkKeys();
    const card = { number: visa, exp_month: 12, exp_year: 2030 };
    const [nonceExpiresAt, keys] = [later(clock.now, 10), keyring.keys(clock.now)];
    const entry: CardToStore = {
      ...ofOne("pm_1"),
      mode: "test",
      card,
      cvc: "9173",
      nonce: "1",
      nonceExpiresAt,
      eraseAt: null,
    };
    expect(await storeCard(db, keys, entry, clock.now)).toBe("stored");
    expect(await storeCard(db, keys, { ...entry, paymentMethodId: "pm_2" }, clock.now)).toBe("nonce_used");
    await db.query("update vault.key set closed_at = now() where purpose = 'cvc'");
    expect(await storeCard(db, keys, { ...entry, paymentMethodId: "pm_2", nonce: "2" }, clock.now)).toBe("key_closed");
    expect(await rowsOf("card")).toHaveLength(1);
  });
});

describe("a nonce", () => {
  it("is remembered until its message is stale", async () => {
    const { store, vault, clock } = openVault(db);
    await store("pm_1");
    const start = clock.now;
    clock.now = new Date(later(start, 10).getTime() - 1);
    await vault.sweep();
    expect(await rowsOf("used_nonce")).toHaveLength(1);
    clock.now = later(start, 10);
    await vault.sweep();
    expect(await rowsOf("used_nonce")).toEqual([]);
  });
});

describe("a fingerprint", () => {
  it("depends only on the number, the mode and the key file", async () => {
    const { store } = openVault(db);
    const of = async (id: string, entry: Parameters<typeof store>[1]) => {
      const stored = await store(id, entry);
      if (!stored.ok) throw new Error("The card was refused");
      return stored.fingerprint.toString("hex");
    };
    const first = await of("pm_1", {});
    expect(first).toMatch(/^[0-9a-f]{64}$/);
    expect(await of("pm_2", { accountNo: 2, cvc: "000" })).toBe(first);
    expect(await of("pm_3", { mode: "live" })).not.toBe(first);
    expect(await of("pm_4", { number: "5555555555554444" })).not.toBe(first);
    await db.empty();
    const stored = await openVault(db).store("pm_1"); // another key file
    expect(stored.ok && stored.fingerprint.toString("hex")).not.toBe(first);
  });
});

describe("a mode", () => {
  it("sends its cards only to its own acquirer", async () => {
    const { store, charge, chargeLive, received, receivedLive, audited } = openVault(db);
    await store("pm_test");
    await store("pm_live", { mode: "live" });
    expect(await charge("pm_test")).toMatchObject({ number: visa });
    expect(await chargeLive("pm_live")).toMatchObject({ number: visa });
    await expect(charge("pm_live")).rejects.toThrow(SealBrokenError);
    await expect(chargeLive("pm_test")).rejects.toThrow(SealBrokenError);
    const otherMode = expect.objectContaining({ what: "seal_broken", reason: "other_mode" }) as object;
    expect(audited.filter(({ what }) => what === "seal_broken")).toEqual([otherMode, otherMode]);
    await expect(chargeLive("pm_card_visa")).rejects.toThrow(CardGoneError);
    expect(received.map(({ reference }) => reference)).toEqual(["att_pm_test"]);
    expect(receivedLive.map(({ reference }) => reference)).toEqual(["att_pm_live"]);
  });

  it("has its own type of acquirer", () => {
    const { vault } = openVault(db);
    const parts = { db, keyring: newKeyring(), now: () => new Date(), warn: () => {}, audit: () => {} };
    const live = connectSandbox({
      mode: "live",
      url: "https://bank.example",
      apiKey: "the-key-of-the-live-acquirer",
      ...parts,
    });
    // @ts-expect-error a live acquirer in test mode
    const wrong = createVault({ ...parts, connectors: { test: live, live: null } });
    expect(wrong.test.mode).toBe("live"); // the compiler rejects this
    // @ts-expect-error a live card bank in test mode
    const testAcquirer: CardAcquirer<"live"> = vault.test;
    expect(testAcquirer.mode).toBe("test");
  });
});

describe("test mode", () => {
  it("refuses and doesn't store unpublished card numbers, unlike live mode", async () => {
    const { store, warnings, audited, vault } = openVault(db);
    await vault.checkKeys();
    const before = [await db.dump(), [...audited]];
    const number = "4012888888881881";
    expect(await store("pm_1", { number })).toEqual({ ok: false, refusal: "not_a_test_card" });
    expect([await db.dump(), audited]).toEqual(before);
    expect(warnings).toEqual([]);
    expect(await store("pm_2", { number, mode: "live" })).toMatchObject({ ok: true });
  });

  it("accepts the numbers that the acquirer publishes, in addition to the sandbox's", async () => {
    const { store, charge, vault } = openVault(db);
    const [published, unpublished] = ["4988438843884305", "4012888888881881"];
    const acquirer = { ...vault.test, capabilities: { ...vault.test.capabilities, testCards: [published] } };
    expect(await store("pm_1", { number: published, acquirer })).toMatchObject({ ok: true });
    expect(await store("pm_2", { number: visa, acquirer })).toMatchObject({ ok: true });
    expect(await store("pm_3", { number: unpublished, acquirer })).toEqual({ ok: false, refusal: "not_a_test_card" });
    expect(await charge("pm_1")).toMatchObject({ number: published });
  });
});
