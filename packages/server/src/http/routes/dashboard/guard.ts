/**
 * The checks that each request to the dashboard passes before its route runs. Each route must declare what it `needs`,
 * or the service doesn't start.
 *
 * 1. A request that changes something must come from the dashboard's own page (`Origin`, and `Sec-Fetch-Site` if the
 *    browser sends it), as JSON or a document's bytes. Forms of other sites are refused, with or without cookies.
 * 2. `session`: the user is signed in. `second_factor`: the user is signed in and has set up a second factor.
 *    `operator`: the same, and the user is an operator.
 * 3. A permission: the user is a member of the account in the path (`/data/:account/:mode/...`), with a role that
 *    includes the permission. Otherwise the response is the same as for an account that doesn't exist. Members of a
 *    suspended account can only read.
 * 4. `stepUp`: the user gave password and second factor, or a passkey, within the last ten minutes.
 */
import type { FastifyInstance, FastifyRequest } from "fastify";
import { permissions, permissionsOf, type Permission, type Role } from "@oriel/protocol/dashboard/roles";
import { findMember } from "../../../merchants/members/members.ts";
import { addressHeader } from "../../../merchants/sign-in/auth.ts";
import { findVisitor, stepUpMs, type Visitor } from "../../../merchants/sign-in/visitor.ts";
import { missingInPath } from "../../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../../platform/limits/rate-limit.ts";
import type { Tenant } from "../../../platform/tenant.ts";
import type { Context } from "../../context.ts";
import { DashboardError, tooMany } from "./errors.ts";

export type Needs = "nothing" | "session" | "second_factor" | "operator" | Permission;

declare module "fastify" {
  interface FastifyContextConfig {
    needs?: Needs;
    /** For everything that grants access, such as keys, secrets and team roles. */
    stepUp?: true;
  }
  interface FastifyRequest {
    /** The signed-in user. Null only on routes that need `nothing`. */
    visitor: Visitor;
    /** The account and mode in the path, and the user's role in the account's team. */
    workspace: Workspace;
  }
}

/** One account in one mode, and the user's role in it. */
export interface Workspace {
  tenant: Tenant;
  accountId: string;
  role: Role;
}

const files: Rate = { perSecond: 1 / 30, burst: 5 };
const changes = (method: string) => method !== "GET" && method !== "HEAD";

/** Guards the routes that are registered on `app` after this call. */
export function guardDashboard(app: FastifyInstance, context: Context): void {
  app.decorateRequest("visitor", null as unknown as Visitor); // set by the hook below, before any route runs
  app.decorateRequest("workspace", null as unknown as Workspace);
  app.addHook("onRoute", (route) => {
    const needs = route.config?.needs;
    if (needs === undefined) throw new Error(`Bug: ${String(route.method)} ${route.url} doesn't declare what it needs`);
    if (isPermission(needs) !== route.url.startsWith("/data/:account/:mode/"))
      throw new Error(`Bug: ${route.url} needs ${needs}, which doesn't match its path`);
  });
  const limiter = createRateLimiter(context.db);
  /**
   * Requests are limited because the dashboard shares the database with payments. CSV exports are the most expensive.
   */
  const limitVisitor = async ({ visitor, routeOptions }: FastifyRequest) => {
    const rate = context.config.rateLimits.dashboard;
    if (rate === null) return;
    const isFile = routeOptions.url?.endsWith(".csv") === true;
    const { allowed, resetSeconds } = isFile
      ? await limiter.take(`files of ${visitor.loginId}`, files)
      : await limiter.take(`dashboard ${visitor.loginId}`, rate);
    if (!allowed) throw tooMany("requests", resetSeconds);
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
    if (visitor === null) throw new DashboardError("sign_in_required", "Sign in to continue.");
    for (const cookie of cookies) void reply.header("set-cookie", cookie);
    request.visitor = visitor;
    await limitVisitor(request);
    if (needs !== "session" && !visitor.hasSecondFactor)
      throw new DashboardError(
        "second_factor_required",
        "Set up a second factor first: an authenticator app or a passkey.",
      );
    if (needs === "operator" && !visitor.isOperator) throw routeMissing();
    if (isPermission(needs)) request.workspace = await openWorkspace(context, request, visitor, needs);
    if (stepUp) requireStepUp(context, visitor);
  });
}

/** For a route that needs step-up authentication only for some requests. @throws DashboardError `step_up_required` */
export function requireStepUp({ now }: Pick<Context, "now">, { hasSecondFactor, steppedUpAt }: Visitor): void {
  // Without a second factor, the password alone is the strongest authentication that the user has.
  if (!hasSecondFactor || now().getTime() - steppedUpAt.getTime() <= stepUpMs) return;
  throw new DashboardError(
    "step_up_required",
    "To continue, confirm it's you with a passkey, or with your password and a code.",
  );
}

/** Returns the request's headers for better-auth, with the client IP address that the service trusts. */
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
  throw new DashboardError("cross_site", "This request must come from the dashboard's own pages.");
}

async function openWorkspace(
  { db, nodes }: Context,
  request: FastifyRequest,
  visitor: Visitor,
  needs: Permission,
): Promise<Workspace> {
  const { account, mode } = request.params as { account: string; mode: string }; // such paths contain both
  const member = mode === "test" || mode === "live" ? await findMember(db, account, visitor.loginId) : undefined;
  if (member === undefined) throw missingInPath("account", account);
  if (!permissionsOf[member.role].includes(needs))
    throw new DashboardError(
      "permission_missing",
      `Your role on this team (${member.role}) doesn't allow this. Ask an owner for help.`,
    );
  if (member.status === "suspended" && changes(request.method))
    throw new DashboardError(
      "permission_missing",
      "This account is suspended, so you can't make changes. Contact the operator.",
    );
  nodes.requireNodeOf(member.account_no);
  return { tenant: { accountNo: member.account_no, livemode: mode === "live" }, accountId: account, role: member.role };
}

function isPermission(needs: Needs): needs is Permission {
  return (permissions as readonly string[]).includes(needs);
}

function routeMissing() {
  return missingInPath("page", "operator");
}
