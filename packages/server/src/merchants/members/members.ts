/**
 * An account's team: users with roles, at least one of them an owner. To become a member, the invited person accepts
 * the invitation while signed in with the invited email address, which is confirmed. The emailed link isn't required,
 * because people who sign up through it often continue in another tab or browser. An address has at most one open
 * invitation to a team, so that a removed member can't return with an older one. Each change locks the team and is
 * recorded in the audit log in the same transaction.
 */
import { createHash, randomBytes } from "node:crypto";
import type { Role } from "@oriel/protocol/dashboard/roles";
import type { ChangeRole, LinkedInvitation, OwnInvitation } from "@oriel/protocol/dashboard/setup";
import type { Membership } from "@oriel/protocol/dashboard/sign-in";
import { ChangedMeanwhileError } from "../../platform/changed-meanwhile.ts";
import { newId, ownerTag, tagLength, tenantOfId, tenantOfTag } from "../../platform/ids.ts";
import type { Db, Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { recordAudit } from "../audit/audit-log.ts";
import { lastActor } from "../audit/last-actor.ts";
import { faultOfName } from "../emails/check-name.ts";
import { dropEmailsAbout } from "../emails/outbox.ts";

/** The user who makes a change, as recorded in the audit log. */
export interface Actor {
  loginId: string;
  email: string;
}

export const invitationMs = 7 * 24 * 3_600_000;
/** The limit for an account's members and open invitations together. */
const maxTeam = 100;

export function actorName({ email }: Pick<Actor, "email">): string {
  return `login ${email}`;
}

/** The email address in an {@link actorName}. */
export function emailOf(actor: string): string {
  return actor.replace(/^login /, "");
}

export async function membershipsOf(db: Db, loginId: string): Promise<Membership[]> {
  const rows = await db
    .selectFrom("member")
    .innerJoin("account", "account.account_no", "member.account_no")
    .select(["account.id", "account.name", "account.status", "account.live_approved_at", "member.role"])
    .where("member.login_id", "=", loginId)
    .orderBy("account.id")
    .execute();
  return rows.map((row) => ({
    account_id: row.id,
    account_name: row.name,
    role: row.role,
    status: row.status,
    is_live_approved: row.live_approved_at !== null,
  }));
}

/** Returns undefined if the user isn't a member of this team or the account doesn't exist. */
export async function findMember(db: Db, accountId: string, loginId: string) {
  return await db
    .selectFrom("member")
    .innerJoin("account", "account.account_no", "member.account_no")
    .select(["member.account_no", "member.role", "account.status"])
    .where("account.id", "=", accountId)
    .where("member.login_id", "=", loginId)
    .executeTakeFirst();
}

async function roleOf(db: Db, accountNo: number, loginId: string): Promise<Role | undefined> {
  const member = db.selectFrom("member").select("role").where("account_no", "=", accountNo);
  return (await member.where("login_id", "=", loginId).executeTakeFirst())?.role;
}

export async function addMember(
  tx: Tx,
  accountNo: number,
  login: Actor,
  role: Role,
  now: Date,
  by: string,
): Promise<void> {
  await tx
    .insertInto("member")
    .values({ account_no: accountNo, login_id: login.loginId, role, created_at: now })
    .execute();
  const details = { role, email: login.email };
  await recordAudit(tx, { actor: by, action: "member.added", accountNo, objectId: login.loginId, details }, now);
}

export interface TeamMember {
  login_id: string;
  name: string;
  email: string;
  role: Role;
  created_at: Date;
}

export async function listMembers(db: Db, accountNo: number): Promise<TeamMember[]> {
  return await db
    .selectFrom("member")
    .innerJoin("login", "login.id", "member.login_id")
    .select(["login.id as login_id", "login.name", "login.email", "member.role", "member.created_at"])
    .where("member.account_no", "=", accountNo)
    .orderBy("member.created_at")
    .execute();
}

/** The email addresses of an account's owners. */
export async function ownerAddresses(db: Db, accountNo: number): Promise<string[]> {
  const owners = db
    .selectFrom("member")
    .innerJoin("login", "login.id", "member.login_id")
    .select("login.email")
    .where("member.account_no", "=", accountNo)
    .where("member.role", "=", "owner")
    .orderBy("member.created_at");
  return (await owners.execute()).map(({ email }) => email);
}

/** Lists the invitations that can still be accepted. */
export async function listInvitations(db: Db, accountNo: number, now: Date) {
  return await db
    .selectFrom("invitation")
    .select(["id", "email", "role", "invited_by", "created_at", "expires_at"])
    .where("account_no", "=", accountNo)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null)
    .where("expires_at", ">", now)
    .orderBy("id")
    .execute();
}

