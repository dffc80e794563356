/**
 * The dashboard's origin: sign-in (`/auth`), the data of its pages (`/data`, `/operator`), and the pages. Secret keys
 * don't work here, and dashboard sessions don't work on the API.
 */
import type { FastifyPluginAsync } from "fastify";
import { refuseCardNumbers } from "../../platform/card-data/refuse-card-numbers.ts";
import type { Context } from "../context.ts";
import type { BuiltFiles } from "./built-files.ts";
import { applicationRoutes } from "./dashboard/application-routes.ts";
import { attentionRoutes } from "./dashboard/attention-routes.ts";
import { authenticatorRoutes } from "./dashboard/authenticator-routes.ts";
import { disputeRoutes } from "./dashboard/dispute-routes.ts";
import { endpointRoutes } from "./dashboard/endpoint-routes.ts";
import { sendDashboardErrors } from "./dashboard/errors.ts";
import { eventRoutes } from "./dashboard/event-routes.ts";
import { guardDashboard } from "./dashboard/guard.ts";
import { integrateRoutes } from "./dashboard/integrate-routes.ts";
import { keyRoutes } from "./dashboard/key-routes.ts";
import { limitSignIns } from "./dashboard/limit-sign-ins.ts";
import { logRoutes } from "./dashboard/log-routes.ts";
import { operatorAcquirerRoutes } from "./dashboard/operator-acquirer-routes.ts";
import { operatorRoutes } from "./dashboard/operator-routes.ts";
import { staticRoutes } from "./dashboard/pages.ts";
import { passkeyRoutes } from "./dashboard/passkey-routes.ts";
import { passwordResetRoutes } from "./dashboard/password-reset-routes.ts";
import { paymentActionRoutes } from "./dashboard/payment-action-routes.ts";
import { paymentMethodRoutes } from "./dashboard/payment-method-routes.ts";
import { paymentRoutes } from "./dashboard/payment-routes.ts";
import { riskRoutes } from "./dashboard/risk-routes.ts";
import { securityRoutes } from "./dashboard/security-routes.ts";
import { sessionRoutes } from "./dashboard/session-routes.ts";
import { settingsRoutes } from "./dashboard/settings-routes.ts";
import { signInRoutes } from "./dashboard/sign-in-routes.ts";
import { signUpRoutes } from "./dashboard/sign-up-routes.ts";
import { teamRoutes } from "./dashboard/team-routes.ts";
import { onSurface } from "./hosts.ts";

/**
 * Fields that may contain what looks like a card number, because they are stored hashed or sealed. Many Chinese bank
 * accounts have the same number as their card.
 */
const sealedFields = ["password", "current", "bank_account.account_number", "bank_account.iban"];

/** @param files the built pages; null serves only JSON, for tests that need no pages */
export function dashboardRoutes(context: Context, files: BuiltFiles | null): FastifyPluginAsync {
  return async (app) => {
    onSurface(app, "dashboard");
    app.addHook("onRoute", (route) => {
      route.schema = { ...route.schema, hide: true }; // not in the public API reference
    });
    sendDashboardErrors(app);
    guardDashboard(app, context);
    refuseCardNumbers(app, { spared: sealedFields });
    if (files !== null) await app.register(staticRoutes(files));
    await app.register(async (limited) => {
      limitSignIns(limited, context);
      await limited.register(signUpRoutes(context));
      await limited.register(signInRoutes(context));
      await limited.register(passwordResetRoutes(context));
      await limited.register(securityRoutes(context));
      await limited.register(authenticatorRoutes(context));
      await limited.register(passkeyRoutes(context));
    });
    await app.register(sessionRoutes(context));
    await app.register(paymentRoutes(context));
    await app.register(paymentActionRoutes(context));
    await app.register(paymentMethodRoutes(context));
    await app.register(disputeRoutes(context));
    await app.register(attentionRoutes(context));
    await app.register(eventRoutes(context));
    await app.register(keyRoutes(context));
    await app.register(endpointRoutes(context));
    await app.register(settingsRoutes(context));
    await app.register(riskRoutes(context));
    await app.register(logRoutes(context));
    await app.register(integrateRoutes(context));
    await app.register(teamRoutes(context));
    await app.register(applicationRoutes(context));
    await app.register(operatorRoutes(context));
    await app.register(operatorAcquirerRoutes(context));
  };
}
