/**
 * Acquirer accounts in the vault, with the Adyen simulator: how they're opened, cached, opened again after a change,
 * and what happens if their credentials are broken. And what is repeated if an authorization's outcome is unknown.
 */
import { createHmac } from "node:crypto";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { createBank } from "@oriel/sandbox";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import type { CardAcquirer } from "../src/cards/card-acquirer.ts";
import { isTestCardNumber } from "../src/cards/test-card-numbers.ts";
import { adyenTestCards } from "../src/connectors/adyen/test-cards.ts";
import type { AcquirerAccount } from "../src/connectors/registry.ts";
import { newKeyring, type Keyring } from "../src/keys/keyring.ts";
import { authorization } from "./authorization.ts";
import { openVault, openVaultDatabase, visa, type VaultUnderTest } from "./open-vault.ts";

const credentials = { api_key: "the-key-that-adyen-gave-us", hmac_keys: ["ab".repeat(32)] };
const secrets = [credentials.api_key, ...credentials.hmac_keys];
const { card: _, ...made } = authorization;
const sample = { ...made, usesCvc: true };

const db = await openForTests(openVaultDatabase());
let keyring: Keyring;
let test: VaultUnderTest;
/** The URL and sender's port of each request to the simulator. */
let requests: { url: string; port: number | undefined }[] = [];
const bank = await openForTests(
  createBank({
    origin: "http://bank.localhost:5996",
    apiKey: "the-key-of-the-sandbox-itself",
    resultsKey: "the-key-we-gave-the-bank",
    adyen: { apiKey: credentials.api_key, merchantAccount: "KilnAndClay" },
  }),
);
bank.server.on("request", ({ url = "", socket }) => requests.push({ url, port: socket.remotePort }));
const bankUrl = await bank.listen({ port: 0, host: "127.0.0.1" });
beforeEach(async () => {
  await db.empty();
  requests = [];
  keyring = newKeyring();
  test = openVault(db, { keyring });
});

/** Stores the credentials. */
async function connect(changes: Partial<AcquirerAccount> = {}, entered = credentials): Promise<AcquirerAccount> {
  const account = {
    id: "aa_1",
    accountNo: 1,
    mode: "test" as const,
    connector: "adyen" as const,
    settings: { merchant_account: "KilnAndClay", api_url: `${bankUrl}/adyen/v71`, multiple_partial_captures: false },
    ...changes,
  };
  return { ...account, credentialsVersion: await test.vault.storeCredentials(account, entered) };
}

async function acquirerOf(account: AcquirerAccount): Promise<CardAcquirer> {
  const opened = await test.vault.acquirer(account.mode, account);
  if (opened === null) throw new Error("Expected the acquirer account to be usable");
  return opened;
}

const ofOne = (paymentMethodId: string) => ({ paymentMethodId, accountNo: 1 });
const usage = { kind: "stored_by_merchant", firstNetworkTransactionId: null } as const;
const stored = { ...made, usage, usesCvc: false };
const reference = () => `att_${crypto.randomUUID()}`;
const visaCard = ofOne("pm_card_visa");