export type TeamRefusal =
  | "missing"
  | "last_owner"
  | "team_full"
  | "already_member"
  | "invitation_invalid"
  | "is_operator"
  | "account_suspended";

/** Who invites, as the invited person reads it and as the audit log records it. */
export interface Inviter {
  name: string;
  actor: string;
}

/**
 * Creates an invitation and revokes an open one for the same email address.
 * @param queue queues the email with the token, in the same transaction
 * @returns the token for the email's link, which is stored only as a hash, or why there is no invitation
 */
export async function invite(
  db: Db,
  accountNo: number,
  { email, role }: { email: string; role: Role },
  by: Inviter,
  now: Date,
  queue: (tx: Tx, token: string, id: string) => Promise<void>,
): Promise<{ id: string; token: string } | TeamRefusal> {
  const address = email.toLowerCase();
  return await db.transaction().execute(async (tx) => {
    await lockTeam(tx, accountNo);
    const members = await tx
      .selectFrom("member")
      .innerJoin("login", "login.id", "member.login_id")
      .select("login.email")
      .where("account_no", "=", accountNo)
      .execute();
    if (members.some((member) => member.email === address)) return "already_member";
    const open = (await listInvitations(tx, accountNo, now)).filter((invitation) => invitation.email !== address);
    if (members.length + open.length >= maxTeam) return "team_full";
    await revokeOpen(tx, accountNo, now, (open) => open.where("email", "=", address));
    const owner = { accountNo, livemode: false };
    const id = newId("inv", now, owner);
    const token = ownerTag(owner) + randomBytes(32).toString("base64url");
    await tx
      .insertInto("invitation")
      .values({
        id,
        account_no: accountNo,
        email: address,
        role,
        token_hash: hashOf(token),
        invited_by: by.name,
        created_at: now,
        expires_at: new Date(now.getTime() + invitationMs),
      })
      .execute();
    const details = { email: address, role };
    await recordAudit(tx, { actor: by.actor, action: "member.invited", accountNo, objectId: id, details }, now);
    await queue(tx, token, id);
    return { id, token };
  });
}

export async function revokeInvitation(
  db: Db,
  accountNo: number,
  id: string,
  by: Actor,
  now: Date,
): Promise<TeamRefusal | null> {
  return await db.transaction().execute(async (tx) => {
    await lockTeam(tx, accountNo);
    if (!(await revokeOpen(tx, accountNo, now, (open) => open.where("id", "=", id)))) return "missing";
    await recordAudit(tx, { actor: actorName(by), action: "member.invitation_revoked", accountNo, objectId: id }, now);
    return null;
  });
}

/** Lists the open invitations of a user, to all teams. */
export async function invitationsTo(db: Db, { email }: Pick<Actor, "email">, now: Date): Promise<OwnInvitation[]> {
  const rows = await db
    .selectFrom("invitation")
    .innerJoin("account", "account.account_no", "invitation.account_no")
    .select(["invitation.id", "account.id as account_id", "account.name"])
    .select(["invitation.role", "invitation.invited_by", "invitation.expires_at"])
    .where("invitation.email", "=", email.toLowerCase())
    .where("invitation.accepted_at", "is", null)
    .where("invitation.revoked_at", "is", null)
    .where("invitation.expires_at", ">", now)
    .orderBy("invitation.id")
    .limit(100)
    .execute();
  return rows.map(({ id, account_id, name, role, invited_by, expires_at }) => {
    return { id, account_name: nameForGuest(account_id, name), role, invited_by, expires: unixSeconds(expires_at) };
  });
}

