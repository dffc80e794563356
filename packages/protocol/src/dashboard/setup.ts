/**
 * The dashboard's requests about secret keys, webhook endpoints, settings, integration and the team. All are under
 * `/data/:account/:mode/`. `[step-up]` marks requests that need a confirmation of the user's identity within the last
 * ten minutes. Lists are paginated with `?limit=&starting_after=`, newest first.
 */
import Type, { type Static } from "typebox";
import {
  Appearance,
  overlaps,
  RotateSecret,
  UpdateWebhookEndpoint,
  type CardTestingReport,
  type Delivery,
  type WebhookEndpoint,
} from "../api/index.ts";
import type { FrameAppearance } from "../appearance-settings.ts";
import { maxAmountMinor } from "../currency.ts";
import { hiddenCharacter } from "../hidden-characters.ts";
import { maxBucketSize, newCustomersPolicies, type NewCustomersPolicy } from "../new-customers.ts";
import { closed, nullable, words } from "../shapes.ts";
import { roles, type Role } from "./roles.ts";
import { Email, Name } from "./sign-in.ts";

/**
 * One line without hidden characters (`hidden-characters.ts`). Must not contain a secret, because names aren't confidential.
 */
const KeyName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^(?!.*(oriel_sk_|whsec_))(?=.*\\S)(?!.*${hiddenCharacter}).+$`,
});
/** How long a replaced key or secret keeps working. */
const OverlapChoice = Type.Optional(words(overlaps));

// --- secret keys

/** What a key may do: everything, only read, or only create, read and change checkout sessions. */
export const keyScopes = ["full", "read", "checkout"] as const;
export type KeyScope = (typeof keyScopes)[number];

/**
 * `POST keys` [step-up] -> {@link NewSecretKey}. 409 `not_possible_now` for a live key if the account isn't approved
 * for live mode.
 */
export const CreateSecretKey = closed({ name: KeyName, scope: words(keyScopes) });
export type CreateSecretKey = Static<typeof CreateSecretKey>;

/**
 * `POST keys/:id/roll` [step-up] -> {@link NewSecretKey}. 409 `not_possible_now` for a key that is no longer valid. The
 * default overlap is `24h`.
 */
export const RollSecretKey = closed({ overlap: OverlapChoice });
export type RollSecretKey = Static<typeof RollSecretKey>;

/** `GET keys` -> `List<SecretKey>`; `POST keys/:id/revoke` with `{}` -> the key */
export interface SecretKey {
  id: string;
  name: string;
  scope: KeyScope;
  /** The last four characters. The service doesn't store the rest of the key. */
  last4: string;
  /** Unix time in seconds, like all times here. */
  created: number;
  /** With a precision of one minute. */
  last_used: number | null;
  /** Set when the key is rotated. */
  expires: number | null;
  revoked: number | null;
  state: "valid" | "expired" | "revoked";
}

export interface NewSecretKey {
  key: SecretKey;
  /** `oriel_sk_...`. Never returned again. */
  secret_key: string;
}

// --- webhook endpoints

/**
 * The same as in the API, with its schemas (`webhooks.ts`): `GET webhook_endpoints`, `POST webhook_endpoints` [step-up]
 * -> `CreatedWebhookEndpoint`, `GET|PATCH|DELETE webhook_endpoints/:id` (a PATCH with `url` [step-up]), `GET
 * webhook_endpoints/:id/deliveries?status=&event_id=`, `POST webhook_endpoints/:id/test` with `{}` -> the `ping` event.
 *
 * `POST webhook_endpoints/:id/reveal` with `{}` [step-up] -> {@link RevealedSecret}
 */
export interface RevealedSecret {
  /** The signing secret, `whsec_...`. The newer one while two are valid. */
  secret: string;
}

export type { WebhookEndpoint };

/** `GET webhook_endpoints` -> a page of these; `GET webhook_endpoints/:id` -> one. */
export interface EndpointWithHealth extends WebhookEndpoint {
  /** The latest attempt to deliver one of the endpoint's 100 newest events. Null if there was none. */
  last_attempt: (NonNullable<Delivery["last_try"]> & { status: Delivery["status"] }) | null;
}

/** Only compared, so it isn't validated: an older release may have accepted other values. */
const saved = Type.Optional(Type.Unknown());

/** `PATCH webhook_endpoints/:id` [step-up for the URL] -> the endpoint. `seen` is explained under "settings". */
export const ChangeEndpoint = closed({
  ...UpdateWebhookEndpoint.properties,
  seen: Type.Optional(closed({ url: saved, enabled_events: saved, description: saved })),
});
export type ChangeEndpoint = Static<typeof ChangeEndpoint>;

/**
 * `POST webhook_endpoints/:id/rotate_secret` [step-up] -> `CreatedWebhookEndpoint`. If the secret has been rotated since
 * the user saw the endpoint, the request fails with 409 `changed_meanwhile`, because the receiver may still use the
 * secret that it would end. The user can reveal the new one instead.
 */
export const RotateEndpointSecret = closed({
  ...RotateSecret.properties,
  seen: Type.Optional(closed({ previous_secret_expires_at: saved })),
});
export type RotateEndpointSecret = Static<typeof RotateEndpointSecret>;

// --- settings

// Members of a team can edit the same thing at once. `seen` has the values that the user saw. If one that the request
// overwrites has changed since then, the request fails with 409 `changed_meanwhile`, except if the new value is the
// requested one. So requests can be retried. Without `seen`, they overwrite anything.

/**
 * `PATCH settings` [step-up for origins and hosts, but not for the appearance]: changes the given settings for both
 * modes. They apply to new sessions. -> {@link Settings}
 */
export const ChangeSettings = closed({
  /**
   * Exact origins such as `https://shop.example`. Sessions can narrow the list. If it's empty, sessions set origins.
   */
  allowed_origins: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20, uniqueItems: true })),
  /** Allowed hosts of `return_url` and `cancel_url`, such as `shop.example` or `localhost:4242`. Empty allows any. */
  return_url_hosts: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 20, uniqueItems: true })),
  /** For sessions that don't set one. Null for the default appearance. */
  appearance: Type.Optional(nullable(Appearance)),
  seen: Type.Optional(closed({ allowed_origins: saved, return_url_hosts: saved, appearance: saved })),
});
export type ChangeSettings = Static<typeof ChangeSettings>;

