/** The mails about signing in. A link's secret stands in its fragment: no server's log and no Referer has it. */
import type { Mail } from "../mail/mailer.ts";

export function linkMails(dashboardOrigin: string) {
  const link = (path: string, token: string) => `${dashboardOrigin}/${path}#${token}`;
  return {
    verify: (to: string, token: string): Mail => ({
      to,
      subject: "Confirm your address",
      text: `Somebody, you we hope, signed up at Oriel with this address. Confirm it within 24 hours:\n\n${link("verify-email", token)}\n\nIf it was not you, do nothing: without this link nobody can sign in.`,
    }),
    existing: (to: string): Mail => ({
      to,
      subject: "You have a login already",
      text: `Somebody, you we hope, tried to sign up at Oriel with this address, which has a login already. Sign in:\n\n${dashboardOrigin}/sign-in\n\nIf you do not know the password any more, reset it there.`,
    }),
    reset: (to: string, token: string): Mail => ({
      to,
      subject: "Set a new password",
      text: `Somebody, you we hope, asked for a new password. Set one within 30 minutes:\n\n${link("reset-password", token)}\n\nYour second factor stays as it is. If it was not you, do nothing: your password has not changed.`,
    }),
    passwordChanged: (to: string): Mail => ({
      to,
      subject: "Your password was changed",
      text: `The password of your login at Oriel was changed, and all sessions were ended. If it was not you, set a new one at once and write to your operator:\n\n${dashboardOrigin}/forgot-password`,
    }),
    secondFactorChanged: (to: string, what: string): Mail => ({
      to,
      subject: "Your second factor was changed",
      text: `At your login at Oriel: ${what}. If it was not you, set a new password at once and write to your operator:\n\n${dashboardOrigin}/forgot-password`,
    }),
    invitation: (
      to: string,
      { accountName, invitedBy, token }: { accountName: string; invitedBy: string; token: string },
    ): Mail => ({
      to,
      subject: "An invitation",
      text: `${invitedBy} invites you to the team of ${accountName} at Oriel. Within seven days:\n\n${link("invitation", token)}\n\nIf you do not know them, do nothing.`,
    }),
  };
}