/** Returns what the recipient of an emailed link knows, and whether it still works. Undefined for an unknown token. */
export async function readInvitation(db: Db, token: string, now: Date): Promise<LinkedInvitation | undefined> {
  const key = keyOfToken(token);
  if (key === undefined) return undefined;
  const invitation = await db
    .selectFrom("invitation")
    .innerJoin("account", "account.account_no", "invitation.account_no")
    .select(["account.id", "account.name", "email", "invited_by", "accepted_at", "revoked_at", "expires_at"])
    .where("invitation.account_no", "=", key.accountNo)
    .where("token_hash", "=", key.value)
    .executeTakeFirst();
  return (
    invitation && {
      status: statusOf(invitation, now),
      email: invitation.email,
      account_name: nameForGuest(invitation.id, invitation.name),
      invited_by: invitation.invited_by,
    }
  );
}

/** The account's ID if its name is older than our rules for names, because the guest may be a stranger. */
export function nameForGuest(accountId: string, name: string): string {
  return faultOfName(name) === null ? name : accountId;
}

/** A column that identifies an invitation, and its value. The account is part of both IDs and tokens. */
type InvitationKey =
  | { accountNo: number; column: "token_hash"; value: Buffer }
  | { accountNo: number; column: "id"; value: string };

function keyOfToken(token: string): Extract<InvitationKey, { column: "token_hash" }> | undefined {
  const accountNo = tenantOfTag(token.slice(0, tagLength))?.accountNo;
  return accountNo === undefined ? undefined : { accountNo, column: "token_hash", value: hashOf(token) };
}

function keyOfId(id: string): InvitationKey | undefined {
  const accountNo = tenantOfId(id)?.accountNo;
  return accountNo === undefined ? undefined : { accountNo, column: "id", value: id };
}

/**
 * @param by the token of the emailed link, or the invitation's ID
 * @returns the account that the user joined, or the reason why not, which is the same for unknown, used and other
 * people's invitations
 */
export async function acceptInvitation(
  db: Db,
  by: { token: string } | { id: string },
  login: Actor,
  now: Date,
): Promise<{ accountId: string } | TeamRefusal> {
  const key = "token" in by ? keyOfToken(by.token) : keyOfId(by.id);
  if (key === undefined) return "invitation_invalid";
  const { accountNo } = key;
  return await db.transaction().execute(async (tx) => {
    const own = tx.selectFrom("invitation").selectAll().where("account_no", "=", accountNo);
    const invitation = own.where(key.column, "=", key.value);
    // Look first, so that nobody can lock a team with a made-up token.
    if ((await invitation.executeTakeFirst())?.email !== login.email.toLowerCase()) return "invitation_invalid";
    const account = await lockTeam(tx, accountNo);
    const found = await invitation.executeTakeFirstOrThrow(); // read it again now that the team is locked
    if (statusOf(found, now) !== "open") return "invitation_invalid";
    // Lock the user, so that they can't become an operator at the same time.
    await tx.selectFrom("login").select("id").where("id", "=", login.loginId).forUpdate().executeTakeFirst();
    const operator = await tx
      .selectFrom("operator")
      .select("login_id")
      .where("login_id", "=", login.loginId)
      .executeTakeFirst();
    if (operator !== undefined) return "is_operator";
    if (account.status === "suspended") return "account_suspended";
    if ((await roleOf(tx, accountNo, login.loginId)) !== undefined) return "already_member";
    await openInvitations(tx, accountNo).set({ accepted_at: now }).where("id", "=", found.id).execute();
    await addMember(tx, accountNo, login, found.role, now, actorName(login));
    return { accountId: account.id };
  });
}

