/**
 * The dashboard's origin: signing in (`/auth`), what its pages ask for (`/data`, `/operator`), and the pages. Nothing
 * here answers to a secret key, and nothing of the API answers to a session.
 */
import type { FastifyPluginAsync } from "fastify";
import { refuseCardNumbers } from "../../platform/card-data/refuse-card-numbers.ts";
import type { Context } from "../context.ts";
import type { BuiltFiles } from "./built-files.ts";
import { applicationRoutes } from "./dashboard/application-routes.ts";
import { authRoutes } from "./dashboard/auth-routes.ts";
import { endpointRoutes } from "./dashboard/endpoint-routes.ts";
import { sendDashboardErrors } from "./dashboard/errors.ts";
import { eventRoutes } from "./dashboard/event-routes.ts";
import { guardDashboard } from "./dashboard/guard.ts";
import { paymentRoutes } from "./dashboard/payment-routes.ts";
import { passkeyRoutes } from "./dashboard/passkey-routes.ts";
import { integrateRoutes } from "./dashboard/integrate-routes.ts";
import { keyRoutes } from "./dashboard/key-routes.ts";
import { staticRoutes } from "./dashboard/pages.ts";
import { logRoutes } from "./dashboard/log-routes.ts";
import { operatorRoutes } from "./dashboard/operator-routes.ts";
import { securityRoutes } from "./dashboard/security-routes.ts";
import { settingsRoutes } from "./dashboard/settings-routes.ts";
import { teamRoutes } from "./dashboard/team-routes.ts";
import { onSurface } from "./surface.ts";

/**
 * Fields that are kept as a hash, or sealed, and may look like a card: many Chinese bank accounts have the number of
 * their card.
 */
const sealedFields = ["password", "current", "bank_account.account_number", "bank_account.iban"];

/** @param files null: its JSON only, for tests that need no page */
export function dashboardRoutes(context: Context, files: BuiltFiles | null): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "dashboard");
    app.addHook("onRoute", (route) => {
      route.schema = { ...route.schema, hide: true }; // none of the public API's description
    });
    sendDashboardErrors(app);
    guardDashboard(app, context);
    refuseCardNumbers(app, sealedFields);
    if (files !== null) await app.register(staticRoutes(files));
    await app.register(authRoutes(context));
    await app.register(securityRoutes(context));
    await app.register(passkeyRoutes(context));
    await app.register(paymentRoutes(context));
    await app.register(eventRoutes(context));
    await app.register(keyRoutes(context));
    await app.register(endpointRoutes(context));
    await app.register(settingsRoutes(context));
    await app.register(logRoutes(context));
    await app.register(integrateRoutes(context));
    await app.register(teamRoutes(context));
    await app.register(applicationRoutes(context));
    await app.register(operatorRoutes(context));
  };
}
