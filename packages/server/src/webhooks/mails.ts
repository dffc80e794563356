/** The mails about webhook endpoints: a new address for what happened at the account is told to its owners (it may be somebody else's). */
import type { Letter } from "../merchants/mail/mailer.ts";
import { modeOf } from "../platform/tenant.ts";

export interface EndpointNews {
  what: "added" | "moved";
  accountName: string;
  livemode: boolean;
  id: string;
  /** Its address by its host: what comes after may be a secret. */
  host: string;
  /** The login's address. */
  by: string;
}

export function endpointLetter(dashboardOrigin: string, { what, accountName, livemode, id, host, by }: EndpointNews): Letter {
  const mode = modeOf({ livemode });
  const happened = what === "added" ? `A webhook endpoint at ${host} was added to` : `A webhook endpoint was moved to ${host} at`;
  return {
    subject: what === "added" ? "A webhook endpoint was added" : "A webhook endpoint was moved",
    text: `${happened} the account ${accountName}, in ${mode} mode, by ${by}. It gets the account's events from now on. It is ${id} on the page Webhooks:\n\n${dashboardOrigin}\n\nIf nobody of your team meant to do this, delete it there, and write to your operator.`,
  };
}
