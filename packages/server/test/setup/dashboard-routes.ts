/** Every route under `/data/:account/:mode/`, as the dashboard registers them. Other routes aren't included. */
import Fastify from "fastify";
import { dashboardRoutes } from "../../src/http/routes/dashboard.ts";
import type { Needs } from "../../src/http/routes/dashboard/guard.ts";
import type { Method, TestService } from "./test-service.ts";

export interface DashboardRoute {
  method: Method;
  /** Below the account and the mode: `payments/:id`. */
  path: string;
  needs: Needs | undefined;
  stepUp: boolean;
}

const workspace = "/data/:account/:mode/";

export async function workspaceRoutes({ context }: TestService): Promise<DashboardRoute[]> {
  const routes: DashboardRoute[] = [];
  const app = Fastify({ exposeHeadRoutes: false });
  app.addHook("onRoute", ({ method, url, config }) => {
    if (!url.startsWith(workspace)) return;
    for (const one of [method].flat())
      routes.push({
        method: one as Method, // HEAD, the only other possible method, is turned off
        path: url.slice(workspace.length),
        needs: config?.needs,
        stepUp: config?.stepUp ?? false,
      });
  });
  await app.register(dashboardRoutes(context, null));
  await app.ready();
  await app.close();
  return routes;
}

export const changes = ({ method }: DashboardRoute) => method !== "GET";
