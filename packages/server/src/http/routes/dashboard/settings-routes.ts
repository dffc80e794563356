/**
 * The account's settings in the dashboard: `/data/:account/:mode/settings`. They are the same in both modes. Changing
 * the allowed origins or the redirect hosts needs step-up authentication, and the owners get an email about it.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ChangeSettings, RenameAccount, type Settings } from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import {
  changeAccountSettings,
  readAccountSettings,
  renameAccount,
} from "../../../merchants/accounts/account-settings.ts";
import type { EmailContent } from "../../../merchants/emails/mailer.ts";
import { emailOwners } from "../../../merchants/members/email-owners.ts";
import { actorName } from "../../../merchants/members/members.ts";
import type { Context } from "../../context.ts";
import { WorkspacePath } from "./account-params.ts";
import { DashboardError } from "./errors.ts";
import { requireStepUp } from "./guard.ts";

const path = "/data/:account/:mode/settings";

export function settingsRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { db, now, config } = context;
  return async (app) => {
    app.get(path, { config: { needs: "data.read" }, schema: { params: WorkspacePath } }, async ({ workspace }) => {
      return await readAccountSettings(db, workspace.tenant.accountNo);
    });

    app.patch(
      path,
      { config: { needs: "developing" }, schema: { params: WorkspacePath, body: ChangeSettings } },
      async ({ workspace, visitor, body }) => {
        const { accountNo } = workspace.tenant;
        if (body.allowed_origins !== undefined || body.return_url_hosts !== undefined) requireStepUp(context, visitor);
        await changeAccountSettings(db, accountNo, body, now(), actorName(visitor), async (tx) => {
          const settings = await readAccountSettings(tx, accountNo);
          await emailOwners(context, tx, accountNo, (name) =>
            addressesEmail(config.dashboardOrigin, { ...settings, name, by: isolate(visitor.email) }),
          );
        });
        return await readAccountSettings(db, accountNo);
      },
    );

    app.put(
      `${path}/name`,
      { config: { needs: "owning" }, schema: { params: WorkspacePath, body: RenameAccount } },
      async ({ workspace, visitor, body }) => {
        const { accountNo } = workspace.tenant;
        if (!(await renameAccount(db, accountNo, body, now(), actorName(visitor))))
          throw new DashboardError(
            "not_possible_now",
            "You can't rename an account while its application is in review or after the application is approved. Contact the operator.",
          );
        return await readAccountSettings(db, accountNo);
      },
    );
  };
}

interface AddressNews extends Pick<Settings, "name" | "allowed_origins" | "return_url_hosts"> {
  /** The user's email address. */
  by: string;
}

function addressesEmail(
  dashboardOrigin: string,
  { name, allowed_origins, return_url_hosts, by }: AddressNews,
): EmailContent {
  const list = (addresses: string[], none: string) => (addresses.length === 0 ? none : addresses.join("\n"));
  const origins = list(allowed_origins, "None. Each session sets its own.");
  const hosts = list(return_url_hosts, "None. Any host is allowed.");
  return {
    subject: "Your account's origins and redirect hosts were changed",
    text: `${by} changed the allowed origins or redirect hosts of the account ${name}, for test and live mode. The change applies to new sessions.\n\nOrigins that can embed the checkout:\n${origins}\n\nHosts of return_url and cancel_url:\n${hosts}\n\nYou can see and change them on the Settings page:\n\n${dashboardOrigin}\n\nIf nobody on your team meant to do this, change them back there and contact your operator.`,
  };
}
