/**
 * Tests permissions in the dashboard: every route under `/data/:account/:mode/` with every role. The table states what
 * each route requires, and the test fails if a route exists only in the table or only in the server.
 */
import { describe, expect, it } from "vitest";
import { permissionsOf, roles, type Permission, type Role } from "@oriel/protocol/dashboard/roles";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { setAccountStatus } from "../src/merchants/accounts/accounts.ts";
import { expireStepUp, refusalOf } from "./setup/dashboard-errors.ts";
import { changes, workspaceRoutes, type DashboardRoute } from "./setup/dashboard-routes.ts";
import {
  newBrowser,
  newColleague,
  newOperator,
  newVisitor,
  password,
  signUp,
  type Visitor,
} from "./setup/dashboard-visitor.ts";
import { startTestService } from "./setup/test-service.ts";

/** What each route requires. `+ step-up` means that the password and code were given within the last ten minutes. */
const meant: Record<string, Permission | `${Permission} + step-up`> = {
  "GET overview": "data.read",
  "GET payments": "data.read",
  "GET payments.csv": "data.read",
  "GET payments/:id": "data.read",
  "POST payments/:id/refund": "payments.manage",
  "POST payments/:id/capture": "payments.manage",
  "POST payments/:id/cancel": "payments.manage",
  "GET disputes": "data.read",
  "GET attention": "data.read",
  "GET attention/count": "data.read",
  "POST attention/:id/resolve": "payments.manage + step-up",
  "GET payment-methods": "data.read",
  "POST payment-methods/:id/detach": "payments.manage",
  "GET events": "data.read",
  "GET events/:id": "data.read",
  "POST events/:id/redeliver": "payments.manage",

  "GET keys": "developing",
  "POST keys": "developing + step-up",
  "POST keys/:id/roll": "developing + step-up",
  "POST keys/:id/revoke": "developing",
  "GET webhook_endpoints": "developing",
  "GET webhook_endpoints/:id": "developing",
  "GET webhook_endpoints/:id/deliveries": "developing",
  "POST webhook_endpoints": "developing + step-up",
  "PATCH webhook_endpoints/:id": "developing", // and step-up for a new URL: dashboard-endpoints.test.ts
  "DELETE webhook_endpoints/:id": "developing",
  "POST webhook_endpoints/:id/rotate_secret": "developing + step-up",
  "POST webhook_endpoints/:id/reveal": "developing + step-up",
  "POST webhook_endpoints/:id/test": "developing",
  "GET requests": "developing",
  "GET settings": "data.read",
  "PATCH settings": "developing", // and step-up for new origins: dashboard-settings.test.ts
  "PUT settings/name": "owning",
  "GET settings/new-customers": "data.read",
  "PUT settings/new-customers": "developing + step-up",
  "GET card-testing": "data.read",
  "GET integrate": "data.read",
  "POST integrate/session": "developing",

  "GET team": "data.read",
  "POST team/invitations": "owning + step-up",
  "DELETE team/invitations/:id": "owning + step-up",
  "PATCH team/members/:login_id": "owning + step-up",
  "DELETE team/members/:login_id": "owning + step-up",
  "GET audit": "owning",
  "GET application": "owning",
  "PUT application": "owning",
  "POST application/submit": "owning + step-up",
  "POST application/documents": "owning",
  "GET application/documents/:id": "owning",
  "DELETE application/documents/:id": "owning",
};

/** The guard's error codes. Code after the guard uses different ones. */
const refusedByGuard = /^(401|403) |^404 resource_missing$/;

const service = await openForTests(startTestService());
const routes = await workspaceRoutes(service);
const owner = await newVisitor(service);

const nameOf = ({ method, path }: DashboardRoute) => `${method} ${path}`;

/** Sends IDs that don't exist and empty bodies, so a permitted user gets a not-found or validation error. */
async function request(
  visitor: Visitor,
  route: DashboardRoute,
  { accountId = owner.accountId, mode = "test", headers = {} } = {},
) {
  const path = `/data/${accountId}/${mode}/${route.path.replace(/:\w+/g, "none")}`;
  const response = await visitor.call(route.method, path, changes(route) ? {} : undefined, headers);
  expect(response.status, `${nameOf(route)}: ${response.text.slice(0, 300)}`).toBeLessThan(500);
  return refusalOf(response);
}

/** Calls every route and returns the responses by route name. */
async function requestAll(visitor: Visitor, how: Parameters<typeof request>[2] = {}): Promise<Record<string, string>> {
  const responses: Record<string, string> = {};
  for (const route of routes) responses[nameOf(route)] = await request(visitor, route, how);
  return responses;
}

/** Returns the expected response by route name: the same for all routes, or the callback's result for each. */
const expected = (response: string | ((route: DashboardRoute) => string)) =>
  Object.fromEntries(routes.map((route) => [nameOf(route), typeof response === "string" ? response : response(route)]));

