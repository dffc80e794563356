/**
 * Accounts' own acquirers, with two Adyen simulators that stand for two merchant accounts: an operator sets, changes
 * and replaces them, credentials can't be read anywhere, and each payment keeps the one that it was made with.
 */
import { describe, expect, it, vi } from "vitest";
import type { OperatorAcquirers } from "@oriel/protocol/dashboard/acquirers";
import { AcquirerAccountError } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import {
  listAcquirerAccounts,
  setAcquirerAccount,
  type EnteredAcquirer,
} from "../src/merchants/accounts/acquirer-accounts.ts";
import { acquirerFor } from "../src/merchants/accounts/live-mode.ts";
import { resumeAttempts } from "../src/payments/flow/recovery.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import {
  adyenApiKey,
  adyenHmacKey,
  signedNotification,
  startAdyen,
  withoutTryingOut,
  type AdyenBank,
} from "./setup/adyen.ts";
import { cardNumbers } from "./setup/customer.ts";
import { auditOf, expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { signInToWorkspace } from "./setup/dashboard-member.ts";
import { emailsTo, newOperator } from "./setup/dashboard-visitor.ts";
import { dumpDatabase } from "./setup/dump-database.ts";
import { expectError, type Refusal } from "./setup/expect-error.ts";
import { newMerchant, order, type Merchant } from "./setup/merchant.ts";
import { startTestService, type ApiResponse, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

const adyen = await openForTests(startAdyen());
const other = await openForTests(startAdyen({ merchantAccount: "KilnAndClayUS" }));
const service = await openForTests(startTestService({ bankUrl: adyen.bankUrl, live: true }));
const operator = await newOperator(service);

const liveSettings = {
  merchant_account: "KilnAndClay",
  api_url: "https://1797a841fbb37ca7-KilnAndClay-checkout-live.adyenpayments.com/checkout/v72",
};
const noAcquirer: Refusal = { status: 503, type: "api_error", code: "acquirer_not_configured" };
const invalid = (code: Refusal["code"], param: string): Refusal => ({
  status: 400,
  type: "invalid_request_error",
  code,
  param,
});

const set = (tenant: Tenant, entered: EnteredAcquirer = adyen.entered) =>
  setAcquirerAccount(service.context, tenant, entered, "cli test");
const setLive = (tenant: Tenant) =>
  withoutTryingOut(service, () => set(tenant, { ...adyen.entered, settings: liveSettings }));
const withSettings = (settings: EnteredAcquirer["settings"]) => ({
  ...adyen.entered,
  settings: { ...adyen.entered.settings, ...settings },
});
const withKey = (api_key: string) => ({ ...adyen.entered, credentials: { ...adyen.entered.credentials, api_key } });
const withoutCredentials = ({ connector, settings }: EnteredAcquirer) => ({ connector, settings });
const listOf = ({ accountNo }: Tenant) => listAcquirerAccounts(service.context.db, accountNo, "https://api.example");
const versionsOf = async (id: string) => {
  const rows = (await dumpDatabase(service.context.db)).split("\n").filter((line) => line.includes(id));
  return rows
    .filter((line) => line.startsWith("vault.credentials"))
    .map((line) => /"version":"([^"]+)"/.exec(line)?.[1]);
};
const supports = async (tenant: Tenant, id: string) =>
  (await acquirerFor(service.context, tenant, id))?.capabilities.multiplePartialCaptures;

describe("setting an acquirer account", () => {
  it("creates it, changes it in place, and replaces it with another merchant account", async () => {
    const { tenant, accountId } = await newMerchant(service);
    const created = await set(tenant);
    expect(created.change).toBe("created");
    expect(created.id).toMatch(/^aa_[0-9a-z]{33}$/);
    const [before] = await versionsOf(created.id);

    const changed = withSettings({ multiple_partial_captures: true });
    expect(await set(tenant, withoutCredentials(changed))).toEqual({
      id: created.id,
      change: "changed",
      isCurrent: true,
    });
    expect(await versionsOf(created.id)).toEqual([before]);
    expect(await set(tenant, withoutCredentials(changed))).toEqual({
      id: created.id,
      change: "unchanged",
      isCurrent: true,
    });

    expect(await set(tenant, changed)).toEqual({ id: created.id, change: "changed", isCurrent: true });
    const [after, ...more] = await versionsOf(created.id);
    expect({ isNew: after !== before, more }).toEqual({ isNew: true, more: [] });

    const replaced = await set(tenant, other.entered);
    expect({ ...replaced, isNew: replaced.id !== created.id }).toMatchObject({ change: "replaced", isNew: true });
    expect(await listOf(tenant)).toMatchObject([
      { id: replaced.id, livemode: false, settings: { merchant_account: "KilnAndClayUS" }, replaced: null },
      {
        id: created.id,
        notification_url: `https://api.example/acquirers/${created.id}/notifications`,
        settings: { merchant_account: "KilnAndClay", multiple_partial_captures: true },
        replaced: expect.any(Number),
      },
    ]);
    expect((await auditOf(service, accountId)).filter((row) => row.includes("acquirer_account"))).toEqual([
      expect.stringContaining("acquirer_account.created"),
      expect.stringContaining("acquirer_account.changed"),
      expect.stringContaining("acquirer_account.changed"),
      expect.stringContaining("acquirer_account.replaced"),
    ]);
  });

  it("is separate for each mode", async () => {
    const { tenant } = await newMerchant(service);
    const live = { ...tenant, livemode: true };
    const { id } = await set(tenant);
    const { id: liveId } = await setLive(live);
    expect((await listOf(tenant)).map((one) => [one.id, one.livemode, one.replaced])).toEqual([
      [liveId, true, null],
      [id, false, null],
    ]);
    expect(await acquirerFor(service.context, live, id)).toBeNull();
    expect(await acquirerFor(service.context, tenant, liveId)).toBeNull();
    expect(await acquirerFor(service.context, live, liveId)).toMatchObject({ mode: "live" });
  });

  it.each<[string, (entered: AdyenBank["entered"]) => EnteredAcquirer, string | null]>([
    ["settings", (entered) => ({ ...entered, settings: {} }), "settings.merchant_account"],
    ["credentials", (entered) => ({ ...entered, credentials: { api_key: adyenApiKey } }), "credentials.hmac_keys"],
    ["missing credentials", withoutCredentials, null],
    ["another path", () => withSettings({ api_url: `${adyen.bankUrl}/adyen/v72` }), "settings.api_url"],
    ["another server", () => withSettings({ api_url: "http://127.0.0.1:9/adyen/v71" }), "settings.api_url"],
    ["another company's server", () => withSettings({ api_url: "https://collector.example/v72" }), "settings.api_url"],
    ["an API key that Adyen doesn't know", () => withKey("a-wrong-api-key"), "credentials.api_key"],
    ["another merchant account", () => withSettings({ merchant_account: "Loom" }), "settings.merchant_account"],
  ])("changes nothing with wrong input: %s", async (_name, change, param) => {
    const { tenant } = await newMerchant(service);
    await expect(set(tenant, change(adyen.entered))).rejects.toMatchObject({ name: "AcquirerAccountError", param });
    expect(await listOf(tenant)).toEqual([]);
    const { id } = await set(tenant);
    await expect(set(tenant, change(other.entered))).rejects.toMatchObject({ name: "AcquirerAccountError", param });
    expect(await listOf(tenant)).toMatchObject([{ id, settings: adyen.entered.settings, replaced: null }]);
    expect(await versionsOf(id)).toHaveLength(1);
  });

  it.each([
    ["another host", () => adyen.bankUrl.replace("127.0.0.1", "localhost")],
    ["another port", () => other.bankUrl],
  ])("never sends the stored API key to %s", async (_where, origin) => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    const moved = withSettings({ api_url: `${origin()}/adyen/v71` });
    await expect(set(tenant, withoutCredentials(moved))).rejects.toMatchObject({ param: "credentials.api_key" });
    await expect(set(tenant, { ...withoutCredentials(moved), id })).rejects.toMatchObject({
      param: "credentials.api_key",
    });
    expect(await listOf(tenant)).toMatchObject([{ id, settings: adyen.entered.settings }]);
    expect(await withoutTryingOut(service, () => set(tenant, moved))).toMatchObject({ id, change: "changed" });
  });

  it("tries the stored API key with another version of the API on the same host, and refuses one that isn't there", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    const moved = withoutCredentials(withSettings({ api_url: `${adyen.bankUrl}/adyen/v72` }));
    await expect(set(tenant, moved)).rejects.toMatchObject({
      param: "settings.api_url",
      message: expect.stringContaining("HTTP 404"),
    });
    expect(await listOf(tenant)).toMatchObject([{ id, settings: adyen.entered.settings }]);
    expect(await withoutTryingOut(service, () => set(tenant, moved))).toMatchObject({ id, change: "changed" });
    await expect(set(tenant, withoutCredentials(withSettings({ multiple_partial_captures: true })))).resolves.toEqual({
      id,
      change: "changed",
      isCurrent: true,
    });
  });

  it("asks for the credentials again if the stored ones can't be read", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    await service.context.db
      .updateTable("acquirer_account")
      .set({ credentials_version: "none" })
      .where("id", "=", id)
      .execute();
    const changed = withSettings({ multiple_partial_captures: true });
    await expect(set(tenant, withoutCredentials(changed))).rejects.toMatchObject({ param: "credentials.api_key" });
    expect(await set(tenant, changed)).toMatchObject({ id, change: "changed" });
  });

  it("needs the credentials of another merchant account", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    await expect(set(tenant, withoutCredentials(other.entered))).rejects.toThrow(AcquirerAccountError);
    expect((await listOf(tenant)).map((one) => [one.id, one.replaced])).toEqual([[id, null]]);
  });

  it("changes nothing if the credentials can't be stored", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    const store = vi.spyOn(service.context.vault, "storeCredentials").mockRejectedValue(new Error("The vault is down"));
    for (const entered of [other.entered, withSettings({ multiple_partial_captures: true })])
      await expect(set(tenant, entered)).rejects.toThrow("The vault is down");
    store.mockRestore();
    expect(await listOf(tenant)).toMatchObject([
      { id, settings: { multiple_partial_captures: false }, replaced: null },
    ]);
    expect(await supports(tenant, id)).toBe(false);
  });

  it("changes nothing if the transaction fails, and the earlier credentials still count", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    const nobody = null as unknown as string; // the audit log refuses an entry without an actor
    for (const entered of [withKey("a-wrong-api-key"), other.entered])
      await expect(
        withoutTryingOut(service, () => setAcquirerAccount(service.context, tenant, entered, nobody)),
      ).rejects.toThrow("actor");
    expect((await listOf(tenant)).map((one) => [one.id, one.replaced])).toEqual([[id, null]]);
    expect(await authorizeWith(tenant, id)).toMatchObject({ outcome: "approved" });
  });

  it("is done by one of several operators who do it at once, and the result always works", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    const attempts = [other.entered, adyen.entered, withSettings({ multiple_partial_captures: true }), other.entered];
    const results = await Promise.allSettled(attempts.map((entered) => set(tenant, entered)));
    const refused = results.filter((result) => result.status === "rejected").map(({ reason }) => reason as unknown);
    expect(results.length - refused.length).toBeGreaterThan(0);
    for (const error of refused) expect(error).toBeInstanceOf(AcquirerAccountError);
    const listed = await listOf(tenant);
    expect(listed.filter(({ replaced }) => replaced === null)).toHaveLength(1);
    expect(listed.map((one) => one.id)).toContain(id);
    for (const one of listed) {
      expect(await authorizeWith(tenant, one.id)).toMatchObject({ outcome: "approved" });
      expect(await versionsOf(one.id)).toHaveLength(1);
    }
  });
});

