/**
 * Tests disputes and what needs attention in the dashboard: the lists, the counts, a payment's details, and resolving
 * an item. `dashboard-roles.test.ts` tests who may do it, and `dashboard-other-merchants.test.ts` whose they are.
 */
import { beforeEach, describe, expect, it } from "vitest";
import type { AttentionKind } from "@oriel/protocol/api";
import type { DisputeStep } from "@oriel/vault";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { raiseAttention } from "../src/payments/attention/raise-attention.ts";
import { recordDisputeStep } from "../src/payments/disputes/record-dispute.ts";
import { expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { newWorkspace, signInToWorkspace, type Workspace } from "./setup/dashboard-member.ts";
import { startTestService, type Json } from "./setup/test-service.ts";

const service = await openForTests(startTestService());
let workspace: Workspace;
let chargeId: string;
beforeEach(async () => {
  workspace = await newWorkspace(service);
  chargeId = String((await workspace.merchant.charge("pm_card_visa")).body["id"]);
});

const idsOf = (objects: Json[]) => objects.map((object) => String(object["id"]));

async function raise(kind: AttentionKind, subject = "att_1", isNew = true): Promise<void> {
  const details = { acquirer_id: "PSP1", amount: 4900, currency: "eur" };
  const concern = { kind, subject, chargeId, attemptId: null, details };
  const { context } = service;
  expect(
    await context.db.transaction().execute((tx) => raiseAttention(context, tx, workspace.merchant.tenant, concern)),
  ).toBe(isNew);
}

async function dispute(step: DisputeStep, acquirerId: string): Promise<void> {
  const money = { amount: 5200, currency: "usd" };
  const subject = { acquirerId, authorizationId: null, reference: chargeId, money };
  const unsigned = { reasonCode: "10.4", respondBy: "2030-01-31T12:00:00Z" };
  const { db, now } = service.context;
  await db
    .transaction()
    .execute((tx) => recordDisputeStep({ now }, tx, workspace.merchant.tenant, { chargeId, step, subject, unsigned }));
}

describe("disputes", () => {
  it("are listed newest first, with deadline, reason code and the acquirer's ID", async () => {
    await dispute("dispute_opened", "DISPUTE1");
    await dispute("chargeback", "DISPUTE2");
    const all = await workspace.list("disputes");
    expect(all).toMatchObject([{ acquirer_id: "DISPUTE2" }, { acquirer_id: "DISPUTE1" }]);
    expect(all[0]).toMatchObject({
      charge_id: chargeId,
      amount: 5200,
      currency: "usd",
      reason: "10.4",
      respond_by: Date.UTC(2030, 0, 31, 12) / 1000,
    });
  });

  it("are filtered by status, in pages", async () => {
    await dispute("dispute_opened", "DISPUTE1");
    await dispute("second_chargeback", "DISPUTE2");
    await dispute("dispute_opened", "DISPUTE3");
    expect(await workspace.list("disputes?status=lost")).toMatchObject([{ acquirer_id: "DISPUTE2" }]);
    const first = await workspace.read("disputes?status=needs_response&limit=1");
    expect(first).toMatchObject({ data: [{ acquirer_id: "DISPUTE3" }], has_more: true });
    const [id] = idsOf(first["data"] as unknown as Json[]); // a list's data is an array
    const rest = await workspace.read(`disputes?status=needs_response&limit=1&starting_after=${id}`);
    expect(rest).toMatchObject({ data: [{ acquirer_id: "DISPUTE1" }], has_more: false });
  });

  it("can't be filtered by an unknown status", async () => {
    expect(refusalOf(await workspace.visitor.inWorkspace("GET", "disputes?status=open"))).toMatch(/^400 .* status$/);
  });

  it("are part of their payment's details, with what moved and with their events", async () => {
    await dispute("chargeback", "DISPUTE1");
    const payment = await workspace.read(`payments/${chargeId}`);
    expect(payment).toMatchObject({
      disputes: [{ acquirer_id: "DISPUTE1", status: "needs_response" }],
      ledger: [
        { kind: "capture", amount: 4900, currency: "eur" },
        { kind: "chargeback", amount: -5200, currency: "usd", reference: "DISPUTE1" },
      ],
    });
    const entries = payment["timeline"] as unknown as Json[]; // an array according to the contract
    expect(entries.map(({ event }) => event?.["type"])).toContain("dispute.created");
    const [id = ""] = idsOf(await workspace.list("disputes"));
    expect(idsOf(await workspace.list(`payments?search=${id}`))).toEqual([chargeId]);
  });
});

describe("what needs attention", () => {
  it("is listed newest first, open or resolved, and is part of its payment's details", async () => {
    await raise("fraud_reported");
    await raise("operation_overdue");
    const items = await workspace.list("attention?state=open");
    expect(items).toMatchObject([{ kind: "operation_overdue" }, { kind: "fraud_reported" }]);
    expect(items[0]).toMatchObject({
      charge_id: chargeId,
      details: { acquirer_id: "PSP1", amount: 4900, currency: "eur" },
      resolved: null,
      resolved_by: null,
    });
    expect(await workspace.list("attention?state=resolved")).toEqual([]);
    expect((await workspace.read(`payments/${chargeId}`))["attention"]).toEqual(items);
  });

  it("is reported to the merchant's server once, with what is known about it", async () => {
    const reported = async () =>
      (await workspace.merchant.events()).filter(({ type }) => String(type) === "account.needs_attention");
    await raise("fraud_reported");
    const [item] = await workspace.list("attention");
    const [event, ...more] = await reported();
    expect(more).toEqual([]);
    expect(event).toMatchObject({ object_sequence: 1, request: { id: null, idempotency_key: null } });
    expect(event?.["data"]).toEqual({
      object: {
        id: item?.["id"],
        object: "attention_item",
        livemode: false,
        created: item?.["created"],
        kind: "fraud_reported",
        charge_id: chargeId,
        details: { acquirer_id: "PSP1", amount: 4900, currency: "eur" },
      },
    });

    await workspace.post(`attention/${String(item?.["id"])}/resolve`);
    await raise("fraud_reported", "att_1", false);
    expect(await reported()).toHaveLength(1);
    await raise("fraud_reported", "att_2");
    expect(await reported()).toHaveLength(2);

    for (const id of [event?.["id"], item?.["id"]])
      expect(idsOf(await workspace.list(`payments?search=${String(id)}`))).toEqual([chargeId]);
  });

  it("is counted while it's open, with disputes that need a response", async () => {
    expect(await workspace.read("attention/count")).toEqual({ attention: 0, disputes: 0 });
    await raise("fraud_reported");
    await raise("operation_overdue");
    await dispute("dispute_opened", "DISPUTE1");
    await dispute("second_chargeback", "DISPUTE2");
    expect(await workspace.read("attention/count")).toEqual({ attention: 2, disputes: 1 });
    const [id] = idsOf(await workspace.list("attention"));
    await workspace.post(`attention/${id}/resolve`);
    expect(await workspace.read("attention/count")).toEqual({ attention: 1, disputes: 1 });
  });

  it("doesn't include the other mode's items", async () => {
    await raise("fraud_reported");
    const { accountId } = workspace.visitor;
    expect((await workspace.visitor.call("GET", `/data/${accountId}/live/attention`)).body["data"]).toEqual([]);
    const counts = await workspace.visitor.call("GET", `/data/${accountId}/live/attention/count`);
    expect(counts.body).toEqual({ attention: 0, disputes: 0 });
  });
});

describe("resolving an item", () => {
  const open = async (kind: AttentionKind): Promise<string> => {
    await raise(kind);
    const [id = ""] = idsOf(await workspace.list("attention"));
    return id;
  };

  it("records who resolved it, in the item and in the audit log", async () => {
    const id = await open("fraud_reported");
    const { status, body } = await workspace.post(`attention/${id}/resolve`);
    expect(status).toBe(200);
    expect(body).toMatchObject({ id, resolved: expect.any(Number), resolved_by: workspace.visitor.email });
    expect(await workspace.list("attention?state=resolved")).toEqual([body]);
    expect(await workspace.list("attention?state=open")).toEqual([]);
    const { action, object_id, details } = (await workspace.audited()).at(-1) ?? {};
    expect({ action, object_id, details }).toEqual({
      action: "attention.resolved",
      object_id: id,
      details: { address: "127.0.0.1", kind: "fraud_reported", livemode: false },
    });
  });

  it("changes nothing the second time", async () => {
    const id = await open("fraud_reported");
    const first = await workspace.post(`attention/${id}/resolve`);
    const before = await workspace.audited();
    const colleague = await signInToWorkspace(service, workspace.merchant, "support");
    const second = await colleague.post(`attention/${id}/resolve`);
    expect(second.body).toEqual(first.body);
    const third = await colleague.post(`attention/${id}/resolve`, { mark_failed: true });
    expect(refusalOf(third)).toBe("400 parameter_invalid mark_failed");
    expect(await workspace.audited()).toEqual(before);
  });

  it.each(["fraud_reported", "operation_overdue", "capture_failed_late"] as const)(
    "can't end the payment as failed for %s, and keeps the item open",
    async (kind) => {
      const id = await open(kind);
      const refused = await workspace.post(`attention/${id}/resolve`, { mark_failed: true });
      expect(refusalOf(refused)).toBe("400 parameter_invalid mark_failed");
      expect(await workspace.read(`payments/${chargeId}`)).toMatchObject({
        status: "succeeded",
        attention: [{ id, resolved: null }],
      });
    },
  );

  it("needs step-up authentication", async () => {
    const id = await open("fraud_reported");
    await expireStepUp(service, workspace.visitor);
    expect(refusalOf(await workspace.post(`attention/${id}/resolve`))).toBe("403 step_up_required");
    expect(await workspace.list("attention?state=open")).toMatchObject([{ id }]);
  });

  it("isn't allowed for a member who can only read", async () => {
    const id = await open("fraud_reported");
    const reader = await signInToWorkspace(service, workspace.merchant, "read_only");
    expect(await reader.list("attention?state=open")).toMatchObject([{ id }]);
    expect(refusalOf(await reader.post(`attention/${id}/resolve`))).toBe("403 permission_missing");
  });

  it("refuses other fields", async () => {
    const id = await open("fraud_reported");
    expect(refusalOf(await workspace.post(`attention/${id}/resolve`, { kind: "outcome_unknown" }))).toMatch(/^400 /);
  });
});
