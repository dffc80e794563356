/** The emails about signing in. A link's token is in its fragment, which never reaches a server log or a `Referer`. */
import type { Email } from "../emails/mailer.ts";

export function linkEmails(dashboardOrigin: string) {
  const link = (path: string, token: string) => `${dashboardOrigin}/${path}#${token}`;
  return {
    verify: (to: string, token: string): Email => ({
      to,
      subject: "Confirm your email address",
      text: `Someone signed up for Oriel with this email address. If it was you, confirm the address within 24 hours:\n\n${link("verify-email", token)}\n\nIf it wasn't you, ignore this email. Nobody can sign in without this link.`,
    }),
    existing: (to: string): Email => ({
      to,
      subject: "You already have an Oriel user",
      text: `Someone tried to sign up for Oriel with this email address, which already belongs to a user. If it was you, sign in instead:\n\n${dashboardOrigin}/sign-in\n\nIf you forgot your password, you can reset it there.`,
    }),
    reset: (to: string, token: string): Email => ({
      to,
      subject: "Reset your password",
      text: `Someone asked to reset your Oriel password. If it was you, set a new one within 30 minutes:\n\n${link("reset-password", token)}\n\nYour second factor stays the same. If it wasn't you, ignore this email. Your password hasn't changed.`,
    }),
    passwordChanged: (to: string): Email => ({
      to,
      subject: "Your password was changed",
      text: `Your Oriel password was changed, and all other sessions were ended. If it wasn't you, set a new password now and contact the operator of this service:\n\n${dashboardOrigin}/forgot-password`,
    }),
    secondFactorChanged: (to: string, what: string): Email => ({
      to,
      subject: "Your second factor was changed",
      text: `There was a change to how you sign in to Oriel: ${what}. If it wasn't you, set a new password now and contact the operator of this service:\n\n${dashboardOrigin}/forgot-password`,
    }),
    signInReset: (to: string): Email => ({
      to,
      subject: "Your sign-in was reset",
      text: `The operator of this service reset how you sign in to Oriel: your password, authenticator app, recovery codes and passkeys no longer work, and your sessions were ended. To choose new ones, use the link that the operator gives you. If you didn't ask for this, contact the operator now, because someone else may have the link.\n\n${dashboardOrigin}`,
    }),
    recoveryCodeUsed: (to: string): Email => ({
      to,
      subject: "A recovery code was used to sign in",
      text: `Someone signed in to Oriel with your password and one of your recovery codes. If it wasn't you, set a new password now and contact the operator of this service:\n\n${dashboardOrigin}/forgot-password`,
    }),
    invitation: (
      to: string,
      { accountName, invitedBy, token }: { accountName: string; invitedBy: string; token: string },
    ): Email => ({
      to,
      subject: "You're invited to a team on Oriel",
      text: `${invitedBy} invited you to join the team of ${accountName} on Oriel. Accept within seven days:\n\n${link("invitation", token)}\n\nIf you don't know them, ignore this email.`,
    }),
  };
}