describe("changing a replaced acquirer account by its ID", () => {
  const path = (merchant: Merchant) => `/operator/accounts/${merchant.accountId}/acquirers`;
  const change = (merchant: Merchant, body: object) =>
    operator.call("POST", path(merchant), { livemode: false, ...adyen.entered, ...body });

  /** An account with a payment, whose acquirer account was then replaced by that of another merchant account. */
  async function replaced(): Promise<{ merchant: Merchant; chargeId: string; id: string; current: string }> {
    const merchant = await newMerchant(service);
    const id = await adyen.connect(service, merchant.tenant);
    const chargeId = String((await merchant.charge("pm_card_visa")).body["id"]);
    const { id: current } = await set(merchant.tenant, other.entered);
    return { merchant, chargeId, id, current };
  }

  it("refunds its payments with the new API key, although the old one has expired", async () => {
    const { merchant, chargeId, id, current } = await replaced();
    const expired = withKey("a-key-that-has-expired").credentials;
    expect((await withoutTryingOut(service, () => change(merchant, { id, credentials: expired }))).status).toBe(200);
    const succeeded = async () =>
      (await merchant.list("refunds")).filter(({ status }) => String(status) === "succeeded");
    expectError(await merchant.refund(chargeId, 1000), {
      status: 503,
      type: "api_error",
      code: "payment_outcome_unknown",
    });
    service.moveClock(60_000);
    await resumeAttempts(service.context);
    expect(await merchant.list("refunds")).toMatchObject([{ status: "processing" }]);

    expect((await change(merchant, { id })).status).toBe(200);
    service.moveClock(60_000);
    await resumeAttempts(service.context);
    await until("the refund", async () => (await succeeded())[0] ?? null);
    expect((await merchant.refund(chargeId, 500)).status).toBe(200);
    await until("the second refund", async () => (await succeeded())[1] ?? null);
    expect(await merchant.read(`charges/${chargeId}`)).toMatchObject({ amount_refunded: 1500 });
    expect((await listOf(merchant.tenant)).map((one) => [one.id, one.replaced])).toEqual([
      [current, null],
      [id, expect.any(Number)],
    ]);
  });

  it("accepts notifications with the new HMAC key, and no longer with the old one", async () => {
    const { merchant, id } = await replaced();
    const newKey = "B".repeat(64);
    const item = {
      pspReference: "REPORT0000000001",
      merchantAccountCode: "KilnAndClay",
      merchantReference: "",
      amount: { value: 0, currency: "EUR" },
      eventCode: "REPORT_AVAILABLE",
      success: "true",
    } as const;
    const notify = async (key: string) => (await adyen.notify(service, id, signedNotification(item, key))).status;
    expect([await notify(newKey), await notify(adyenHmacKey)]).toEqual([401, 200]);
    await set(merchant.tenant, { ...adyen.entered, id, credentials: { api_key: adyenApiKey, hmac_keys: [newKey] } });
    expect([await notify(newKey), await notify(adyenHmacKey)]).toEqual([200, 401]);
  });

  it("changes settings alone, keeps the keys, and leaves the current acquirer account alone", async () => {
    const { merchant, id, current } = await replaced();
    const { tenant } = merchant;
    const versions = [await versionsOf(id), await versionsOf(current)];
    const changed = { ...withoutCredentials(withSettings({ multiple_partial_captures: true })), id };
    expect(await set(tenant, changed)).toEqual({ id, change: "changed", isCurrent: false });
    expect(await set(tenant, changed)).toEqual({ id, change: "unchanged", isCurrent: false });
    expect([await versionsOf(id), await versionsOf(current)]).toEqual(versions);
    expect([await supports(tenant, id), await supports(tenant, current)]).toEqual([true, false]);
    const { acquirer_account_id } = await service.context.db
      .selectFrom("decision")
      .select("acquirer_account_id")
      .where("id", "=", String((await merchant.decide("pm_card_visa"))["id"]))
      .executeTakeFirstOrThrow();
    expect(acquirer_account_id).toBe(current);
    expect((await auditOf(service, merchant.accountId)).at(-1)).toBe(`acquirer_account.changed ${id} by cli test`);
  });

  it("changes the current one too, if it has the ID", async () => {
    const { merchant, current } = await replaced();
    const settings = { ...other.entered.settings, multiple_partial_captures: true };
    const changed = { ...other.entered, settings, id: current };
    expect(await set(merchant.tenant, changed)).toEqual({ id: current, change: "changed", isCurrent: true });
    expect(await supports(merchant.tenant, current)).toBe(true);
  });

  it("uses the new keys in another process within a minute", async () => {
    const { merchant, id } = await replaced();
    const elsewhere = { ...service.context, acquirerAccounts: { forget: () => {} } };
    const expired = { ...withKey("a-key-that-has-expired"), id };
    expect(await authorizeWith(merchant.tenant, id)).toMatchObject({ outcome: "approved" });
    await withoutTryingOut(service, () => setAcquirerAccount(elsewhere, merchant.tenant, expired, "cli test"));
    service.moveClock(60_000);
    expect(await authorizeWith(merchant.tenant, id)).toMatchObject({ outcome: "unknown" }); // Adyen refuses the key
  });

  it("emails the owners that only earlier payments use it", async () => {
    const { merchant, id } = await replaced();
    const { visitor } = await signInToWorkspace(service, merchant, "owner");
    expect((await change(merchant, { id })).status).toBe(200);
    const email = await until(
      "the email",
      async () => emailsTo(service, visitor.email).find((text) => text.includes("Adyen")) ?? null,
    );
    expect(email).toContain("only used for test payments that were made with it");
  });

  it("needs step-up", async () => {
    const { merchant, id } = await replaced();
    const stale = await newOperator(service);
    await expireStepUp(service, stale);
    const body = { livemode: false, ...adyen.entered, id };
    expect(refusalOf(await stale.call("POST", path(merchant), body))).toBe("403 step_up_required");
  });

  it.each<[string, (ids: { id: string; live: string; foreign: string }) => object, string]>([
    ["another merchant account", ({ id }) => ({ ...other.entered, id }), "400 parameter_invalid settings"],
    ["another account's ID", ({ foreign }) => ({ id: foreign }), "400 resource_missing id"],
    ["the ID of the other mode", ({ live }) => ({ id: live }), "400 resource_missing id"],
    ["the other mode", ({ id }) => ({ id, livemode: true, settings: liveSettings }), "400 resource_missing id"],
    [
      "an unknown ID",
      ({ id }) => ({ id: id.replace(/.$/, (last) => (last === "0" ? "1" : "0")) }),
      "400 resource_missing id",
    ],
    ["no ID at all", () => ({ id: "" }), "400 parameter_invalid id"],
  ])("refuses %s, and changes nothing", async (_name, wrong, refusal) => {
    const [{ merchant, id, current }, stranger] = [await replaced(), await replaced()];
    const liveTenant = { ...merchant.tenant, livemode: true };
    const { id: live } = await setLive(liveTenant);
    const state = async () => [
      await listOf(merchant.tenant),
      await listOf(stranger.merchant.tenant),
      await Promise.all([id, current, live, stranger.id].map(versionsOf)),
    ];
    const [before, entries] = [await state(), await auditOf(service, merchant.accountId)];
    const response = await change(merchant, wrong({ id, live, foreign: stranger.id }));
    expect(refusalOf(response)).toBe(refusal);
    expect(response.text).not.toContain(adyenApiKey);
    expect(await state()).toEqual(before);
    expect(await auditOf(service, merchant.accountId)).toEqual(entries);
  });
});