describe("an acquirer account", () => {
  it("moves money at its own merchant account, and notifications are the truth about captures", async () => {
    const opened = await acquirerOf(await connect());
    expect(opened).toMatchObject({ mode: "test", resolves: { by: "replay", safeForMs: 604_800_000 } });
    expect(opened.capabilities).toMatchObject({ captures: "notified", multiplePartialCaptures: false });
    const att = reference();
    const approved = await opened.authorize(visaCard, { ...stored, reference: att });
    expect(approved).toMatchObject({ outcome: "approved", details: { acquirerId: expect.any(String) } });
    const acquirerId = "details" in approved ? approved.details.acquirerId : null;
    const later = { isRepeated: false, authorization: { reference: att, acquirerId }, amount: 100, currency: "eur" };
    expect(await opened.refund({ ...later, reference: reference() })).toMatchObject({ outcome: "pending" });
    expect(test.received).toEqual([]);
  });

  it("keeps its connections as long as nothing has changed", async () => {
    const account = await connect();
    const opened = await acquirerOf(account);
    expect(await acquirerOf({ ...account, settings: { ...account.settings } })).toBe(opened);
    for (let i = 0; i < 3; i++) await opened.authorize(visaCard, { ...stored, reference: reference() });
    expect(new Set(requests.map(({ port }) => port)).size).toBe(1);
  });

  it("is opened again with other settings or another version of its credentials", async () => {
    const account = await connect();
    const opened = await acquirerOf(account);
    const settings = { ...account.settings, multiple_partial_captures: true };
    const changed = await acquirerOf({ ...account, settings });
    expect([opened.capabilities.multiplePartialCaptures, changed.capabilities.multiplePartialCaptures]).toEqual([
      false,
      true,
    ]);
    const wrong = await connect({}, { ...credentials, api_key: "another-key" });
    expect(await (await acquirerOf(wrong)).authorize(visaCard, { ...stored, reference: reference() })).toEqual({
      outcome: "unknown",
      reason: "The acquirer's response to an authorization request is invalid: HTTP 401, error 000",
    });
    const right = await connect();
    expect(await (await acquirerOf(right)).authorize(visaCard, { ...stored, reference: reference() })).toMatchObject({
      outcome: "approved",
    });
  });

  it("is never used for the other mode", async () => {
    const account = await connect();
    await expect(test.vault.acquirer("live", account)).rejects.toThrow(
      "Bug: the acquirer account aa_1 isn't for live mode",
    );
    expect(await test.vault.acquirer("test", null)).toBe(test.vault.test);
    expect(await test.vault.acquirer("live", null)).toBe(test.vault.live);
  });

  it("can't use the credentials of another account or mode", async () => {
    const { credentialsVersion } = await connect({ id: "aa_2", accountNo: 2 });
    const own = { ...(await connect()), credentialsVersion };
    expect(await test.vault.acquirer("test", own)).toBeNull();
    expect(await test.vault.acquirer("test", { ...own, id: "aa_2" })).toBeNull();
    expect(requests).toEqual([]);
  });

  it("can't be used if its URL isn't on a host that is allowed, whoever wrote it into the database", async () => {
    const account = await connect();
    for (const api_url of ["https://collector.example/v72", "https://checkout-test.adyen.com.collector.example/v72"]) {
      const moved = { ...account, settings: { ...account.settings, api_url } };
      expect(await test.vault.acquirer("test", moved)).toBeNull();
      await expect(test.vault.tryOut(moved, { version: account.credentialsVersion })).rejects.toMatchObject({
        param: "settings.api_url",
      });
    }
    expect(test.warnings).toContainEqual(expect.stringContaining("isn't a host of Adyen's test environment"));
  });

  it("can't look up a reference, nor can the sandbox's acquirer be reversed", async () => {
    const opened = await acquirerOf(await connect());
    await expect(opened.lookup("authorize", "att_1")).rejects.toThrow("Bug");
    const reversal = { reference: "att_2", authorizationReference: "att_1", isRepeated: false };
    await expect(test.vault.test.reverse({ ...reversal, amount: 1, currency: "eur" })).rejects.toThrow("Bug");
  });
});

describe("the vendor's test cards", () => {
  const ofTheSandbox = (number: string) => isTestCardNumber(number, { testCards: [] });
  const ownCards = adyenTestCards.filter((number) => !ofTheSandbox(number));

  it("are stored and sent to the vendor in test mode", async () => {
    const acquirer = await acquirerOf(await connect());
    for (const number of adyenTestCards)
      expect(await test.store(`pm_${number}`, { number, acquirer })).toMatchObject({
        ok: true,
        summary: { last4: number.slice(-4) },
      });
    const card = ofOne(`pm_${ownCards[0]}`);
    expect(
      await acquirer.authorize(card, { ...sample, usage: { kind: "once" }, reference: reference() }),
    ).toMatchObject({
      outcome: "approved",
    });
  });

  it("are accepted in addition to the sandbox's, and no others are", async () => {
    const acquirer = await acquirerOf(await connect());
    expect(await test.store("pm_1", { number: visa, acquirer })).toMatchObject({ ok: true });
    const before = await db.dump();
    expect(await test.store("pm_2", { number: "4012888888881881", acquirer })).toEqual({
      ok: false,
      refusal: "not_a_test_card",
    });
    expect(await db.dump()).toEqual(before);
  });

  it("are refused by the default acquirer of test mode", async () => {
    await connect();
    expect(ownCards).not.toEqual([]);
    for (const number of ownCards)
      expect(await test.store("pm_1", { number })).toEqual({ ok: false, refusal: "not_a_test_card" });
    expect((await db.dump())["card"]).toEqual([]);
  });
});