/** @throws ChangedMeanwhileError if the member's role isn't the one that the user saw */
export async function changeRole(
  db: Db,
  accountNo: number,
  loginId: string,
  { role, seen }: ChangeRole,
  by: Actor,
  now: Date,
): Promise<TeamRefusal | null> {
  return await changeMember(db, accountNo, loginId, role, async (tx, from) => {
    if (seen !== undefined && from !== seen) {
      const change = { actions: ["member.role_changed"], objectId: loginId } as const;
      throw new ChangedMeanwhileError("this member's role", {
        by: await lastActor(tx, accountNo, change),
        actor: actorName(by),
      });
    }
    await tx
      .updateTable("member")
      .set({ role })
      .where("account_no", "=", accountNo)
      .where("login_id", "=", loginId)
      .execute();
    if (from === "owner") await revokeInvitationsOf(tx, accountNo, loginId, now);
    const details = { from, to: role };
    await recordAudit(
      tx,
      { actor: actorName(by), action: "member.role_changed", accountNo, objectId: loginId, details },
      now,
    );
  });
}

export async function removeMember(
  db: Db,
  accountNo: number,
  loginId: string,
  by: Actor,
  now: Date,
): Promise<TeamRefusal | null> {
  return await changeMember(db, accountNo, loginId, null, async (tx) => {
    await tx.deleteFrom("member").where("account_no", "=", accountNo).where("login_id", "=", loginId).execute();
    await revokeInvitationsOf(tx, accountNo, loginId, now);
    await recordAudit(tx, { actor: actorName(by), action: "member.removed", accountNo, objectId: loginId }, now);
  });
}

/** Changes or removes a member, except the last owner. @param role the new role; null removes the member */
async function changeMember(
  db: Db,
  accountNo: number,
  loginId: string,
  role: Role | null,
  change: (tx: Tx, before: Role) => Promise<void>,
): Promise<TeamRefusal | null> {
  return await db.transaction().execute(async (tx) => {
    await lockTeam(tx, accountNo);
    const before = await roleOf(tx, accountNo, loginId);
    if (before === undefined) return "missing";
    if (before === role) return null;
    if (before === "owner" && (await countOwners(tx, accountNo)) === 1) return "last_owner";
    await change(tx, before);
    return null;
  });
}

/**
 * Allows one change of a team at a time, so that the last two owners can't remove each other. The lock doesn't block
 * payments, because they only reference the account.
 */
async function lockTeam(tx: Tx, accountNo: number) {
  return await tx
    .selectFrom("account")
    .select(["id", "status"])
    .where("account_no", "=", accountNo)
    .forNoKeyUpdate()
    .executeTakeFirstOrThrow();
}

function openInvitations(tx: Tx, accountNo: number) {
  return tx
    .updateTable("invitation")
    .where("account_no", "=", accountNo)
    .where("accepted_at", "is", null)
    .where("revoked_at", "is", null);
}

/** Revokes a former owner's invitations, so that they can't regain the role with a second email address. */
async function revokeInvitationsOf(tx: Tx, accountNo: number, loginId: string, now: Date): Promise<void> {
  const email = tx.selectFrom("login").select("email").where("id", "=", loginId);
  await revokeOpen(tx, accountNo, now, (open) => open.where("invited_by", "=", email));
}

/** Revokes open invitations, and deletes their emails that weren't sent yet. @returns whether there were any */
async function revokeOpen(
  tx: Tx,
  accountNo: number,
  now: Date,
  only: (open: ReturnType<typeof openInvitations>) => ReturnType<typeof openInvitations>,
): Promise<boolean> {
  const revoked = await only(openInvitations(tx, accountNo)).set({ revoked_at: now }).returning("id").execute();
  await dropEmailsAbout(
    tx,
    revoked.map(({ id }) => id),
  );
  return revoked.length > 0;
}

async function countOwners(tx: Tx, accountNo: number): Promise<number> {
  const owners = tx
    .selectFrom("member")
    .select("login_id")
    .where("account_no", "=", accountNo)
    .where("role", "=", "owner");
  return (await owners.execute()).length;
}

function statusOf(
  { accepted_at, revoked_at, expires_at }: Pick<Row<"invitation">, "accepted_at" | "revoked_at" | "expires_at">,
  now: Date,
): LinkedInvitation["status"] {
  if (accepted_at !== null) return "accepted";
  if (revoked_at !== null) return "revoked";
  return expires_at > now ? "open" : "expired";
}

function hashOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