describe("a payment", () => {
  it("keeps the acquirer account that it was made with", async () => {
    const merchant = await newMerchant(service);
    const before = await acquirerOf(merchant);
    const { id: first } = await set(merchant.tenant);
    const during = await acquirerOf(merchant);
    const { id: second } = await set(merchant.tenant, other.entered);
    const after = await acquirerOf(merchant);
    expect([before.id, during.id, after.id]).toEqual([null, first, second]);
    expect(await acquirerOf(merchant, during.decision)).toMatchObject({ id: first });

    const [old, current] = [await authorizeWith(merchant.tenant, first), await authorizeWith(merchant.tenant, second)];
    expect((await adyen.ledger(old.reference)).payments).toHaveLength(1);
    expect((await other.ledger(old.reference)).payments).toEqual([]);
    expect((await other.ledger(current.reference)).payments).toHaveLength(1);
    expect(await acquirerFor(service.context, merchant.tenant, null)).toBe(service.context.vault.test);
  });

  it("never uses another merchant's acquirer account", async () => {
    const [one, stranger] = [await newMerchant(service), await newMerchant(service)];
    const { id } = await set(one.tenant);
    expect(await acquirerFor(service.context, one.tenant, id)).not.toBeNull();
    expect(await acquirerFor(service.context, stranger.tenant, id)).toBeNull();
    expect((await acquirerOf(stranger)).id).toBeNull();
    for (const unknown of ["aa_1", "", id.replace(/.$/, (last) => (last === "0" ? "1" : "0"))])
      expect(await acquirerFor(service.context, one.tenant, unknown)).toBeNull();
  });

  it("can be made with the acquirer's test cards in test mode, besides the sandbox's", async () => {
    const [merchant, stranger] = [await newMerchant(service), await newMerchant(service)];
    const [adyensCard, realNumber] = ["4988438843884305", "4012888888881881"];
    const refused = invalid("not_a_test_card", "card");
    const checkout = await merchant.checkout();
    expectError(await checkout.pay(adyensCard), refused);
    const id = await adyen.connect(service, merchant.tenant);
    expectError(await checkout.pay(realNumber), refused);
    for (const [opened, card] of [
      [checkout, adyensCard],
      [await merchant.checkout(), cardNumbers.approved],
    ] as const) {
      const { payment } = (await opened.pay(card)).body;
      expect(payment).toMatchObject({ status: "succeeded" });
      expect((await acquirerOf(merchant, String(payment?.["id"]))).id).toBe(id);
    }
    expectError(await (await stranger.checkout()).pay(adyensCard), refused);
  });

  it("isn't affected by another account's broken credentials", async () => {
    const [broken, fine] = [await newMerchant(service), await newMerchant(service)];
    const [{ id: brokenId }, { id }] = [await set(broken.tenant), await set(fine.tenant)];
    await breakAcquirerAccount(brokenId);
    expect(await acquirerFor(service.context, broken.tenant, brokenId)).toBeNull();
    expectError(await broken.call("POST", "/api/v1/checkout_sessions", order), noAcquirer);
    expect(await authorizeWith(fine.tenant, id)).toMatchObject({ outcome: "approved" });
    expect((await fine.call("POST", "/api/v1/checkout_sessions", order)).status).toBe(200);
    await set(broken.tenant);
    expect(await authorizeWith(broken.tenant, brokenId)).toMatchObject({ outcome: "approved" });
  });

  it("gets notifications again later if its acquirer account can't be opened, and an item is raised", async () => {
    const merchant = await newMerchant(service);
    const id = await adyen.connect(service, merchant.tenant);
    await breakAcquirerAccount(id);
    const body = signedNotification({
      pspReference: "REPORT0000000002",
      merchantAccountCode: "KilnAndClay",
      merchantReference: "",
      amount: { value: 0, currency: "EUR" },
      eventCode: "REPORT_AVAILABLE",
      success: "true",
    });
    for (let i = 0; i < 2; i++) expect((await adyen.notify(service, id, body)).status).toBe(503);
    expect(await attentionOf(merchant.tenant)).toMatchObject([{ kind: "acquirer_unusable", subject: id }]);
    await set(merchant.tenant);
    expect((await adyen.notify(service, id, body)).status).toBe(200);
  });

  it("uses changed settings in another process within a minute", async () => {
    const { tenant } = await newMerchant(service);
    const { id } = await set(tenant);
    expect(await supports(tenant, id)).toBe(false);
    const elsewhere = { ...service.context, acquirerAccounts: { forget: () => {} } };
    const { credentials } = withKey("a-wrong-api-key");
    const changed = { ...withSettings({ multiple_partial_captures: true }), credentials };
    await withoutTryingOut(service, () => setAcquirerAccount(elsewhere, tenant, changed, "cli test"));
    service.moveClock(50_000);
    expect(await supports(tenant, id)).toBe(false);
    expect(await authorizeWith(tenant, id)).toMatchObject({ outcome: "approved" });
    service.moveClock(10_000);
    expect(await supports(tenant, id)).toBe(true);
    expect(await authorizeWith(tenant, id)).toMatchObject({ outcome: "unknown" }); // Adyen refuses the key
  });

  /** Its credentials can't be found. */
  async function breakAcquirerAccount(id: string): Promise<void> {
    const account = service.context.db.updateTable("acquirer_account").where("id", "=", id);
    await account.set({ credentials_version: "none" }).execute();
    service.context.acquirerAccounts.forget(id);
  }

  async function attentionOf({ accountNo }: Tenant) {
    const items = service.context.db.selectFrom("attention").selectAll().where("account_no", "=", accountNo);
    return await items.orderBy("id").execute();
  }

  /** Which acquirer account a decision has: a new one, or the one with this ID. */
  async function acquirerOf(merchant: Merchant, decision?: string): Promise<{ decision: string; id: string | null }> {
    const id = decision ?? String((await merchant.decide("pm_card_visa"))["id"]);
    const row = service.context.db.selectFrom("decision").select("acquirer_account_id").where("id", "=", id);
    return { decision: id, id: (await row.executeTakeFirstOrThrow()).acquirer_account_id };
  }
});

