/**
 * The email to the owners of an account about a new webhook URL. It's sent however the URL was set, because someone with
 * a leaked secret key could otherwise receive all of the account's events unnoticed.
 */
import { isolate } from "@oriel/protocol/isolate";
import type { Letter } from "../merchants/mail/mailer.ts";
import type { MailContext } from "../merchants/mail/outbox.ts";
import { emailOwners } from "../merchants/members/email-owners.ts";
import { emailOf } from "../merchants/members/members.ts";
import type { Cause } from "../platform/cause.ts";
import type { Tx } from "../platform/storage/database.ts";
import type { Row } from "../platform/storage/tables.ts";
import { modeOf } from "../platform/tenant.ts";

/** @param what `moved`: its URL has changed */
export async function emailNewUrl(
  context: MailContext,
  tx: Tx,
  endpoint: Row<"webhook_endpoint">,
  what: "added" | "moved",
  cause: Cause,
): Promise<void> {
  await emailOwners(context, tx, endpoint.account_no, (accountName) =>
    endpointLetter(context.config.dashboardOrigin, endpoint, { what, accountName, cause }),
  );
}

function endpointLetter(
  dashboardOrigin: string,
  endpoint: Row<"webhook_endpoint">,
  { what, accountName, cause }: { what: "added" | "moved"; accountName: string; cause: Cause },
): Letter {
  const { host } = new URL(endpoint.url); // without the path, which may contain a secret
  const happened =
    what === "added"
      ? `A webhook endpoint at ${host} was added to the account ${accountName}`
      : `The URL of a webhook endpoint of the account ${accountName} was changed to ${host}`;
  const todo = cause.actor === undefined ? "delete the endpoint there, roll the key" : "delete the endpoint there";
  return {
    subject: what === "added" ? "A webhook endpoint was added" : "A webhook endpoint's URL was changed",
    text: `${happened}, in ${modeOf(endpoint)} mode, ${nameCause(cause)}. It receives the account's events from now on. You can find it on the Webhooks page as ${endpoint.id}:\n\n${dashboardOrigin}\n\nIf nobody on your team meant to do this, ${todo} and contact your operator.`,
  };
}

function nameCause({ actor, requestId }: Cause): string {
  if (actor !== undefined) return `by ${isolate(emailOf(actor))}`;
  return `with a secret API key. The Logs page shows which one, for the request ${requestId}`;
}
