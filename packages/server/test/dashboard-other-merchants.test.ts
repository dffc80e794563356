/**
 * What is whose, in the dashboard: to another account's team an object of this one's looks like one that never was, on
 * every route, in every place of a request. The routes are those that there are, so that a new one is asked as well.
 */
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { cardNumbers } from "./setup/customer.ts";
import { refusalOf } from "./setup/dashboard-refusals.ts";
import { changes, deskRoutes, type DashboardRoute } from "./setup/dashboard-routes.ts";
import { newVisitor, type Visitor } from "./setup/dashboard-visitor.ts";
import { newDesk, type Desk } from "./setup/desk.ts";
import { startTestService, type TestService } from "./setup/test-service.ts";

// A test asks every route for every object.
vi.setConfig({ testTimeout: 120_000 });

/** What a route wants in its body before it looks for the id in its path; `{}` where nothing is named here. */
const bodies: Record<string, object> = { "PATCH team/members/:login_id": { role: "read_only" } };

let service: TestService;
let owner: Desk;
let stranger: Desk;
let ids: Awaited<ReturnType<typeof everyKindOfObject>>;
let routes: DashboardRoute[];
/** Those with an id in their path; what deletes comes last. */
let byId: DashboardRoute[];
beforeAll(async () => {
  // Live mode is open, so that what is not found there is not found for that reason; nobody answers at its bank.
  service = await startTestService({ live: true, liveBankUrl: "http://127.0.0.1:9" });
  routes = await deskRoutes(service);
  const last = ({ method }: DashboardRoute) => (method === "DELETE" ? 1 : 0);
  byId = routes.filter(({ path }) => path.includes(":")).sort((a, b) => last(a) - last(b));
  owner = await newDesk(service);
  stranger = await newDesk(service);
  ids = await everyKindOfObject(owner);
});
afterAll(() => service.close());

async function everyKindOfObject({ merchant, visitor, list, read, post }: Desk) {
  const checkout = await merchant.checkout({ save_payment_method: true, customer: { email: "customer@shop.example" } });
  await checkout.pay(cardNumbers.approved);
  const charge = await merchant.chargeOf(checkout);
  const refund = await merchant.refund(String(charge["id"]), 100);
  const endpoint = await post("webhook_endpoints", { url: "https://shop.example/hooks" });
  // Not for this shop, which does not exist.
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
    .values({ account_id: visitor.accountId, login_id: login, role: "developer", created_at: now() })
    .execute();
  await visitor.desk("PUT", "application", {});
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
    document: await addDocument(visitor),
  };
}

/** The smallest PNG there is. */
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

let asked = 0;
const ask = async ({ visitor }: Desk, route: DashboardRoute, id: string, mode = "test") =>
  await visitor.call(
    route.method,
    `/data/${visitor.accountId}/${mode}/${route.path.replace(/:\w+/, id)}`,
    changes(route) && route.method !== "DELETE" ? (bodies[`${route.method} ${route.path}`] ?? {}) : undefined,
    { "idempotency-key": `asked-${++asked}` }, // money moves under one only
  );

/** The team and the application are the account's, in whichever mode it is looked at. */
const isOfBothModes = ({ path }: DashboardRoute) => /^(team|application)\//.test(path);

describe("another account's team", () => {
  it("has lists without a thing of this one's, wherever it begins and whatever it looks for", async () => {
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
        const { text } = await stranger.visitor.desk("GET", `${path}?${filter}`);
        for (const id of all) expect(text).not.toContain(id);
        expect(text).not.toContain("customer@shop.example");
      }
    }
    // A control: the very same lists show them to the team that they are of.
    const texts = await Promise.all(lists.map(async ({ path }) => (await owner.visitor.desk("GET", path)).text));
    const shown = Object.entries(ids).filter(([, id]) => texts.some((text) => text.includes(id)));
    expect(shown.map(([kind]) => kind).sort()).toEqual(
      Object.keys(ids)
        .filter((kind) => kind !== "delivery") // listed below its endpoint
        .sort(),
    );
  });

  it("finds nothing of this one's below its account, on any route, under any id", async () => {
    expect(byId.length).toBeGreaterThan(15);
    for (const route of byId) {
      for (const id of Object.values(ids)) {
        const name = `${route.method} ${route.path} ${id}`;
        expect({ name, refused: refusalOf(await ask(stranger, route, id)) }).toEqual({
          name,
          refused: "404 resource_missing",
        });
      }
    }
  });

  it("has no more of it than its own team has in the other mode", async () => {
    for (const route of byId.filter((each) => !isOfBothModes(each))) {
      for (const id of Object.values(ids)) {
        const name = `${route.method} ${route.path} ${id}`;
        const inLive = refusalOf(await ask(owner, route, id, "live"));
        expect({ name, inLive }).toEqual({ name, inLive: "404 resource_missing" });
      }
    }
  });

  // A control, and the last to use the ids: some of them are deleted by it.
  it("is refused by routes that each find the one kind of object that they are for", async () => {
    for (const route of byId) {
      const found: string[] = [];
      for (const [kind, id] of Object.entries(ids)) {
        if (refusalOf(await ask(owner, route, id)) !== "404 resource_missing") found.push(kind);
      }
      expect({ route: `${route.method} ${route.path}`, found }).toEqual({
        route: `${route.method} ${route.path}`,
        found: [kindOf(route.path)],
      });
    }
  });

  it("cannot name them in a body either", async () => {
    await stranger.merchant.charge("pm_card_visa");
    const [event] = await stranger.list("events");
    const endpoint = await owner.post("webhook_endpoints", { url: "https://shop.example/hooks" });
    const redelivery = { endpoint_id: String(endpoint.body["id"]) };
    const answer = await stranger.post(`events/${String(event?.["id"])}/redeliver`, redelivery);
    expect(refusalOf(answer)).toBe("400 resource_missing endpoint_id");
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