describe("live mode", () => {
  it("takes payments with an acquirer account alone, without a default acquirer and a merchant ID", async () => {
    const merchant = await newMerchant(service, { livemode: true });
    const create = () => merchant.call("POST", "/api/v1/checkout_sessions", order);
    expectError(await create(), noAcquirer);
    expectError(await merchant.refund("ch_none"), noAcquirer);
    const { id } = await setLive(merchant.tenant);
    expect((await create()).status).toBe(200);
    expectError(await merchant.refund("ch_none"), invalid("resource_missing", "charge_id"));
    const [decision] = [await merchant.checkout()];
    expect(decision.sessionId).toMatch(/^cs_/);
    expect(await acquirerFor(service.context, merchant.tenant, null)).toBeNull();
    expect(await acquirerFor(service.context, merchant.tenant, id)).toMatchObject({ mode: "live" });
  });

  it("isn't affected by a test-mode acquirer account", async () => {
    const merchant = await newMerchant(service, { livemode: true });
    await set({ ...merchant.tenant, livemode: false });
    expectError(await merchant.call("POST", "/api/v1/checkout_sessions", order), noAcquirer);
  });
});

describe("an amount that the acquirer can't express", () => {
  const rupiah = { amount: 150, currency: "idr" }; // ISO 4217 has two decimals, Adyen has none
  const afghani = { amount: 4900, currency: "afn" };
  const pay = (merchant: Merchant, path: string, money: object) =>
    merchant.call("POST", `/api/v1/${path}`, {
      ...money,
      ...(path === "checkout_sessions" ? {} : { payment_method_id: "pm_card_visa" }),
      ...(path === "charges" ? { decision_id: "dec_none" } : {}),
    });

  it.each(["checkout_sessions", "decisions", "charges"])("is refused when it's sent to %s", async (path) => {
    const merchant = await newMerchant(service);
    await set(merchant.tenant);
    const whole = await pay(merchant, path, { ...rupiah, amount: 15_000_00 });
    expect(refusedCode(whole)).not.toMatch(/amount|currency/);
    const fraction = await pay(merchant, path, rupiah);
    expectError(fraction, invalid("amount_invalid", "amount"));
    expect(String(fraction.body["error"]?.["message"])).toContain("IDR 1.50".replace(" ", "\u00a0"));
    const unknown = await pay(merchant, path, afghani);
    expectError(unknown, invalid("currency_unknown", "currency"));
    expect(String(unknown.body["error"]?.["message"])).toContain("AFN");
  });

  it("is accepted by the default acquirer", async () => {
    const merchant = await newMerchant(service);
    for (const money of [rupiah, afghani]) expect((await pay(merchant, "checkout_sessions", money)).status).toBe(200);
  });

  it("is refused before a card is saved in that currency", async () => {
    const merchant = await newMerchant(service);
    await set(merchant.tenant);
    const setup = (currency: string) => merchant.call("POST", "/api/v1/checkout_sessions", { mode: "setup", currency });
    expectError(await setup("afn"), invalid("currency_unknown", "currency"));
    expect((await setup("eur")).status).toBe(200);
  });

  const refusedCode = ({ body }: ApiResponse) => String(body["error"]?.["code"]);
});

