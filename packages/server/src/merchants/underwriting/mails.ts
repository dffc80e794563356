/**
 * The mails about underwriting, to the owners of an account. They hold its name and the operator's reason, and nothing
 * of what the application says.
 */
import type { ApplicationStatus } from "@oriel/protocol/dashboard-underwriting";
import type { Letter } from "../mail/mailer.ts";

export interface About {
  accountName: string;
  /** What the owners may read of the operator's reason. */
  reason: string | null;
}

export function underwritingLetters(dashboardOrigin: string) {
  const signIn = `\n\n${dashboardOrigin}/sign-in`;
  return {
    /** Of an application that has come to that status. */
    application: {
      submitted: ({ accountName }: About): Letter => ({
        subject: "Your application was sent",
        text: `The application of ${accountName} for live payments was sent to the operator of this service. You will hear when somebody looks at it.${signIn}`,
      }),
      in_review: ({ accountName }: About): Letter => ({
        subject: "Your application is being looked at",
        text: `The operator of this service is looking at the application of ${accountName} for live payments.${signIn}`,
      }),
      needs_information: ({ accountName, reason }: About): Letter => ({
        subject: "Your application needs something more",
        text: `To decide about the application of ${accountName} for live payments, the operator of this service needs something more:\n\n${reason}\n\nSign in, add it, and send the application again.${signIn}`,
      }),
      approved: ({ accountName }: About): Letter => ({
        subject: "Your application was approved",
        text: `The application of ${accountName} for live payments was approved: its team can make live keys now.${signIn}`,
      }),
      rejected: ({ accountName, reason }: About): Letter => ({
        subject: "Your application was not approved",
        text: `The application of ${accountName} for live payments was not approved:\n\n${reason}\n\nTest mode stays as it is, and you may apply again.${signIn}`,
      }),
    } satisfies Record<Exclude<ApplicationStatus, "draft">, (about: About) => Letter>,
    /** What it is called at the acquirer; null: nothing any more. */
    acquirer: (merchantId: string | null, { accountName }: Pick<About, "accountName">): Letter => ({
      subject: merchantId === null ? "Your account takes no new live payments" : "Your account's merchant id was set",
      text:
        merchantId === null
          ? `The operator of this service has taken the merchant id of ${accountName} away: it takes no new live payments. What was paid can be captured, canceled and refunded.${signIn}`
          : `Live payments of ${accountName} are sold under the acquirer's merchant id ${merchantId} from now on. If that is not yours, write to the operator of this service.${signIn}`,
    }),
    account: {
      suspended: ({ accountName, reason }: About): Letter => ({
        subject: "Your account was suspended",
        text: `The operator of this service has suspended the account ${accountName}. Its keys open nothing, and its pages take no new payments:\n\n${reason}\n\nWhat was under way is finished. Write to the operator to have it resumed.${signIn}`,
      }),
      active: ({ accountName, reason }: About): Letter => ({
        subject: "Your account was resumed",
        text: `The operator of this service has resumed the account ${accountName}. Its keys work again:\n\n${reason}${signIn}`,
      }),
    },
  };
}
