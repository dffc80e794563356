/**
 * The emails about underwriting, sent to the owners of an account and to operators. Owners read the account's name and
 * the operator's reason, but nothing from the application itself.
 */
import type { ApplicationStatus } from "@oriel/protocol/dashboard/underwriting";
import type { EmailContent } from "../emails/mailer.ts";

export interface About {
  accountName: string;
  /** The operator's reason, if the owners are allowed to read it. */
  reason: string | null;
}

export function underwritingEmails(dashboardOrigin: string) {
  const signIn = `\n\n${dashboardOrigin}/sign-in`;
  return {
    /** Sent when an application reaches the status. */
    application: {
      submitted: ({ accountName }: About): EmailContent => ({
        subject: "Your application was submitted",
        text: `${accountName}'s application for live payments was submitted to the operator of this service. We'll email you when the review starts.${signIn}`,
      }),
      in_review: ({ accountName }: About): EmailContent => ({
        subject: "Your application is in review",
        text: `The operator of this service started reviewing ${accountName}'s application for live payments.${signIn}`,
      }),
      needs_information: ({ accountName, reason }: About): EmailContent => ({
        subject: "Your application needs more information",
        text: `The operator of this service needs more information to decide on ${accountName}'s application for live payments:\n\n${reason}\n\nSign in, add it, and submit the application again.${signIn}`,
      }),
      approved: ({ accountName, isLiveOn }: About & { isLiveOn: boolean }): EmailContent => ({
        subject: "Your application was approved",
        text: `${accountName}'s application for live payments was approved. Its team can now create live API keys.${isLiveOn ? "" : " They don't work yet, because the operator of this service hasn't switched on live payments."}${signIn}`,
      }),
      rejected: ({ accountName, reason }: About): EmailContent => ({
        subject: "Your application was not approved",
        text: `${accountName}'s application for live payments was not approved:\n\n${reason}\n\nTest mode still works, and you can apply again.${signIn}`,
      }),
    } satisfies Record<Exclude<ApplicationStatus, "draft">, (about: About & { isLiveOn: boolean }) => EmailContent>,
    /** Sent when the account's merchant ID at the acquirer changes. Null means it was removed. */
    acquirer: (merchantId: string | null, { accountName }: Pick<About, "accountName">): EmailContent => ({
      subject: merchantId === null ? "Your account can't take new live payments" : "Your account's merchant ID was set",
      text:
        merchantId === null
          ? `The operator of this service removed ${accountName}'s merchant ID at the acquirer, so the account can't take new live payments. Existing payments can still be captured, canceled and refunded.${signIn}`
          : `New live payments for ${accountName} use the acquirer merchant ID ${merchantId}. If that isn't yours, contact the operator of this service.${signIn}`,
    }),
    account: {
      suspended: ({ accountName, reason }: About): EmailContent => ({
        subject: "Your account was suspended",
        text: `The operator of this service suspended the account ${accountName}. Its API keys no longer work, and its checkout pages take no new payments.${reasonOf(reason)}\n\nPayments in progress will be completed. To have the account resumed, contact the operator.${signIn}`,
      }),
      active: ({ accountName, reason }: About): EmailContent => ({
        subject: "Your account was resumed",
        text: `The operator of this service resumed the account ${accountName}. Its API keys work again.${reasonOf(reason)}${signIn}`,
      }),
    },
  };
}

/** Tells operators. Without names, because it's sent half an hour later, when there can be more applications or none. */
export function toReviewEmail(dashboardOrigin: string): EmailContent {
  return {
    subject: "An application is waiting for review",
    text: `A merchant submitted an application for live payments. You can review it in the operator console:\n\n${dashboardOrigin}/sign-in\n\nOne email can be about several applications. You get at most one in half an hour.`,
  };
}

/** An operator who uses the command line gives no reason. */
function reasonOf(reason: string | null): string {
  return reason === null ? "" : ` Reason:\n\n${reason}`;
}