describe("the operator console", () => {
  const path = (accountId: string) => `/operator/accounts/${accountId}/acquirers`;
  const entered = (changes: object = {}) => ({ livemode: false, ...adyen.entered, ...changes });
  const listed = ({ body }: ApiResponse) => body["data"] as unknown as Json[]; // a list's data is an array

  it("sets and lists acquirer accounts, and emails the owners after a change", async () => {
    const merchant = await newMerchant(service);
    const { visitor } = await signInToWorkspace(service, merchant, "owner");
    const { accountId } = merchant;
    expect(listed(await operator.call("GET", path(accountId)))).toEqual([]);
    const created = await operator.call("POST", path(accountId), entered());
    const [acquirer] = listed(created);
    expect(acquirer).toEqual({
      id: expect.stringMatching(/^aa_/),
      livemode: false,
      connector: "adyen",
      settings: adyen.entered.settings,
      notification_url: `${service.config.apiUrl}/acquirers/${String(acquirer?.["id"])}/notifications`,
      created: expect.any(Number),
      updated: expect.any(Number),
      replaced: null,
    });
    expect((await operator.call("GET", path(accountId))).body).toEqual(created.body);
    const emails = () => emailsTo(service, visitor.email).filter((text) => text.includes("Adyen"));
    const email = await until("the email", async () => emails()[0] ?? null);
    expect(email).not.toContain(operator.email);
    expect(email).toContain(adyen.bankUrl);
    await operator.call("POST", path(accountId), entered({ credentials: undefined }));
    await operator.call("POST", path(accountId), entered(other.entered));
    await until("the second email", async () => emails()[1] ?? null);
    expect(emails()).toHaveLength(2);
    expect(listed(await operator.call("GET", path(accountId)))).toHaveLength(2);
    const audit = await visitor.inWorkspace("GET", "audit");
    expect(audit.text).toContain("acquirer_account.replaced");
    expect(audit.text).not.toContain(operator.email);
  });

  it.each<[string, object, string]>([
    ["an http URL", { settings: { merchant_account: "x", api_url: "http://adyen.example/v72" } }, "settings.api_url"],
    [
      "another company's server",
      { settings: { merchant_account: "x", api_url: "https://adyen.example/v72" } },
      "settings.api_url",
    ],
    ["a wrong key", { credentials: { api_key: adyenApiKey, hmac_keys: ["hunter2"] } }, "credentials.hmac_keys"],
    ["an unknown field", { settings: { merchantAccount: "x" } }, "settings"],
    ["an unknown credential", { credentials: { password: "hunter2" } }, "credentials"],
    ["an unknown connector", { connector: "sandbox" }, "connector"],
    ["no mode", { livemode: undefined }, "livemode"],
  ])("refuses %s with the field's name", async (_name, changes, param) => {
    const { accountId } = await newMerchant(service);
    const { status, body, text } = await operator.call("POST", path(accountId), entered(changes));
    expect({ status, param: body["error"]?.["param"] }).toEqual({ status: 400, param });
    expect(text).not.toContain("hunter2");
    expect(listed(await operator.call("GET", path(accountId)))).toEqual([]);
  });

  it("doesn't undo the change of an operator whose change wasn't seen", async () => {
    const { accountId } = await newMerchant(service);
    const post = (entered: EnteredAcquirer) => operator.call("POST", path(accountId), { livemode: false, ...entered });
    const created = await post({ ...adyen.entered, seen: null });
    expect(refusalOf(created)).toBe("200");
    expect(refusalOf(await post({ ...other.entered, seen: null }))).toBe("409 changed_meanwhile");
    const { id, settings } = (created.body as unknown as OperatorAcquirers).data[0] ?? { id: "", settings: {} };
    const partial = withoutCredentials(withSettings({ multiple_partial_captures: true }));
    expect(refusalOf(await post({ ...partial, seen: { id, settings } }))).toBe("200");
    const refused = await post({ ...adyen.entered, seen: { id, settings } });
    expect(refusalOf(refused)).toBe("409 changed_meanwhile");
    expect(refused.body["error"]?.["message"]).toContain("You have changed this acquirer account");
    // A retry whose first response was lost
    expect(refusalOf(await post({ ...partial, seen: { id, settings } }))).toBe("200");
  });

  it("is only for operators, and changes need step-up", async () => {
    const merchant = await newMerchant(service);
    const { visitor } = await signInToWorkspace(service, merchant, "owner");
    expect(refusalOf(await visitor.call("GET", path(merchant.accountId)))).toMatch(/^404 /);
    expect(refusalOf(await visitor.call("POST", path(merchant.accountId), entered()))).toMatch(/^404 /);
    expect(refusalOf(await operator.call("GET", path("acct_none")))).toBe("404 resource_missing");
    expect(refusalOf(await operator.call("POST", path("acct_none"), entered()))).toBe("404 resource_missing");
    const stale = await newOperator(service);
    await expireStepUp(service, stale);
    expect(refusalOf(await stale.call("POST", path(merchant.accountId), entered()))).toBe("403 step_up_required");
    expect((await stale.call("GET", path(merchant.accountId))).status).toBe(200);
  });
});