describe("broken credentials", () => {
  it.each<[string, string]>([
    ["were changed", "update vault.credentials set sealed = sealed || 'x'::bytea where acquirer_account_id = 'aa_1'"],
    ["are gone", "delete from vault.credentials where acquirer_account_id = 'aa_1'"],
    ["have a key that the file lacks", "update vault.credentials set key_id = 'x' where acquirer_account_id = 'aa_1'"],
  ])("that %s stop only their own acquirer account, until there are new ones", async (_name, damage) => {
    const [broken, other] = [await connect(), await connect({ id: "aa_2", accountNo: 2 })];
    await db.query(damage);
    for (let i = 0; i < 3; i++) expect(await test.vault.acquirer("test", broken)).toBeNull();
    expect(await test.vault.readNotification(broken, {})).toBe("unusable");
    expect(test.warnings).toEqual([expect.stringContaining("aa_1 can't be used")]);
    for (const secret of secrets) expect(JSON.stringify([test.warnings, test.audited])).not.toContain(secret);
    expect(await acquirerOf(other)).toMatchObject({ mode: "test" });
    expect(await acquirerOf(await connect())).toMatchObject({ mode: "test" });
  });

  it("are tried again after a minute", async () => {
    const account = await connect();
    const [row] = (await db.query("select sealed from vault.credentials")).rows;
    await db.query("update vault.credentials set sealed = 'x'::bytea");
    expect(await test.vault.acquirer("test", account)).toBeNull();
    await db.query("update vault.credentials set sealed = $1", [row?.["sealed"]]);
    expect(await test.vault.acquirer("test", account)).toBeNull();
    test.clock.now = new Date(test.clock.now.getTime() + 60_000);
    expect(await acquirerOf(account)).toMatchObject({ mode: "test" });
  });

  it("don't hide an outage of the vault's database, which is over with the next request", async () => {
    const account = await connect();
    const query = vi.spyOn(db, "query").mockRejectedValueOnce(new Error("The database is down"));
    await expect(test.vault.acquirer("test", account)).rejects.toThrow("The database is down");
    query.mockRestore();
    expect(await acquirerOf(account)).toMatchObject({ mode: "test" });
  });
});

