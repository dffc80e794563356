/**
 * What a request passes before a route of the dashboard sees it. Each route says what it `needs`, and one that says
 * nothing does not start:
 *
 * 1. a request that changes something comes from our own page (`Origin`, and `Sec-Fetch-Site` where the browser sends
 *    it) as JSON or a document's bytes: what a form of another site can send is refused, whatever its cookies;
 * 2. `session`: somebody is signed in; `second_factor`: and has one set up; `operator`: and is one;
 * 3. a permission: the account in the path (`/data/:account/:mode/...`) has this login in its team, with a role that
 *    includes it. An account of others looks like one that never was. A suspended account's team reads and changes
 *    nothing;
 * 4. `stepUp`: password and second factor, or a passkey, were given within ten minutes.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { permissions, permissionsOf, type Permission, type Role } from "@oriel/protocol/dashboard";
import type { Context } from "../../context.ts";
import { ApiError, missingInPath } from "../../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../../platform/limits/rate-limit.ts";
import { findMember } from "../../../merchants/members/members.ts";
import { addressHeader } from "../../../merchants/sign-in/auth.ts";
import { findVisitor, stepUpMs, type Visitor } from "../../../merchants/sign-in/visitor.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import { DashboardError } from "./errors.ts";

export type Needs = "nothing" | "session" | "second_factor" | "operator" | Permission;

declare module "fastify" {
  interface FastifyContextConfig {
    needs?: Needs;
    /** For what opens doors: keys, secrets, the team. */
    stepUp?: true;
  }
  interface FastifyRequest {
    /** Who is signed in. Null only where nothing is needed. */
    visitor: Visitor;
    /** Of the account and mode in the path, and what the visitor is in its team. */
    desk: Desk;
  }
}

/** Where a member works: one account in one mode. */
export interface Desk {
  tenant: Tenant;
  role: Role;
}

const files: Rate = { perSecond: 1 / 30, burst: 5 };
const changes = (method: string) => method !== "GET" && method !== "HEAD";

/** For the routes that are registered on `app` from here on. */
export function guardDashboard(app: FastifyInstance, context: Context): void {
  app.decorateRequest("visitor", null as unknown as Visitor); // set by the hook below before any route can see it
  app.decorateRequest("desk", null as unknown as Desk);
  app.addHook("onRoute", (route) => {
    const needs = route.config?.needs;
    if (needs === undefined) throw new Error(`Bug: ${String(route.method)} ${route.url} does not say what it needs`);
    if (isPermission(needs) !== route.url.startsWith("/data/:account/:mode/"))
      throw new Error(`Bug: ${route.url} needs ${needs}, which does not fit its address`);
  });
  const limiter = createRateLimiter(context.db);
  /** Its questions share the database with payments; files are the dearest. */
  const limitVisitor = async ({ visitor, routeOptions }: FastifyRequest) => {
    const rate = context.config.rateLimits.dashboard;
    if (rate === null) return;
    const isFile = routeOptions.url?.endsWith(".csv") === true;
    const { allowed, resetSeconds } = isFile
      ? await limiter.take(`files of ${visitor.loginId}`, files)
      : await limiter.take(`dashboard ${visitor.loginId}`, rate);
    if (!allowed)
      throw new ApiError("rate_limited", "Too much at once. Wait a little.", { retryAfterSeconds: resetSeconds });
  };
  app.addHook("onRequest", async (request, reply) => {
    void reply.headers({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "cross-origin-resource-policy": "same-origin",
    });
    if (changes(request.method)) refuseOtherSites(request, context.config.dashboardOrigin);
    const { needs = "operator", stepUp } = request.routeOptions.config;
    if (needs === "nothing") return;
    const { visitor, cookies } = await findVisitor(context, headersOf(request));
    if (visitor === null) throw new DashboardError("sign_in_required", "Sign in to go on.");
    for (const cookie of cookies) void reply.header("set-cookie", cookie);
    request.visitor = visitor;
    await limitVisitor(request);
    if (needs !== "session" && !visitor.hasSecondFactor)
      throw new DashboardError(
        "second_factor_required",
        "Set up a second factor first: an authenticator app or a passkey.",
      );
    if (needs === "operator" && !visitor.isOperator) throw routeMissing();
    if (isPermission(needs)) request.desk = await openDesk(context, request, visitor, needs);
    if (stepUp) requireStepUp(context, visitor);
  });
}

/** For a route that needs it for some of what can be asked there. @throws DashboardError `step_up_required` */
export function requireStepUp({ now }: Pick<Context, "now">, { hasSecondFactor, steppedUpAt }: Visitor): void {
  // Who has no second factor yet has signed in with all that there is.
  if (!hasSecondFactor || now().getTime() - steppedUpAt.getTime() <= stepUpMs) return;
  throw new DashboardError(
    "step_up_required",
    "Show again that it is you for this, with password and code or with a passkey.",
  );
}

/** The request's headers as better-auth reads them, with the address that the service believes. */
export function headersOf(request: FastifyRequest): Headers {
  const headers = new Headers({ [addressHeader]: request.ip });
  for (const name of ["cookie", "user-agent", "origin"] as const) {
    const value = request.headers[name];
    if (value !== undefined) headers.set(name, value);
  }
  return headers;
}

function refuseOtherSites({ headers }: FastifyRequest, dashboardOrigin: string): void {
  const site = headers["sec-fetch-site"];
  if (headers.origin === dashboardOrigin && (site === undefined || site === "same-origin")) return;
  throw new DashboardError("cross_site", "This can be done from the dashboard's own pages only.");
}

async function openDesk({ db }: Context, request: FastifyRequest, visitor: Visitor, needs: Permission): Promise<Desk> {
  const { account, mode } = request.params as { account: string; mode: string }; // of the address that every such route has
  const member = mode === "test" || mode === "live" ? await findMember(db, account, visitor.loginId) : undefined;
  if (member === undefined) throw missingInPath("account", account);
  if (!permissionsOf[member.role].includes(needs))
    throw new DashboardError(
      "permission_missing",
      `Your role in this team, ${member.role}, does not include this. Ask an owner.`,
    );
  if (member.status === "suspended" && changes(request.method))
    throw new DashboardError(
      "permission_missing",
      "This account is suspended: nothing can be changed. Write to the operator.",
    );
  return { tenant: { accountId: account, livemode: mode === "live" }, role: member.role };
}

function isPermission(needs: Needs): needs is Permission {
  return (permissions as readonly string[]).includes(needs);
}

function routeMissing() {
  return missingInPath("page", "operator");
}
