/**
 * Tests an attacker with write access to the database who moves a merchant's encrypted records to another merchant.
 * They can't be decrypted there, and each attempt is audited.
 */
import { Webhook } from "standardwebhooks";
import { beforeEach, describe, expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { applicationIn, completeApplication, personalData, save } from "./setup/application.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { newOperator, newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { newMerchant } from "./setup/merchant.ts";
import { startTestService } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";
import { startWebhookReceiver } from "./setup/webhook-receiver.ts";
import { moveToAccount, withoutForeignKeys } from "./setup/without-foreign-keys.ts";

const receiver = await openForTests(startWebhookReceiver());
const service = await openForTests(startTestService());
let owner: Visitor;
let thief: Visitor;
beforeEach(async () => {
  owner = await newVisitor(service, { accountName: "Kiln Street" });
  thief = await newVisitor(service, { accountName: "Mill Street" });
});

/** Waits for audit log entries about the object and returns them. */
const sealsBroken = (id: string) =>
  until(`an audit entry about ${id}`, async () => {
    const entries = service.context.db.selectFrom("audit_log").selectAll().where("object_id", "=", id);
    const rows = await entries.where("action", "=", "service.seal_broken").execute();
    return rows.length === 0 ? null : rows;
  });

describe("a webhook endpoint that was moved to another account", () => {
  it("doesn't show its signing secret there, but shows it to its own account (control)", async () => {
    const created = await owner.inWorkspace("POST", "webhook_endpoints", { url: `${receiver.url}/moved` });
    const id = String(created.body["id"]);
    const moveTo = (accountNo: number) => moveToAccount(service.context.db, "webhook_endpoint", id, accountNo);
    expect((await owner.inWorkspace("POST", `webhook_endpoints/${id}/reveal`, {})).body).toEqual({
      secret: created.body["secret"],
    });

    await moveTo(thief.accountNo);
    const revealed = await thief.inWorkspace("POST", `webhook_endpoints/${id}/reveal`, {});

    expect(revealed.text).not.toContain("whsec_");
    expect(refusalOf(revealed)).toBe("500 internal_error");
    expect(await sealsBroken(id)).toMatchObject([
      {
        account_id: thief.accountId,
        outcome: "refused",
        actor: "service",
        details: { what: "webhook_endpoint.secret" },
      },
    ]);
    await moveTo(owner.accountNo);
    expect((await owner.inWorkspace("POST", `webhook_endpoints/${id}/reveal`, {})).body).toEqual({
      secret: created.body["secret"],
    });
  });

  it("doesn't sign that account's events with it", async () => {
    const created = await owner.inWorkspace("POST", "webhook_endpoints", { url: `${receiver.url}/not-signed` });
    const id = String(created.body["id"]);
    const merchant = await newMerchant(service);
    const { tenant, accountId } = merchant;
    await moveToAccount(service.context.db, "webhook_endpoint", id, tenant.accountNo);

    await merchant.charge("pm_card_visa");

    expect(await sealsBroken(id)).toMatchObject([
      { account_id: accountId, details: { what: "webhook_endpoint.secret" } },
    ]);
    expect(receiver.received.filter(({ path }) => path === "/not-signed")).toEqual([]);
  });

  it("signs normally when it wasn't moved (control)", async () => {
    const created = await owner.inWorkspace("POST", "webhook_endpoints", { url: `${receiver.url}/signed` });
    await owner.inWorkspace("POST", `webhook_endpoints/${created.body["id"]}/test`, {});
    const { body, headers } = await until(
      "the test event",
      () => receiver.received.find(({ path }) => path === "/signed") ?? null,
    );
    expect(() => new Webhook(String(created.body["secret"])).verify(body, headers)).not.toThrow();
  });
});

describe("an application that was moved to another account", () => {
  it("can't be decrypted there", async () => {
    const id = String((await save(owner, completeApplication)).body["application"]?.["id"]);
    await withoutForeignKeys(service.context.db, (tx) =>
      tx.updateTable("application").set({ account_no: thief.accountNo }).where("id", "=", id).execute(),
    );

    const response = await thief.inWorkspace("GET", "application");

    for (const text of personalData) expect(response.text).not.toContain(text);
    expect(refusalOf(response)).toBe("500 internal_error");
    expect(await sealsBroken(id)).toMatchObject([
      { account_id: thief.accountId, details: { what: "application.details" } },
    ]);
  });
});

describe("a document that was moved to another account's application", () => {
  it("is neither listed nor downloadable there, but its own account and an operator get it (control)", async () => {
    const operator = await newOperator(service);
    const applications = [
      await applicationIn("submitted", owner, operator),
      await applicationIn("submitted", thief, operator),
    ] as const;
    const documents = service.context.db.selectFrom("application_document").select("id");
    const { id } = await documents.where("application_id", "=", applications[0]).executeTakeFirstOrThrow();
    const download = async (visitor: Visitor) =>
      refusalOf(await visitor.inWorkspace("GET", `application/documents/${id}`));
    expect(await download(owner)).toBe("200");
    expect(refusalOf(await operator.call("GET", `/operator/applications/${applications[0]}/documents/${id}`))).toBe(
      "200",
    );

    const place = { account_no: thief.accountNo, application_id: applications[1] };
    await withoutForeignKeys(service.context.db, async (tx) => {
      await tx.updateTable("application_document").set(place).where("id", "=", id).execute();
      const content = tx.updateTable("application_document_content").set({ account_no: thief.accountNo });
      await content.where("document_id", "=", id).execute();
    });

    expect(refusalOf(await thief.inWorkspace("GET", "application"))).toBe("500 internal_error");
    expect(await download(thief)).toBe("500 internal_error");
    expect((await sealsBroken(id)).map(({ account_id }) => account_id)).toContain(thief.accountId);
  });
});
