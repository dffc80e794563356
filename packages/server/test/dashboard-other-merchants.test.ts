/**
 * Tests isolation between merchants in the dashboard: to another account's team, this account's objects look like
 * objects that don't exist, on every route and in every part of a request. The tests read the routes from the server,
 * so new routes are covered too.
 */
import { describe, expect, it, vi } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { attentionOf } from "../src/payments/attention/attention.ts";
import { raiseAttention } from "../src/payments/attention/raise-attention.ts";
import { disputesOf } from "../src/payments/disputes/disputes.ts";
import { recordDisputeStep } from "../src/payments/disputes/record-dispute.ts";
import type { Tenant } from "../src/platform/tenant.ts";
import { cardNumbers } from "./setup/customer.ts";
import { refusalOf } from "./setup/dashboard-errors.ts";
import { newWorkspace, type Workspace } from "./setup/dashboard-member.ts";
import { changes, workspaceRoutes, type DashboardRoute } from "./setup/dashboard-routes.ts";
import { newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";

// A test calls every route for every object.
vi.setConfig({ testTimeout: 120_000 });

/** What a route requires in its body before it looks up the ID in its path. Routes not listed here use `{}`. */
const bodies: Record<string, object> = { "PATCH team/members/:login_id": { role: "read_only" } };

// Live mode is on, so a 404 doesn't come from a mode that is off. Nothing listens at its acquirer's URL.
const service = await openForTests(startTestService({ live: true, liveBankUrl: "http://127.0.0.1:9" }));
const routes = await workspaceRoutes(service);
const last = ({ method }: DashboardRoute) => (method === "DELETE" ? 1 : 0);
/** Routes with an ID in their path. Deletes come last. */
const byId = routes.filter(({ path }) => path.includes(":")).sort((a, b) => last(a) - last(b));
const owner = await newWorkspace(service);
const stranger = await newWorkspace(service);
const ids = await everyKindOfObject(owner);

async function everyKindOfObject({ merchant, visitor, list, read, post }: Workspace) {
  const checkout = await merchant.checkout({ save_payment_method: true, customer: { email: "customer@shop.example" } });
  await checkout.pay(cardNumbers.approved);
  const charge = await merchant.chargeOf(checkout);
  const refund = await merchant.refund(String(charge["id"]), 100);
  const money = await disputeAndConcern(merchant.tenant, String(charge["id"]));
  const endpoint = await post("webhook_endpoints", { url: "https://shop.example/hooks" });
  // Creates a delivery. It stays pending because the shop doesn't exist.
  await post(`webhook_endpoints/${String(endpoint.body["id"])}/test`);
  const [delivery] = await list(`webhook_endpoints/${String(endpoint.body["id"])}/deliveries`);
  const key = await post("keys", { name: "Till", scope: "read" });
  const invitation = await post("team/invitations", { email: "guest@shop.example", role: "support" });
  const colleague = await newVisitor(service);
  const { db, now } = service.context;
  const { id: login } = await db
    .selectFrom("login")
    .select("id")
    .where("email", "=", colleague.email)
    .executeTakeFirstOrThrow();
  await db
    .insertInto("member")
    .values({ account_no: visitor.accountNo, login_id: login, role: "developer", created_at: now() })
    .execute();
  await visitor.inWorkspace("PUT", "application", {});
  const [event] = await list("events?type=payment.succeeded");
  const [audit] = await list("audit");
  const team = await read("team");
  expect(team["members"]).toHaveLength(2);
  return {
    session: checkout.sessionId,
    charge: String(charge["id"]),
    decision: String(charge["decision_id"]),
    paymentMethod: String(charge["payment_method_id"]),
    refund: String(refund.body["id"]),
    event: String(event?.["id"]),
    endpoint: String(endpoint.body["id"]),
    delivery: String(delivery?.["id"]),
    key: String(key.body["key"]?.["id"]),
    invitation: String(invitation.body["id"]),
    login,
    audit: String(audit?.["id"]),
    ...money,
    document: await addDocument(visitor),
  };
}

/** The smallest valid PNG. */
async function addDocument(visitor: Visitor): Promise<string> {
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const path = `/data/${visitor.accountId}/test/application/documents?kind=identity&name=passport.png`;
  const added = await visitor.call("POST", path, new Uint8Array(png), { "content-type": "image/png" });
  if (added.status !== 200) throw new Error(`The document: ${added.text}`);
  return String(added.body["id"]);
}

/** What an acquirer's notifications can lead to. */
async function disputeAndConcern(tenant: Tenant, chargeId: string): Promise<{ dispute: string; attention: string }> {
  const { db, now } = service.context;
  const subject = { acquirerId: "DISPUTE1", authorizationId: null, reference: chargeId, money: null };
  const news = { chargeId, step: "dispute_opened", subject, unsigned: null } as const;
  await db.transaction().execute((tx) => recordDisputeStep({ now }, tx, tenant, news));
  const concern = { kind: "fraud_reported", subject: chargeId, chargeId, attemptId: null, details: {} } as const;
  await db.transaction().execute((tx) => raiseAttention(service.context, tx, tenant, concern));
  const [dispute] = await disputesOf(db, tenant, chargeId);
  const [attention] = await attentionOf(db, tenant, chargeId);
  if (dispute === undefined || attention === undefined) throw new Error("The dispute or the concern is missing");
  return { dispute: dispute.id, attention: attention.id };
}

let count = 0;
const send = async ({ visitor }: Workspace, route: DashboardRoute, id: string, mode = "test") =>
  await visitor.call(
    route.method,
    `/data/${visitor.accountId}/${mode}/${route.path.replace(/:\w+/, id)}`,
    changes(route) && route.method !== "DELETE" ? (bodies[`${route.method} ${route.path}`] ?? {}) : undefined,
    { "idempotency-key": `request-${++count}` }, // required where money moves
  );

/** Whether a route serves both modes. An account's team and application don't belong to a mode. */
const isOfBothModes = ({ path }: DashboardRoute) => /^(team|application)\//.test(path);

describe("another account's team", () => {
  it("sees none of this account's objects in any list, with any cursor or filter", async () => {
    const lists = routes.filter((route) => !changes(route) && !route.path.includes(":"));
    expect(lists.length).toBeGreaterThan(10);
    const all = Object.values(ids);
    const filters = [
      ...all.flatMap((id) => [
        `starting_after=${id}`,
        `ending_before=${id}`,
        `search=${id}`,
        `object_id=${id}`,
        `request_id=${id}`,
      ]),
      "search=customer@shop.example",
      "",
    ];
    for (const { path } of lists) {
      for (const filter of filters) {
        const { text } = await stranger.visitor.inWorkspace("GET", `${path}?${filter}`);
        for (const id of all) expect(text).not.toContain(id);
        expect(text).not.toContain("customer@shop.example");
      }
    }
    // Control: the same lists show them to the team that owns them.
    const texts = await Promise.all(lists.map(async ({ path }) => (await owner.visitor.inWorkspace("GET", path)).text));
    const shown = Object.entries(ids).filter(([, id]) => texts.some((text) => text.includes(id)));
    expect(shown.map(([kind]) => kind).sort()).toEqual(
      Object.keys(ids)
        .filter((kind) => kind !== "delivery") // listed below its endpoint
        .sort(),
    );
  });

  it("can't reach this account's objects through its own account, on any route with any ID", async () => {
    expect(byId.length).toBeGreaterThan(15);
    for (const route of byId) {
      for (const id of Object.values(ids)) {
        const name = `${route.method} ${route.path} ${id}`;
        expect({ name, refused: refusalOf(await send(stranger, route, id)) }).toEqual({
          name,
          refused: "404 resource_missing",
        });
      }
    }
  });

  it("gets the same 404 as this account's own team does in the other mode", async () => {
    for (const route of byId.filter((each) => !isOfBothModes(each))) {
      for (const id of Object.values(ids)) {
        const name = `${route.method} ${route.path} ${id}`;
        const inLive = refusalOf(await send(owner, route, id, "live"));
        expect({ name, inLive }).toEqual({ name, inLive: "404 resource_missing" });
      }
    }
  });

  // Control: routes do find the owner's objects. It deletes some, so it must be the last test that uses the IDs.
  it("differs from this account's team, which finds each kind of object on its own routes (control)", async () => {
    for (const route of byId) {
      const found: string[] = [];
      for (const [kind, id] of Object.entries(ids)) {
        if (refusalOf(await send(owner, route, id)) !== "404 resource_missing") found.push(kind);
      }
      expect({ route: `${route.method} ${route.path}`, found }).toEqual({
        route: `${route.method} ${route.path}`,
        found: [kindOf(route.path)],
      });
    }
  });

  it("can't use this account's objects in a request body", async () => {
    await stranger.merchant.charge("pm_card_visa");
    const [event] = await stranger.list("events");
    const endpoint = await owner.post("webhook_endpoints", { url: "https://shop.example/hooks" });
    const redelivery = { endpoint_id: String(endpoint.body["id"]) };
    const response = await stranger.post(`events/${String(event?.["id"])}/redeliver`, redelivery);
    expect(refusalOf(response)).toBe("400 resource_missing endpoint_id");
    const own = await stranger.post("webhook_endpoints", { url: "https://shop.example/hooks" });
    const redelivered = await stranger.post(`events/${String(event?.["id"])}/redeliver`, {
      endpoint_id: String(own.body["id"]),
    });
    expect(redelivered.status).toBe(200);
  });
});

function kindOf(path: string): string | undefined {
  const kinds: Record<string, keyof typeof ids> = {
    payments: "charge",
    attention: "attention",
    "payment-methods": "paymentMethod",
    events: "event",
    keys: "key",
    webhook_endpoints: "endpoint",
    "team/invitations": "invitation",
    "team/members": "login",
    "application/documents": "document",
  };
  return kinds[path.slice(0, path.indexOf("/:"))];
}
