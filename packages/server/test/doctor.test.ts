/** Tests what `oriel-server doctor` says about email and about accounts' own acquirers. */
import { describe, expect, it } from "vitest";
import { freePort } from "../../../scripts/test/free-port.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { checkAcquirerAccounts } from "../src/commands/doctor/check-acquirer-accounts.ts";
import { checkMailServer, checkQueuedEmails } from "../src/commands/doctor/check-emails.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { setAcquirerAccount } from "../src/merchants/accounts/acquirer-accounts.ts";
import { queueEmail } from "../src/merchants/emails/outbox.ts";
import { ownedBy } from "../src/platform/storage/owned-by.ts";
import { startAdyen, withoutTryingOut } from "./setup/adyen.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startSmtpServer } from "./setup/smtp-server.ts";
import { startTestService } from "./setup/test-service.ts";

const adyen = await openForTests(startAdyen());
const service = await openForTests(startTestService({ role: "api", bankUrl: adyen.bankUrl }));

describe("the check of the mail server", () => {
  it("signs in to it, and warns of a sender that can't exist", async () => {
    const smtp = await startSmtpServer();
    const check = (from: string) => checkMailServer({ mail: { smtpUrl: smtp.url, from }, dataDir: "" });
    expect(await check("pay@kilnstreet.shop")).toEqual({
      verdict: "ok",
      found: `${new URL(smtp.url).host} accepts connections; emails are sent from pay@kilnstreet.shop`,
    });
    expect(await check("Oriel <oriel@localhost>")).toMatchObject({
      verdict: "warning",
      found: expect.stringMatching(/Oriel <oriel@localhost>, which isn't at a public domain$/),
      todo: expect.stringMatching(/^set ORIEL_MAIL_FROM/),
    });
    await smtp.close();
    const failed = await check("pay@kilnstreet.shop");
    expect(failed).toMatchObject({ verdict: "failed", found: expect.stringContaining("ECONNREFUSED") });
    expect(smtp.received).toEqual([]);
  });
});

describe("the check of queued emails", () => {
  it("fails if the oldest one has waited for ten minutes, and says why", async () => {
    const { db, now } = service.context;
    const check = async () => await checkQueuedEmails(db, now());
    expect(await check()).toEqual({ verdict: "ok", found: "none are waiting" });
    await queueEmail(service.context, db, "sign-in", { to: "ann@shop.example", subject: "Come in", text: "" });
    expect(await check()).toMatchObject({ verdict: "ok", found: expect.stringMatching(/^1 waiting/) });
    service.moveClock(11 * 60_000);
    expect(await check()).toMatchObject({ verdict: "failed", todo: expect.stringContaining("start a worker") });
    await db.updateTable("email").set({ tries: 4, failure: "EAUTH" }).execute();
    expect(await check()).toMatchObject({
      verdict: "failed",
      found: expect.stringMatching(/^1 waiting, the oldest due since .*, after 4 failed attempts \(EAUTH\)$/),
    });
  });
});

describe("the check of acquirer accounts", () => {
  it("opens the credentials of each one and tries them out at the vendor", async () => {
    const { context } = service;
    const { db, now } = context;
    const check = async () => await checkAcquirerAccounts(db, context.vault, { live: false });
    expect(await check()).toEqual({ verdict: "ok", found: "no account has its own" });
    const [first, second] = [await newMerchant(service), await newMerchant(service)];
    await adyen.connect(service, first.tenant);
    await setAccountStatus(db, first.accountId, "suspended", now(), "test");
    expect(await check()).toEqual({ verdict: "ok", found: "1 can be used, 1 of them by suspended accounts" });

    const wrong = {
      ...adyen.entered,
      credentials: { ...adyen.entered.credentials, api_key: "no-longer-valid-at-this-vendor" },
    };
    const { id } = await withoutTryingOut(service, () => setAcquirerAccount(context, second.tenant, wrong, "test"));
    const warning = await check();
    expect(warning).toMatchObject({
      todo: "check the key's roles at the vendor, or enter other credentials with `oriel-server acquirer set`",
      verdict: "warning",
      found: `1 of 2 can't be used: ${id} (test): Adyen doesn't accept this API key at this URL (HTTP 401).`,
    });
    expect(JSON.stringify(warning)).not.toContain("no-longer-valid");
    await db.updateTable("acquirer_account").set({ credentials_version: "gone" }).where("id", "=", id).execute();
    expect((await check()).found).toContain(`${id} (test): The stored credentials can't be read`);

    await db.updateTable("acquirer_account").set({ livemode: true }).where("id", "=", id).execute();
    expect(await check()).toMatchObject({ verdict: "failed", found: expect.stringContaining(`${id} (live): `) });
    await setAccountStatus(db, second.accountId, "suspended", now(), "test");
    const found = expect.stringContaining(`${id} (live, suspended): `);
    expect(await check()).toMatchObject({ verdict: "warning", found });
  });

  it("doesn't suggest other credentials if the vendor can't be reached", async () => {
    const { context } = service;
    const { tenant } = await newMerchant(service);
    await adyen.connect(service, tenant);
    const api_url = `http://127.0.0.1:${await freePort()}/v72`;
    const settings = JSON.stringify({ ...adyen.entered.settings, api_url });
    await context.db.updateTable("acquirer_account").set({ settings }).where(ownedBy(tenant)).execute();
    const { found, todo } = await checkAcquirerAccounts(context.db, context.vault, { live: false });
    expect(found).toContain("ECONNREFUSED");
    expect(todo).toContain("check that this machine can reach the API URL");
  });
});
