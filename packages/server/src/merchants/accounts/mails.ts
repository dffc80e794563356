/** The mail about an account's addresses: who may hold its checkout and where its customers are led is told to its owners (a change may be somebody else's). */
import type { Settings } from "@oriel/protocol/dashboard-setup";
import type { Letter } from "../mail/mailer.ts";

export interface AddressNews extends Pick<Settings, "name" | "allowed_origins" | "return_url_hosts"> {
  /** The login's address. */
  by: string;
}

export function addressesLetter(dashboardOrigin: string, { name, allowed_origins, return_url_hosts, by }: AddressNews): Letter {
  const list = (addresses: string[], none: string) => (addresses.length === 0 ? none : addresses.join("\n"));
  const origins = list(allowed_origins, "None: each session says it itself.");
  const hosts = list(return_url_hosts, "None: any.");
  return {
    subject: "The addresses of your account were changed",
    text: `The addresses of the account ${name} were changed by ${by}, in test and live mode alike. Sessions that are created from now on go by these.\n\nOrigins that may hold the form:\n${origins}\n\nHosts of return_url and cancel_url:\n${hosts}\n\nThey are on the page Settings:\n\n${dashboardOrigin}\n\nIf nobody of your team meant to do this, change them back there, and write to your operator.`,
  };
}
