/**
 * An account's team: `/data/:account/:mode/team`, which is the same in both modes, and accepting invitations. Each
 * request reads the member's row, so a new role or a removal takes effect with the member's next request.
 *
 * The response to an invitation doesn't reveal whether the email address has a user.
 */
import type { FastifyPluginAsyncTypebox } from "@fastify/type-provider-typebox";
import Type from "typebox";
import {
  AcceptInvitation,
  ChangeRole,
  Invite,
  type Accepted,
  type OwnInvitations,
  type Invited,
  type Team,
} from "@oriel/protocol/dashboard/setup";
import { isolate } from "@oriel/protocol/isolate";
import { accountName } from "../../../merchants/accounts/accounts.ts";
import type { MerchantContext } from "../../../merchants/context.ts";
import { queueEmail } from "../../../merchants/emails/outbox.ts";
import {
  acceptInvitation,
  actorName,
  changeRole,
  invitationMs,
  invitationsTo,
  invite,
  listInvitations,
  listMembers,
  nameForGuest,
  removeMember,
  revokeInvitation,
  type TeamRefusal,
} from "../../../merchants/members/members.ts";
import { linkEmails } from "../../../merchants/sign-in/emails.ts";
import { ApiError, missingInPath } from "../../../platform/errors.ts";
import { createRateLimiter, type Rate } from "../../../platform/limits/rate-limit.ts";
import { unixSeconds } from "../../../platform/unix-seconds.ts";
import { closed, Id } from "../params.ts";
import { WorkspacePath, WorkspacePathById } from "./account-params.ts";
import { DashboardError, tooMany } from "./errors.ts";

/** Limited because each invitation sends an email with the account's name to an address that may be anyone's. */
const invitations: Rate = { perSecond: 1 / 120, burst: 30 };

const path = "/data/:account/:mode/team";
const withStepUp = { config: { needs: "owning", stepUp: true } } as const;
const WorkspacePathByLogin = Type.Object({ ...WorkspacePath.properties, login_id: Id }, closed);

export function teamRoutes(context: MerchantContext): FastifyPluginAsyncTypebox {
  const { db, now, config } = context;
  const emails = linkEmails(config.dashboardOrigin);
  const limiter = createRateLimiter(db);

  return async (app) => {
    app.get(
      path,
      { config: { needs: "data.read" }, schema: { params: WorkspacePath } },
      async ({ workspace, visitor }): Promise<Team> => {
        const { accountNo } = workspace.tenant;
        const members = await listMembers(db, accountNo);
        const open = await listInvitations(db, accountNo, now());
        return {
          members: members.map(({ login_id, name, email, role, created_at }) => {
            return {
              login_id,
              name,
              email,
              role,
              created: unixSeconds(created_at),
              is_you: login_id === visitor.loginId,
            };
          }),
          invitations: open.map(({ id, email, role, invited_by, created_at, expires_at }) => {
            return { id, email, role, invited_by, created: unixSeconds(created_at), expires: unixSeconds(expires_at) };
          }),
        };
      },
    );

    app.post(
      `${path}/invitations`,
      { ...withStepUp, schema: { params: WorkspacePath, body: Invite } },
      async ({ workspace, visitor, body }): Promise<Invited> => {
        const { accountNo } = workspace.tenant;
        const { allowed, resetSeconds } = await limiter.take(`invitations to ${accountNo}`, invitations);
        if (!allowed) throw tooMany("invitations", resetSeconds);
        const by = { name: visitor.email, actor: actorName(visitor) };
        const invited = await invite(db, accountNo, body, by, now(), async (tx, token, id) => {
          const name = nameForGuest(workspace.accountId, await accountName(tx, accountNo));
          const email = emails.invitation(body.email, {
            accountName: isolate(name),
            invitedBy: isolate(visitor.email),
            token,
          });
          await queueEmail(context, tx, workspace, email, { expiresInMs: invitationMs, about: id });
        });
        if (typeof invited === "string") throw refusal(invited, body.email);
        return { id: invited.id, status: "mail_sent" };
      },
    );

    app.delete(
      `${path}/invitations/:id`,
      { ...withStepUp, schema: { params: WorkspacePathById } },
      async ({ workspace, visitor, params }) => {
        const refused = await revokeInvitation(db, workspace.tenant.accountNo, params.id, visitor, now());
        if (refused !== null) throw missingInPath("invitation", params.id);
        return { status: "revoked" };
      },
    );

    app.patch(
      `${path}/members/:login_id`,
      { ...withStepUp, schema: { params: WorkspacePathByLogin, body: ChangeRole } },
      async ({ workspace, visitor, params, body }) => {
        const refused = await changeRole(db, workspace.tenant.accountNo, params.login_id, body, visitor, now());
        if (refused !== null) throw refusal(refused, params.login_id);
        return { status: "changed" };
      },
    );

    app.delete(
      `${path}/members/:login_id`,
      { ...withStepUp, schema: { params: WorkspacePathByLogin } },
      async ({ workspace, visitor, params }) => {
        const refused = await removeMember(db, workspace.tenant.accountNo, params.login_id, visitor, now());
        if (refused !== null) throw refusal(refused, params.login_id);
        return { status: "removed" };
      },
    );

    app.get(
      "/auth/invitations",
      { config: { needs: "second_factor" } },
      async ({ visitor }): Promise<OwnInvitations> => {
        return { data: visitor.isOperator ? [] : await invitationsTo(db, visitor, now()) };
      },
    );

    app.post(
      "/auth/invitations/accept",
      { config: { needs: "second_factor" }, schema: { body: AcceptInvitation } },
      async ({ visitor, body: { token, id } }): Promise<Accepted> => {
        if ((token === undefined) === (id === undefined))
          throw new ApiError("parameter_missing", "Send either `token` or `id`.", { param: "token" });
        const by = token === undefined ? { id: id ?? "" } : { token };
        const accepted = await acceptInvitation(db, by, visitor, now());
        if (typeof accepted === "string") throw refusal(accepted, "");
        return { account_id: accepted.accountId };
      },
    );
  };
}

/** @param id the member's ID or the invited email address */
function refusal(why: TeamRefusal, id: string): Error {
  switch (why) {
    case "missing":
      return missingInPath("member", id);
    case "last_owner":
      return new DashboardError(
        "not_possible_now",
        "This member is the team's only owner. Make another member an owner first.",
      );
    case "team_full":
      return new DashboardError("not_possible_now", "The team is full. Remove a member or revoke an invitation first.");
    case "already_member":
      return new DashboardError("not_possible_now", "A user with this email address is already on the team.");
    case "invitation_invalid":
      return new DashboardError(
        "link_invalid",
        "This invitation has been used, was revoked, has expired, or is for another email address.",
      );
    case "is_operator":
      return new DashboardError(
        "not_possible_now",
        "Operators can't join a team. To accept the invitation, sign in as another user.",
      );
    case "account_suspended":
      return new DashboardError(
        "not_possible_now",
        "This account is suspended, so you can't make changes. Contact the operator.",
      );
  }
}
