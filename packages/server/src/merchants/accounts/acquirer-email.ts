/** The email to the owners of an account whose acquirer account was set, replaced or changed by an operator. */
import type { ConnectorName } from "@oriel/protocol/connectors";
import type { EmailContent } from "../emails/mailer.ts";

const vendors: Record<ConnectorName, string> = { adyen: "Adyen" };

interface About {
  accountName: string;
  livemode: boolean;
  change: "created" | "replaced" | "changed";
  isCurrent: boolean;
  connector: ConnectorName;
  /** The origin to which card numbers are sent. */
  destination: string;
}

export function acquirerEmail(
  dashboardOrigin: string,
  { accountName, livemode, change, isCurrent, connector, destination }: About,
): EmailContent {
  const vendor = vendors[connector];
  const mode = livemode ? "live" : "test";
  const what = {
    created: `connected ${accountName} to an account at ${vendor}. New ${mode} payments are made with it.`,
    replaced: `connected ${accountName} to another account at ${vendor}. New ${mode} payments are made with it. Existing payments are still captured, canceled and refunded with the previous one.`,
    changed: isCurrent
      ? `changed the connection of ${accountName} to its account at ${vendor}. It's used for new and existing ${mode} payments.`
      : `changed the connection of ${accountName} to an earlier account at ${vendor}. It's only used for ${mode} payments that were made with it.`,
  };
  return {
    subject: `Your account's connection to ${vendor} was ${change === "created" ? "set up" : "changed"}`,
    text: `The operator of this service ${what[change]} Card data is sent to ${destination}. If you didn't expect this, contact the operator.\n\n${dashboardOrigin}/sign-in`,
  };
}
