/**
 * What the dashboard and the service say to each other: who is signed in, what each role may do, and how the service
 * says no. JSON both ways, on the dashboard's own origin, with a session cookie that no script can read. This is no
 * public API: both sides come from one build.
 *
 * Every request that changes something is a POST, PUT, PATCH or DELETE with a JSON body (or a document's bytes); a GET
 * changes nothing. What a request asks for is in `dashboard-*.ts`, one file for each part of the dashboard.
 */
import Type, { type Static } from "typebox";
import type { Role } from "./dashboard-roles.ts";
import { hiddenCharacter } from "./foreign-text.ts";
import { closed, words } from "./shapes.ts";

export * from "./dashboard-roles.ts";

// --- how the service says no
// ----------------------------------------------------------------------------------------------------------

/**
 * Every code, with its HTTP status. The body is `{ "error": { "code", "message", "param"? } }`; the message is a
 * sentence for the person in front of the page. Beside these, a code of the API's own list (`errors.ts`), with the
 * API's status, where the same business refuses.
 */
export const dashboardErrorCodes = {
  /** No session, or one that is over. The page asks to sign in. */
  sign_in_required: 401,
  /** E-mail address and password do not fit, or are not known, or are locked: all the same. */
  sign_in_failed: 401,
  /** The password is right, and the address is not confirmed yet. */
  address_unverified: 403,
  /** The code of the second factor is wrong, was used before, or came too late. */
  code_invalid: 401,
  /** Signed in, and no second factor set up yet. The page asks to set one up. */
  second_factor_required: 403,
  /** The session is older than ten minutes for this. The page asks for password and code, and tries again. */
  step_up_required: 403,
  /** The role does not include it, or the account is suspended. */
  permission_missing: 403,
  /** An `Origin` or `Sec-Fetch-Site` of another site. */
  cross_site: 403,
  /** A link from a mail that is used, over, or not ours. */
  link_invalid: 400,
  /** Too short, or one that everybody tries first. */
  password_unsuitable: 400,
  /** Wrong now; for what needs the password again. */
  password_wrong: 403,
  /** Not in the state that this needs. */
  not_possible_now: 409,
} as const;
export type DashboardErrorCode = keyof typeof dashboardErrorCodes;

// --- signing in: /auth
// ----------------------------------------------------------------------------------------------------------------

/**
 * Shown to others, in mails too: one line, without hidden characters (`foreign-text.ts`). Of an account or a person the
 * service also refuses, as `parameter_invalid`, one with an address, a secret or a card's number in it.
 */
export const Name = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: `^(?=.*\\S)(?!.*${hiddenCharacter}).+$`,
});
export const Email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: "^[^\\s@\\p{C}<>()\\[\\],;:\\\\]+@[^\\s@\\p{C}<>()\\[\\],;:\\\\]+$",
});
/** Twelve characters at least (PCI DSS 8.3.6), any that there are (ASVS 6.2). */
const Password = Type.String({ minLength: 1, maxLength: 256 });
const Code = Type.String({ pattern: "^[0-9]{6}$" });
const Token = Type.String({ minLength: 10, maxLength: 1000, pattern: "^[A-Za-z0-9_.-]+$" });

/** `POST /auth/sign-up`. The answer is the same for an address that has a login already; that one gets another mail. */
export const SignUp = closed({
  name: Name,
  email: Email,
  password: Password,
  /** The business, as customers see it. Absent with an invitation. */
  account_name: Type.Optional(Name),
});
/** `POST /auth/verify-email`, with what stands in the mail's link. Signs nobody in. */
export const VerifyEmail = closed({ token: Token });
/** `POST /auth/sign-in` -> {@link SignedIn} */
export const SignIn = closed({ email: Email, password: Password });
/** `POST /auth/second-factor`, within ten minutes after the password. One of the two. -> {@link SignedIn} */
export const SecondFactor = closed({
  code: Type.Optional(Code),
  recovery_code: Type.Optional(Type.String({ minLength: 5, maxLength: 40 })),
});
/** `POST /auth/reset-request`. The answer is the same for an address that nobody has. */
export const ResetRequest = closed({ email: Email });
/** `POST /auth/reset`. Ends all sessions; the second factor stays what it was. */
export const Reset = closed({ token: Token, password: Password });
/** `POST /auth/step-up`: opens for ten minutes what only a fresh session may do. */
export const StepUp = closed({ password: Password, code: Code });
/** `POST /auth/totp/begin` -> {@link TotpSetup} */
export const BeginTotp = closed({ password: Password });
/** `POST /auth/totp/confirm` */
export const ConfirmTotp = closed({ code: Code });
/** `POST /auth/recovery-codes`: new ones; the old ones are gone. -> {@link RecoveryCodes} */
export const NewRecoveryCodes = closed({ password: Password });
/** `POST /auth/password`. Ends all other sessions. */
export const ChangePassword = closed({ current: Password, password: Password });