describe("a repeated authorization", () => {
  const typedIn = (usage: "once" | "store") => ({ ...sample, usage: { kind: usage }, reference: reference() });

  it.each(["once", "store"] as const)("is sent with its CVC as long as that is stored (%s)", async (usage) => {
    const opened = await acquirerOf(await connect());
    await test.store("pm_1");
    const request = typedIn(usage);
    await lose(request.reference);
    expect(await opened.authorize(ofOne("pm_1"), request)).toMatchObject({ outcome: "unknown" });
    expect(await opened.authorize(ofOne("pm_1"), { ...request, isRepeated: true })).toMatchObject({
      outcome: "approved",
    });
    // If that outcome can't be committed, it's requested again.
    expect(await opened.authorize(ofOne("pm_1"), { ...request, isRepeated: true })).toMatchObject({
      outcome: "approved",
    });
  });

  it.each([
    ["the CVC has expired", () => void (test.clock.now = new Date(test.clock.now.getTime() + 15 * 60_000))],
    ["the CVC was lost", () => db.query("delete from vault.cvc")],
    ["the card was erased", () => test.vault.erase(["pm_1"])],
  ])("isn't sent if %s", async (_name, happen) => {
    const opened = await acquirerOf(await connect());
    await test.store("pm_1");
    const request = typedIn("once");
    await lose(request.reference);
    await opened.authorize(ofOne("pm_1"), request);
    await happen();
    requests = [];
    const repeated = { ...request, isRepeated: true };
    expect(await opened.authorize(ofOne("pm_1"), repeated)).toEqual({ outcome: "not_repeatable" });
    expect(requests).toEqual([]);
    // What was reserved can then be reversed, which needs no card.
    const { amount, currency } = request;
    const reversal = { reference: reference(), authorizationReference: request.reference, isRepeated: false };
    expect(await opened.reverse({ ...reversal, amount, currency })).toMatchObject({ outcome: "pending" });
  });

  it("is sent without a CVC if the first request had none, even if one is stored", async () => {
    const opened = await acquirerOf(await connect());
    await test.store("pm_1");
    for (const card of [ofOne("pm_1"), visaCard]) {
      const request = { ...stored, reference: reference(), isRepeated: true };
      expect(await opened.authorize(card, request)).toMatchObject({ outcome: "approved" });
    }
  });

  it("must say that it has no CVC if that is gone before the first request", async () => {
    const opened = await acquirerOf(await connect());
    await test.store("pm_1");
    await test.vault.eraseCvc("pm_1");
    const request = typedIn("once");
    expect(await opened.authorize(ofOne("pm_1"), request)).toEqual({ outcome: "no_cvc" });
    expect(requests).toEqual([]);
    for (const isRepeated of [false, true])
      expect(await opened.authorize(ofOne("pm_1"), { ...request, usesCvc: false, isRepeated })).toMatchObject({
        outcome: "approved",
      });
  });

  it("is sent to an acquirer that finds outcomes by reference, which decides without the CVC", async () => {
    await test.store("pm_1");
    await db.query("delete from vault.cvc");
    const request = { ...typedIn("once"), isRepeated: true };
    expect(await test.vault.test.authorize(ofOne("pm_1"), request)).toMatchObject({ outcome: "approved" });
    expect(test.received.at(-1)?.card).toEqual({ number: visa, expMonth: 12, expYear: 2030 });
  });

  /** The simulator authorizes the payment and returns HTTP 500. */
  async function lose(of: string): Promise<void> {
    const rule = { match: { kind: "authorization", reference: of }, fault: "error_after", times: 1 };
    const response = await fetch(`${bankUrl}/sandbox/faults`, {
      method: "POST",
      headers: { authorization: "Bearer the-key-of-the-sandbox-itself", "content-type": "application/json" },
      body: JSON.stringify({ rules: [rule] }),
    });
    expect(response.status).toBe(200);
  }
});

describe("a notification", () => {
  it("is read with the keys of its acquirer account only", async () => {
    const account = await connect();
    const other = await connect({ id: "aa_2" }, { ...credentials, hmac_keys: ["cd".repeat(32)] });
    expect(await test.vault.readNotification(account, notification())).toMatchObject([
      { event: { type: "authorized", reference: "att_1" } },
    ]);
    expect(await test.vault.readNotification(other, notification())).toEqual([{ refused: "wrong_signature" }]);
    for (const body of [null, {}, [], "x", { notificationItems: 7 }])
      expect(await test.vault.readNotification(account, body)).toBe("not_a_notification");
  });

  it("is read with the old and the new key during a change", async () => {
    const account = await connect({}, { ...credentials, hmac_keys: ["cd".repeat(32), "ab".repeat(32)] });
    for (const key of ["ab", "cd"])
      expect(await test.vault.readNotification(account, notification(key.repeat(32)))).toMatchObject([
        { event: { type: "authorized" } },
      ]);
  });

  function notification(key = "ab".repeat(32)): object {
    const item = {
      pspReference: "QFQTPCQ8HXSKGK82",
      originalReference: "",
      merchantAccountCode: "KilnAndClay",
      merchantReference: "att_1",
      amount: { value: 4900, currency: "EUR" },
      eventCode: "AUTHORISATION",
      success: "true",
    };
    const text = "QFQTPCQ8HXSKGK82::KilnAndClay:att_1:4900:EUR:AUTHORISATION:true";
    const hmacSignature = createHmac("sha256", Buffer.from(key, "hex")).update(text).digest("base64");
    const signed = { NotificationRequestItem: { ...item, additionalData: { hmacSignature } } };
    return { live: "false", notificationItems: [signed] };
  }
});