/**
 * Replaces responses from code behind the guard with "passed". For example, that code refuses a missing ID.
 */
function passedGuard(responses: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(responses).map(([name, response]) => {
      const isById = name.includes(":");
      return [
        name,
        refusedByGuard.test(response) && !(isById && response === "404 resource_missing") ? response : "passed",
      ];
    }),
  );
}

const hasPermission = (role: Role, { needs }: DashboardRoute) =>
  (permissionsOf[role] as readonly unknown[]).includes(needs);

it("the table lists every route with what it requires", () => {
  const there = routes.map((route) => [nameOf(route), `${route.needs}${route.stepUp ? " + step-up" : ""}`]);
  expect(new Set(there.map(([name]) => name)).size).toBe(there.length);
  expect(Object.fromEntries(there)).toEqual(meant);
});

describe("a team member", () => {
  it.each(roles)("can use exactly the routes that the %s role permits", async (role) => {
    const member = await newColleague(service, owner, role);
    const wanted = expected((route) => (hasPermission(role, route) ? "passed" : "403 permission_missing"));
    expect(passedGuard(await requestAll(member))).toEqual(wanted);
    expect(passedGuard(await requestAll(member, { mode: "live" }))).toEqual(wanted);
  });

  it.each(roles)("can only read while the account is suspended, with the %s role", async (role) => {
    const { db, now } = service.context;
    const member = await newColleague(service, owner, role);
    await setAccountStatus(db, owner.accountId, "suspended", now(), "cli test");
    const responses = passedGuard(await requestAll(member));
    await setAccountStatus(db, owner.accountId, "active", now(), "cli test");
    const may = (route: DashboardRoute) => hasPermission(role, route) && !changes(route);
    expect(responses).toEqual(expected((route) => (may(route) ? "passed" : "403 permission_missing")));
  });

  it("must step up for sensitive routes once the session is older than ten minutes", async () => {
    const member = await newColleague(service, owner, "owner");
    await expireStepUp(service, member);
    expect(passedGuard(await requestAll(member))).toEqual(
      expected(({ stepUp }) => (stepUp ? "403 step_up_required" : "passed")),
    );
    expect(routes.filter(({ stepUp }) => stepUp).length).toBeGreaterThan(5);

    const { status } = await member.call("POST", "/auth/step-up", { password, code: member.code() });
    expect(status).toBe(200);
    expect(passedGuard(await requestAll(member))).toEqual(expected("passed"));
  });

  it("can't change anything from another site's page", async () => {
    for (const headers of [
      { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
      { origin: service.config.checkoutOrigin, "sec-fetch-site": "same-site" },
      { origin: "null" },
      { origin: "" },
    ]) {
      const responses = passedGuard(await requestAll(owner, { headers }));
      expect(responses).toEqual(expected((route) => (changes(route) ? "403 cross_site" : "passed")));
    }
  });

  it("gets a 404 for a third mode", async () => {
    for (const mode of ["sandbox", "TEST", "%20test"])
      expect(await requestAll(owner, { mode })).toEqual(expected("404 resource_missing"));
  });
});

describe("a user outside the team", () => {
  it("must sign in first", async () => {
    expect(await requestAll(newBrowser(service, "nobody@shop.example"))).toEqual(expected("401 sign_in_required"));
    const gone = await newColleague(service, owner, "owner");
    const cookies = new Map(gone.cookies);
    await gone.signOut();
    for (const [name, value] of cookies) gone.cookies.set(name, value);
    expect(await requestAll(gone)).toEqual(expected("401 sign_in_required"));
  });

  it("must set up a second factor first", async () => {
    const visitor = await signUp(service, "A shop without one");
    expect((await visitor.signIn()).status).toBe(200);
    const login = service.context.db
      .selectFrom("member")
      .innerJoin("login", "login.id", "member.login_id")
      .innerJoin("account", "account.account_no", "member.account_no")
      .select("account.id as accountId");
    const { accountId } = await login.where("email", "=", visitor.email).executeTakeFirstOrThrow();
    expect(await requestAll(visitor, { accountId })).toEqual(expected("403 second_factor_required"));
  });

  it("gets the same 404 for another account and an unknown one: a merchant, a removed member, an operator", async () => {
    const removed = await newColleague(service, owner, "owner");
    const { db } = service.context;
    const login = db.selectFrom("login").select("id").where("email", "=", removed.email);
    await db.deleteFrom("member").where("login_id", "in", login).execute();
    for (const visitor of [await newVisitor(service), removed, await newOperator(service)]) {
      expect(await requestAll(visitor)).toEqual(expected("404 resource_missing"));
      expect(await requestAll(visitor, { accountId: "acct_none" })).toEqual(expected("404 resource_missing"));
    }
  });
});
