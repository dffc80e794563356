/** The dashboard's requests to sign up and sign in, all under `/auth`, and the signed-in user. */
import Type, { type Static } from "typebox";
import { hiddenCharacter } from "../hidden-characters.ts";
import { closed, words } from "../shapes.ts";
import type { Role } from "./roles.ts";

/**
 * One line without hidden characters (`hidden-characters.ts`). Names are shown to other people, including in emails, so the
 * service also refuses names of accounts and users that contain a URL, an email address, a secret or a card number,
 * with `parameter_invalid`.
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
/** The service requires at least 12 characters (PCI DSS 8.3.6) and allows any characters (ASVS 6.2). */
const Password = Type.String({ minLength: 1, maxLength: 256 });
const Code = Type.String({ pattern: "^[0-9]{6}$" });
const Token = Type.String({ minLength: 10, maxLength: 1000, pattern: "^[A-Za-z0-9_.-]+$" });

/** `POST /auth/sign-up`. If the address already belongs to a user, the response is the same, but the email differs. */
export const SignUp = closed({
  name: Name,
  email: Email,
  password: Password,
  /** The name of the business that customers see. Left out by users who were invited. */
  account_name: Type.Optional(Name),
});
/** `POST /auth/verify-email`, with the token of the emailed link. Doesn't sign the user in. */
export const VerifyEmail = closed({ token: Token });
/** `POST /auth/sign-in` -> {@link SignedIn} */
export const SignIn = closed({ email: Email, password: Password });
/** `POST /auth/second-factor`, with one of the two, within ten minutes after the password. -> {@link SignedIn} */
export const SecondFactor = closed({
  code: Type.Optional(Code),
  recovery_code: Type.Optional(Type.String({ minLength: 5, maxLength: 40 })),
});
/** `POST /auth/reset-request`. The response doesn't reveal whether a user with the address exists. */
export const ResetRequest = closed({ email: Email });
/** `POST /auth/reset`. Ends all sessions. The second factor stays the same. */
export const Reset = closed({ token: Token, password: Password });
/** `POST /auth/step-up`: confirms the user's identity for the next ten minutes. */
export const StepUp = closed({ password: Password, code: Code });
/** `POST /auth/totp/begin` -> {@link TotpSetup}. With an app, begins to replace it, and the recovery codes stay. */
export const BeginTotp = closed({ password: Password });
/**
 * `POST /auth/totp/confirm`, with a code from the new app. Replacing an app ends all other sessions. It fails with
 * `not_possible_now` if the setup has expired or is already complete.
 */
export const ConfirmTotp = closed({ code: Code });
/** `POST /auth/recovery-codes`: replaces all recovery codes. -> {@link RecoveryCodes} */
export const NewRecoveryCodes = closed({ password: Password });
/** `POST /auth/password`. Ends all other sessions. */
export const ChangePassword = closed({ current: Password, password: Password });

/**
 * `POST /auth/passkeys/registration` -> the options of `navigator.credentials.create` as JSON. Also `POST
 * /auth/passkeys/:id/remove` and `POST /auth/totp/remove`, which also removes the recovery codes. A user's last second
 * factor can't be removed.
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
/** `POST /auth/passkeys`, with the browser's response (WebAuthn Level 3, RegistrationResponseJSON). */
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
 * The outcome of signing in. `second_factor` and `passkey` mean that there is no session yet: the user must enter a
 * code or a recovery code, or must use a passkey because they have no authenticator app.
 */
export interface SignedIn {
  status: "signed_in" | "second_factor" | "passkey";
}

export interface RecoveryCodes {
  /** Ten codes that each work once. They are never returned again. */
  recovery_codes: string[];
}

/** There are no recovery codes if the user replaces an app. */
export interface TotpSetup extends RecoveryCodes {
  /** `otpauth://totp/...`, for the QR code. */
  uri: string;
}

/** `GET /auth/me`: the signed-in user. 401 `sign_in_required` without a session. */
export interface Me {
  login: {
    id: string;
    name: string;
    email: string;
    /** Without a second factor, only routes in `/auth` are available. */
    has_second_factor: boolean;
  };
  /** The user's memberships in teams. */
  memberships: Membership[];
  /** Operators use the console and aren't members of any team. */
  is_operator: boolean;
  /** Whether this service accepts live keys. */
  live: boolean;
  /** The origin of the checkout page and the loader. */
  checkout_origin: string;
  api_url: string;
}

export interface Membership {
  account_id: string;
  account_name: string;
  role: Role;
  status: "active" | "suspended";
  /** Whether the account's application for live mode was approved, so that it can have live keys. */
  is_live_approved: boolean;
}

/** `GET /auth/security` */
export interface Security {
  sessions: SessionInfo[];
  /** Always empty for operators, who can't sign in with passkeys. */
  passkeys: PasskeyInfo[];
  /** Whether an authenticator app is set up. */
  has_authenticator: boolean;
  /** 0 without an authenticator app, because recovery codes replace its codes. */
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
