/**
 * The account's settings in the dashboard: `/data/:account/:mode/settings`. They are the same in both modes. Who may
 * hold the checkout and where customers are led needs a fresh session, and a change of it is told to the owners by
 * mail.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ChangeSettings, RenameAccount, type Settings } from "@oriel/protocol/dashboard-setup";
import { isolate } from "@oriel/protocol/isolate";
import {
  changeAccountSettings,
  readAccountSettings,
  renameAccount,
} from "../../../merchants/accounts/account-settings.ts";
import type { Letter } from "../../../merchants/mail/mailer.ts";
import type { Context } from "../../context.ts";
import { actorName } from "../../../merchants/members/members.ts";
import { writeToOwners } from "../../../merchants/members/write-to-owners.ts";
import { AtDesk } from "./desk-params.ts";
import { DashboardError } from "./errors.ts";
import { requireStepUp } from "./guard.ts";

const path = "/data/:account/:mode/settings";

export function settingsRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { db, now, config } = context;
  return async (app) => {
    app.get(path, { config: { needs: "data.read" }, schema: { params: AtDesk } }, async ({ desk }) => {
      return await readAccountSettings(db, desk.tenant.accountId);
    });

    app.patch(
      path,
      { config: { needs: "developing" }, schema: { params: AtDesk, body: ChangeSettings } },
      async ({ desk, visitor, body }) => {
        const { accountId } = desk.tenant;
        if (body.allowed_origins !== undefined || body.return_url_hosts !== undefined) requireStepUp(context, visitor);
        const areOthers = await changeAccountSettings(db, accountId, body, now(), actorName(visitor));
        const settings = await readAccountSettings(db, accountId);
        if (areOthers)
          writeToOwners(context, accountId, (name) =>
            addressesLetter(config.dashboardOrigin, { ...settings, name, by: isolate(visitor.email) }),
          );
        return settings;
      },
    );

    app.put(
      `${path}/name`,
      { config: { needs: "owning" }, schema: { params: AtDesk, body: RenameAccount } },
      async ({ desk, visitor, body }) => {
        const { accountId } = desk.tenant;
        if (!(await renameAccount(db, accountId, body.name, now(), actorName(visitor))))
          throw new DashboardError(
            "not_possible_now",
            "An account keeps its name while its application is looked at, and once it is approved. Write to the operator.",
          );
        return await readAccountSettings(db, accountId);
      },
    );
  };
}

interface AddressNews extends Pick<Settings, "name" | "allowed_origins" | "return_url_hosts"> {
  /** The login's address. */
  by: string;
}

function addressesLetter(
  dashboardOrigin: string,
  { name, allowed_origins, return_url_hosts, by }: AddressNews,
): Letter {
  const list = (addresses: string[], none: string) => (addresses.length === 0 ? none : addresses.join("\n"));
  const origins = list(allowed_origins, "None: each session says it itself.");
  const hosts = list(return_url_hosts, "None: any.");
  return {
    subject: "The addresses of your account were changed",
    text: `The addresses of the account ${name} were changed by ${by}, in test and live mode alike. Sessions that are created from now on go by these.\n\nOrigins that may hold the form:\n${origins}\n\nHosts of return_url and cancel_url:\n${hosts}\n\nThey are on the page Settings:\n\n${dashboardOrigin}\n\nIf nobody of your team meant to do this, change them back there, and write to your operator.`,
  };
}