describe("credentials", () => {
  it("are in no table, log, response or email", async () => {
    const { accountId } = await newMerchant(service);
    await operator.call("POST", `/operator/accounts/${accountId}/acquirers`, { livemode: false, ...adyen.entered });
    const response = await operator.call("GET", `/operator/accounts/${accountId}/acquirers`);
    const everything = [
      await dumpDatabase(service.context.db),
      service.log.join("\n"),
      service.responses.join("\n"),
      response.text,
    ].join("\n");
    expect(everything).toContain(accountId);
    for (const secret of [adyenApiKey, adyenHmacKey])
      for (const encoding of ["utf8", "hex", "base64"] as const)
        expect(everything.toLowerCase()).not.toContain(Buffer.from(secret).toString(encoding).toLowerCase());
  });
});

let count = 0;
/** An authorization with the acquirer account. The reference is that of an attempt. */
async function authorizeWith(tenant: Tenant, id: string): Promise<{ outcome: string; reference: string }> {
  const acquirer = await acquirerFor(service.context, tenant, id);
  if (acquirer === null) throw new Error(`Expected ${id} to be usable`);
  const reference = `att_of_the_test_${count++}`;
  const card = { paymentMethodId: "pm_card_visa", accountNo: tenant.accountNo };
  const usage = { kind: "stored_by_merchant", firstNetworkTransactionId: null } as const;
  const request = { ...order, reference, usage, usesCvc: false, isRepeated: false, capture: true };
  const { outcome } = await acquirer.authorize(card, request);
  return { outcome, reference };
}
