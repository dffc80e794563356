/**
 * `/auth`: sign-up, and what the links of two emails lead to: the confirmation of the address, and an invitation to a
 * team. Sign-up responds the same way, in the same time, whether or not the email address has a user.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import { ReadInvitation, type LinkedInvitation } from "@oriel/protocol/dashboard/setup";
import { SignUp, VerifyEmail } from "@oriel/protocol/dashboard/sign-in";
import { checkName } from "../../../merchants/emails/check-name.ts";
import { readInvitation } from "../../../merchants/members/members.ts";
import type { Context } from "../../context.ts";
import { DashboardError, tooMany } from "./errors.ts";
import { headersOf } from "./guard.ts";
import { linkInvalid, refuseUnsuitable, signInRecords } from "./sign-in-records.ts";

const maxSignUps = 200;

export function signUpRoutes(context: Context): FastifyPluginAsyncTypebox {
  const { auth, db, now } = context;
  const { afterResponse } = signInRecords(context);
  const signingUp = { waiting: 0, last: Promise.resolve<unknown>(undefined) };

  return async (app) => {
    const open = { config: { needs: "nothing" } } as const;

    app.post("/auth/sign-up", { ...open, schema: { body: SignUp } }, async (request) => {
      const { name, email, password, account_name = null } = request.body;
      checkName(name, "name");
      if (account_name !== null) checkName(account_name, "account_name");
      refuseUnsuitable(password, { email, name });
      const body = { name, email, password, pendingAccountName: account_name };
      if (signingUp.waiting >= maxSignUps) throw tooMany("sign-ups", 5);
      signingUp.waiting++;
      const headers = headersOf(request);
      // Run sign-ups one at a time, because each one holds a database connection while it hashes the password.
      const signedUp = signingUp.last
        .then(() => auth.api.signUpEmail({ body, headers, asResponse: true }))
        .finally(() => signingUp.waiting--);
      signingUp.last = signedUp.catch(() => {});
      afterResponse("sign up", signedUp);
      return { status: "mail_sent" };
    });

    app.post("/auth/verify-email", { ...open, schema: { body: VerifyEmail } }, async ({ body }) => {
      const response = await auth.api.verifyEmail({ query: { token: body.token }, asResponse: true });
      if (!response.ok) throw linkInvalid();
      return { status: "verified" };
    });

    app.post(
      "/auth/invitations/read",
      { ...open, schema: { body: ReadInvitation } },
      async ({ body }): Promise<LinkedInvitation> => {
        const invitation = await readInvitation(db, body.token, now());
        if (invitation !== undefined) return invitation;
        const message = "This invitation is invalid. Open the link in the latest email, or ask for a new invitation.";
        throw new DashboardError("link_invalid", message);
      },
    );
  };
}