/**
 * `PUT settings/name` (owners only): the seller name that customers and banks see, starting with the next payment. ->
 * {@link Settings}
 */
export const RenameAccount = closed({ name: Name, seen: Type.Optional(Type.String({ maxLength: 1000 })) });
export type RenameAccount = Static<typeof RenameAccount>;

/** `GET settings` */
export interface Settings {
  account_id: string;
  name: string;
  allowed_origins: string[];
  return_url_hosts: string[];
  appearance: FrameAppearance | null;
}

// --- new customers

/**
 * `PUT settings/new-customers` [step-up] -> {@link NewCustomersSetting}. Changes the policy of this mode. 409
 * `not_possible_now` if no risk rules apply in this mode.
 */
export const ChangeNewCustomers = closed({
  /** Null for the operator's default. The bucket is then the default size as well. */
  policy: nullable(words(newCustomersPolicies)),
  bucket_size: Type.Integer({ minimum: 1, maximum: maxBucketSize }),
  seen: Type.Optional(closed({ policy: saved, bucket_size: saved })),
});
export type ChangeNewCustomers = Static<typeof ChangeNewCustomers>;

/** `GET settings/new-customers`. `applies` is false if no risk rules apply in this mode. */
export type NewCustomersSetting =
  | { applies: false }
  | {
      applies: true;
      /** Null if the account uses the operator's default. */
      policy: NewCustomersPolicy | null;
      bucket_size: number;
      /** The payments of new customers that can still be made without a challenge. */
      tokens: number;
      default: { policy: NewCustomersPolicy; bucket_size: number };
    };

/** `GET card-testing`: this mode's ongoing card testing report, or the last one that ended in the past seven days. */
export interface CardTesting {
  report: CardTestingReport | null;
}

// --- integration

/** `GET integrate`: when each step was first done in this mode, or null. */
export interface Checklist {
  key_created: number | null;
  key_used: number | null;
  session_created: number | null;
  payment_succeeded: number | null;
  endpoint_created: number | null;
  webhook_answered: number | null;
}

/**
 * `POST integrate/session`, test mode only -> {@link TestSession}: creates a session that only the dashboard may embed.
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

/** `GET team` */
export interface Team {
  members: TeamMember[];
  /** Invitations that can still be accepted. */
  invitations: Invitation[];
}

export interface TeamMember {
  /**
   * Used in `PATCH team/members/:login_id` [step-up] and `DELETE team/members/:login_id` [step-up], which also lets
   * users leave the team. 409 for the last owner.
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
  /** The email address of the member who sent the invitation. */
  invited_by: string;
  created: number;
  expires: number;
}

/** `POST team/invitations` [step-up] -> {@link Invited}. Replaces a pending invitation of the same address. */
export const Invite = closed({ email: Email, role: words(roles) });
export type Invite = Static<typeof Invite>;

export interface Invited {
  id: string;
  status: "mail_sent";
}

/** `PATCH team/members/:login_id` [step-up]. `seen` is explained under "settings". */
export const ChangeRole = closed({ role: words(roles), seen: Type.Optional(words(roles)) });
export type ChangeRole = Static<typeof ChangeRole>;

const InvitationToken = Type.String({ minLength: 10, maxLength: 200, pattern: "^[A-Za-z0-9_-]+$" });

/** `POST /auth/invitations/read`, with the token of the emailed link, by anyone who has it -> {@link LinkedInvitation} */
export const ReadInvitation = closed({ token: InvitationToken });

export interface LinkedInvitation {
  /** Only an open invitation can be accepted. */
  status: "open" | "accepted" | "revoked" | "expired";
  email: string;
  account_name: string;
  invited_by: string;
}

/** `GET /auth/invitations`: the open invitations to the signed-in user's email address. */
export interface OwnInvitations {
  data: OwnInvitation[];
}

export interface OwnInvitation {
  id: string;
  account_name: string;
  role: Role;
  invited_by: string;
  expires: number;
}

/**
 * `POST /auth/invitations/accept`, with one of the two: the token of the emailed link, or the ID of one of the user's own
 * invitations. By the user with the invited email address -> {@link Accepted}
 */
export const AcceptInvitation = closed({
  token: Type.Optional(InvitationToken),
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
});
export type AcceptInvitation = Static<typeof AcceptInvitation>;

export interface Accepted {
  account_id: string;
}
