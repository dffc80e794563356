/**
 * What a merchant's developers set up in the dashboard, and its team: secret keys, webhook endpoints, the account's
 * settings, trying it out. All under `/data/:account/:mode/`; `[step-up]` marks what needs password and code within ten
 * minutes. Lists are {@link List}s, newest first, asked for with `?limit=&starting_after=`.
 */
import Type, { type Static } from "typebox";
import { Appearance, overlaps, type WebhookEndpoint } from "./api.ts";
import { maxAmountMinor } from "./currency.ts";
import { Email, Name, roles, type Role } from "./dashboard.ts";
import { hiddenCharacter } from "./foreign-text.ts";
import type { FrameAppearance } from "./frame-looks.ts";
import { closed, nullable, words } from "./shapes.ts";

/**
 * One line, without hidden characters (`foreign-text.ts`). One with a secret in it is refused: names are for everyone
 * to read.
 */
const KeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^(?!.*(oriel_sk_|whsec_))(?=.*\\S)(?!.*${hiddenCharacter}).+$`,
});
/** How long what is replaced goes on beside what replaces it. */
const OverlapChoice = Type.Optional(words(overlaps));

// --- secret keys
// ----------------------------------------------------------------------------------------------------------------------

/** What a key may do: everything, read, or create and read checkout sessions. */
export const keyScopes = ["full", "read", "checkout"] as const;
export type KeyScope = (typeof keyScopes)[number];

/**
 * `POST keys` [step-up] -> {@link NewSecretKey}. 409 `not_possible_now` for a live key of an account that is not
 * approved.
 */
export const CreateSecretKey = closed({ name: KeyName, scope: words(keyScopes) });
export type CreateSecretKey = Static<typeof CreateSecretKey>;

/**
 * `POST keys/:id/roll` [step-up] -> {@link NewSecretKey}. 409 `not_possible_now` for one that is not valid any more.
 * Default `24h`.
 */
export const RollSecretKey = closed({ overlap: OverlapChoice });
export type RollSecretKey = Static<typeof RollSecretKey>;

/** `GET keys` -> `List<SecretKey>`; `POST keys/:id/revoke` with `{}` -> the key */
export interface SecretKey {
  id: string;
  name: string;
  scope: KeyScope;
  /** All of it that is known after it was made. */
  last4: string;
  /** Unix time in seconds, as all times here. */
  created: number;
  /** To the minute. */
  last_used: number | null;
  /** Given by rolling. */
  expires: number | null;
  revoked: number | null;
  state: "valid" | "expired" | "revoked";
}

export interface NewSecretKey {
  key: SecretKey;
  /** `oriel_sk_...`. Shown now and never again. */
  secret_key: string;
}

// --- webhook endpoints
// ----------------------------------------------------------------------------------------------------------------

/**
 * As in the API, with its shapes (`webhooks.ts`): `GET webhook_endpoints`, `POST webhook_endpoints` [step-up] ->
 * `CreatedWebhookEndpoint`, `GET|PATCH|DELETE webhook_endpoints/:id` (a PATCH with `url` [step-up]), `GET
 * webhook_endpoints/:id/deliveries?status=&event_id=`, `POST webhook_endpoints/:id/rotate_secret` [step-up] ->
 * `CreatedWebhookEndpoint`, `POST webhook_endpoints/:id/test` with `{}` -> the `ping` event.
 *
 * `POST webhook_endpoints/:id/reveal` with `{}` [step-up] -> {@link RevealedSecret}
 */
export interface RevealedSecret {
  /** The signing secret, `whsec_...`; the newer one while two overlap. */
  secret: string;
}

export type { WebhookEndpoint };

// --- settings
// -------------------------------------------------------------------------------------------------------------------------

/**
 * `PATCH settings` [step-up for origins and hosts, not for the look]: changes what is given, for both modes, and for
 * sessions that are created from then on. -> {@link Settings}
 */
export const ChangeSettings = closed({
  /** Exact origins, `https://shop.example`. Sessions may narrow the list, not widen it; empty leaves it to them. */
  allowed_origins: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20, uniqueItems: true })),
  /** Hosts that `return_url` and `cancel_url` may have, `shop.example` or `localhost:4242`. Empty: any. */
  return_url_hosts: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20, uniqueItems: true })),
  /** Of sessions that name none. Null: ours. */
  appearance: Type.Optional(nullable(Appearance)),
});
export type ChangeSettings = Static<typeof ChangeSettings>;

/**
 * `PUT settings/name` (an owner): what customers and banks see as the seller, from the next payment on. -> {@link
 * Settings}
 */
export const RenameAccount = closed({ name: Name });
export type RenameAccount = Static<typeof RenameAccount>;

/** `GET settings` */
export interface Settings {
  account_id: string;
  name: string;
  allowed_origins: string[];
  return_url_hosts: string[];
  appearance: FrameAppearance | null;
}

// --- trying it out
// --------------------------------------------------------------------------------------------------------------------

/** `GET integrate`: when each step was first done in this mode, null where it was not yet. */
export interface Checklist {
  key_used: number | null;
  session_created: number | null;
  payment_succeeded: number | null;
  endpoint_created: number | null;
  webhook_answered: number | null;
}

/**
 * `POST integrate/session`, test mode only -> {@link TestSession}: a checkout that the dashboard's own page may hold,
 * and no other.
 */
export const CreateTestSession = closed({
  amount: Type.Integer({ minimum: 1, maximum: maxAmountMinor }),
  currency: Type.String({ pattern: "^[a-z]{3}$" }),
});
export type CreateTestSession = Static<typeof CreateTestSession>;

export interface TestSession {
  embed_url: string;
}

// --- the team
// -------------------------------------------------------------------------------------------------------------------------

/** `GET team` */
export interface Team {
  members: TeamMember[];
  /** Those that can still be accepted. */
  invitations: Invitation[];
}

export interface TeamMember {
  /**
   * `PATCH team/members/:login_id` [step-up]; `DELETE team/members/:login_id` [step-up], also for oneself. 409 for the
   * last owner.
   */
  login_id: string;
  name: string;
  email: string;
  role: Role;
  created: number;
  is_you: boolean;
}

export interface Invitation {
  /** `DELETE team/invitations/:id` [step-up] */
  id: string;
  email: string;
  role: Role;
  /** Address of who invited. */
  invited_by: string;
  created: number;
  expires: number;
}

/** `POST team/invitations` [step-up] -> {@link Invited}. One that is open for the same address is replaced. */
export const Invite = closed({ email: Email, role: words(roles) });
export type Invite = Static<typeof Invite>;

export interface Invited {
  id: string;
  status: "mail_sent";
}

/** `PATCH team/members/:login_id` [step-up] */
export const ChangeRole = closed({ role: words(roles) });
export type ChangeRole = Static<typeof ChangeRole>;

/**
 * `POST /auth/invitations/accept`, with what stands in the mail's link, signed in with the address that was invited ->
 * {@link Accepted}
 */
export const AcceptInvitation = closed({
  token: Type.String({ minLength: 10, maxLength: 200, pattern: "^[A-Za-z0-9_-]+$" }),
});
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export interface Accepted {
  account_id: string;
}
