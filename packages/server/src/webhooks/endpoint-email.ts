/**
 * The email to the owners of an account about a new webhook URL. It's sent however the URL was set, because someone
 * with a leaked secret key could otherwise receive all of the account's events unnoticed. The first few in an hour are
 * sent at once. Then one email is about all that follow, so that nobody can hide a URL among hundreds of emails.
 */
import { isolate } from "@oriel/protocol/isolate";
import type { EmailContent } from "../merchants/emails/mailer.ts";
import type { EmailContext } from "../merchants/emails/outbox.ts";
import { emailOwners, emailOwnersCollected } from "../merchants/members/email-owners.ts";
import { emailOf } from "../merchants/members/members.ts";
import type { Cause } from "../platform/cause.ts";
import { createRateLimiter, type Rate } from "../platform/limits/rate-limit.ts";
import type { Tx } from "../platform/storage/database.ts";
import type { Row } from "../platform/storage/tables.ts";
import { modeOf } from "../platform/tenant.ts";

/** The limit per account on emails that are sent at once. */
const atOnce: Rate = { perSecond: 5 / 3600, burst: 5 };

/** @param what `moved`: its URL has changed */
export async function emailNewUrl(
  context: EmailContext,
  tx: Tx,
  endpoint: Row<"webhook_endpoint">,
  what: "added" | "moved",
  cause: Cause,
): Promise<void> {
  const { dashboardOrigin } = context.config;
  const { account_no } = endpoint;
  // A limiter of its own for each transaction, so that a rollback returns the token.
  const { allowed } = await createRateLimiter(tx).take(`emails on webhook URLs of ${account_no}`, atOnce);
  if (allowed)
    await emailOwners(context, tx, account_no, (accountName) =>
      endpointEmail(dashboardOrigin, endpoint, { what, accountName, cause }),
    );
  else
    await emailOwnersCollected(context, tx, account_no, "webhook URLs", (accountName) =>
      manyUrlsEmail(dashboardOrigin, accountName),
    );
}

/** Doesn't name the URLs, because it's sent half an hour later, when there can be more. */
function manyUrlsEmail(dashboardOrigin: string, accountName: string): EmailContent {
  return {
    subject: "More webhook URLs were added or changed",
    text: `So many webhook URLs of the account ${accountName} were added or changed within an hour that this one email is about several changes. Check every endpoint on the Webhooks page, in test mode and live mode. The Request log page shows which requests were made with a secret API key:\n\n${dashboardOrigin}\n\nIf nobody on your team meant to do this, delete the endpoints that you don't know, rotate the key and contact your operator.`,
  };
}

function endpointEmail(
  dashboardOrigin: string,
  endpoint: Row<"webhook_endpoint">,
  { what, accountName, cause }: { what: "added" | "moved"; accountName: string; cause: Cause },
): EmailContent {
  const { host } = new URL(endpoint.url); // without the path, which may contain a secret
  const happened =
    what === "added"
      ? `A webhook endpoint at ${host} was added to the account ${accountName}`
      : `The URL of a webhook endpoint of the account ${accountName} was changed to ${host}`;
  const todo = cause.actor === undefined ? "delete the endpoint there, rotate the key" : "delete the endpoint there";
  return {
    subject: what === "added" ? "A webhook endpoint was added" : "A webhook endpoint's URL was changed",
    text: `${happened}, in ${modeOf(endpoint)} mode, ${nameCause(cause)}. It receives the account's events from now on. You can find it on the Webhooks page as ${endpoint.id}:\n\n${dashboardOrigin}\n\nIf nobody on your team meant to do this, ${todo} and contact your operator.`,
  };
}

function nameCause({ actor, requestId }: Cause): string {
  if (actor !== undefined) return `by ${isolate(emailOf(actor))}`;
  return `with a secret API key. The Request log page shows which one, for the request ${requestId}`;
}
