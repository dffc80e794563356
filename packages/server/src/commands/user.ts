/** Commands that help users of the dashboard to sign in. */
import type { Command } from "@oriel/commands";
import { resetUser } from "../merchants/members/operators.ts";
import { restartPath } from "../merchants/sign-in/restart-sign-in.ts";
import { readDashboardOrigin } from "../platform/config.ts";
import { openEmailContext } from "./email-context.ts";
import { withDatabase } from "./with-database.ts";

export const userCommands: Command[] = [
  {
    name: "user reset",
    takes: ["EMAIL"],
    options: {},
    summary: "Let a user who can't sign in anymore set up signing in again",
    details: `For users who have lost their second factor and their recovery codes. First make sure that you're talking to the
right person, because whoever has the link can act as the user.

Ends the user's sessions, deletes the password, authenticator app, recovery codes and passkeys, and prints a link with
which the user chooses new ones. The link works once, within 24 hours. The user gets an email without the link.`,
    run: async ({ args: [email = ""], env, now, actor, print, log }) => {
      const dashboard = readDashboardOrigin(env);
      const token = await withDatabase(env, async ({ db }) => {
        const emailContext = await openEmailContext(env, db, "the user", now, log);
        return await resetUser(db, email, now(), actor, emailContext);
      });
      print(`${email} can't sign in until they have set up signing in again. ${setUpLink(dashboard, token)}`);
    },
  },
];

/** Says what to do with the link. */
export function setUpLink(dashboardOrigin: string, token: string): string {
  return `Send them this link in a way that nobody else can read:

${dashboardOrigin}/${restartPath}#${token}

It works once, within 24 hours. They choose a password with it and then set up a second factor.`;
}