/**
 * `POST /auth/passkeys/registration` -> what `navigator.credentials.create` takes, as JSON; `POST
 * /auth/passkeys/:id/remove`; `POST /auth/totp/remove`, which takes the recovery codes along. A login keeps one second
 * factor: the last one is refused.
 */
export const ProvePassword = closed({ password: Password });
const Base64Url = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: "^[A-Za-z0-9_-]+$" });
const Extensions = Type.Object({}, { maxProperties: 20 });
const Transports = Type.Array(words(["ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"]), {
  maxItems: 10,
});
const credential = {
  id: Base64Url(1400),
  rawId: Base64Url(1400),
  type: Type.Literal("public-key"),
  authenticatorAttachment: Type.Optional(words(["cross-platform", "platform"])),
  clientExtensionResults: Extensions,
};
/** `POST /auth/passkeys`: what the browser made (WebAuthn Level 3, RegistrationResponseJSON). */
export const AddPasskey = closed({
  name: Name,
  response: closed({
    ...credential,
    response: closed({
      clientDataJSON: Base64Url(4000),
      attestationObject: Base64Url(20_000),
      authenticatorData: Type.Optional(Base64Url(10_000)),
      transports: Type.Optional(Transports),
      publicKeyAlgorithm: Type.Optional(Type.Integer()),
      publicKey: Type.Optional(Base64Url(10_000)),
    }),
  }),
});
/**
 * `POST /auth/passkeys/sign-in`, after `POST /auth/passkeys/authentication`; `POST /auth/step-up/passkey`, after `POST
 * /auth/step-up/passkey-options` (AuthenticationResponseJSON).
 */
export const UsePasskey = closed({
  response: closed({
    ...credential,
    response: closed({
      clientDataJSON: Base64Url(4000),
      authenticatorData: Base64Url(10_000),
      signature: Base64Url(4000),
      userHandle: Type.Optional(Base64Url(200)),
    }),
  }),
});

export type SignUp = Static<typeof SignUp>;
export type VerifyEmail = Static<typeof VerifyEmail>;
export type SignIn = Static<typeof SignIn>;
export type SecondFactor = Static<typeof SecondFactor>;
export type ResetRequest = Static<typeof ResetRequest>;
export type Reset = Static<typeof Reset>;
export type StepUp = Static<typeof StepUp>;
export type BeginTotp = Static<typeof BeginTotp>;
export type ConfirmTotp = Static<typeof ConfirmTotp>;
export type NewRecoveryCodes = Static<typeof NewRecoveryCodes>;
export type ChangePassword = Static<typeof ChangePassword>;

/**
 * What signing in came to. With `second_factor` there is no session yet: a code is awaited, or a recovery code. With
 * `passkey` neither: this login has passkeys and no authenticator app, and signs in with one of them.
 */
export interface SignedIn {
  status: "signed_in" | "second_factor" | "passkey";
}

export interface RecoveryCodes {
  /** Ten, each good once. Shown now and never again. */
  recovery_codes: string[];
}

export interface TotpSetup extends RecoveryCodes {
  /** `otpauth://totp/...`, for the QR code. */
  uri: string;
}

/** `GET /auth/me`: who is signed in. 401 `sign_in_required` without a session. */
export interface Me {
  login: {
    id: string;
    name: string;
    email: string;
    /** Until there is one, nothing but `/auth` answers. */
    has_second_factor: boolean;
  };
  /** The accounts whose team this login is of. */
  memberships: Membership[];
  /** Works in the operator's console instead. An operator is of no team. */
  is_operator: boolean;
  /** Whether this service lets live keys in. */
  live: boolean;
  /** Where the checkout's page and the loader are. */
  checkout_origin: string;
  api_url: string;
}

export interface Membership {
  account_id: string;
  account_name: string;
  role: Role;
  status: "active" | "suspended";
  /** May have live keys: the application was approved. */
  is_live_approved: boolean;
}

/** `GET /auth/security` */
export interface Security {
  sessions: SessionInfo[];
  /** None for an operator, whom they do not let in. */
  passkeys: PasskeyInfo[];
  /** An authenticator app was set up, and shows the codes that are asked for. */
  has_authenticator: boolean;
  /** None without an authenticator app: they stand in for its codes. */
  recovery_codes_left: number;
}

export interface SessionInfo {
  /** `POST /auth/sessions/:id/revoke`; `POST /auth/sessions/revoke-others` */
  id: string;
  is_this_one: boolean;
  ip: string;
  user_agent: string;
  /** Unix time in seconds. */
  created: number;
  last_used: number;
}

export interface PasskeyInfo {
  id: string;
  name: string;
  created: number;
}

export interface DashboardErrorBody {
  error: { code: string; message: string; param?: string };
}
