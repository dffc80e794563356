/**
 * Underwriting: an account's application for live mode, and the operator's console, where it's decided.
 *
 * A draft may be incomplete: fields are optional, but values must be valid. Submitting requires all fields. Personal
 * data and the bank account are stored encrypted. Merchants only get back the last four characters of the bank account.
 */
import Type, { type Static } from "typebox";
import { merchantIdPattern } from "../acquirer.ts";
import { hiddenCharacter, hiddenInLines } from "../hidden-characters.ts";
import { closed, nullable, words } from "../shapes.ts";
import { pageParams } from "./page.ts";
import type { Role } from "./roles.ts";

/** One line without hidden characters (`hidden-characters.ts`). */
const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^(?!.*${hiddenCharacter})\\S.*$` });
/** One or more lines without hidden characters. */
const text = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^(?![^]*${hiddenInLines})\\S[^]*$` });

// --- the application: /data/:account/:mode/application

/** Merchants can edit an application in `draft` and `needs_information`. `approved` and `rejected` are final. */
export const applicationStatuses = [
  "draft",
  "submitted",
  "in_review",
  "needs_information",
  "approved",
  "rejected",
] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** ISO 3166-1 alpha-2, uppercase. */
const Country = Type.String({ pattern: "^[A-Z]{2}$" });
const Amount = Type.Integer({ minimum: 1, maximum: 999_999_999_999 });

/** A person who owns 25% or more, or otherwise runs the business. */
const Owner = closed({
  name: Type.Optional(line(100)),
  /** `1980-12-31` */
  date_of_birth: Type.Optional(Type.String({ pattern: "^(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}$" })),
  share_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  /** Country of residence. */
  country: Type.Optional(Country),
});

/** Either an IBAN, or an account number with a routing number. */
const BankAccount = closed({
  holder_name: line(100),
  /** With or without spaces. */
  iban: Type.Optional(Type.String({ minLength: 15, maxLength: 50, pattern: "^[A-Za-z0-9 ]+$" })),
  account_number: Type.Optional(Type.String({ minLength: 5, maxLength: 34, pattern: "^[A-Za-z0-9]+$" })),
  routing_number: Type.Optional(Type.String({ minLength: 3, maxLength: 20, pattern: "^[A-Za-z0-9]+$" })),
});
export type BankAccount = Static<typeof BankAccount>;

const details = {
  legal_entity: Type.Optional(
    closed({
      name: Type.Optional(line(200)),
      /** For example, `GmbH`, `Ltd` or `sole trader`. */
      form: Type.Optional(line(60)),
      registration_number: Type.Optional(line(60)),
      address: Type.Optional(text(400)),
    }),
  ),
  country: Type.Optional(Country),
  /** `https:` only. */
  website: Type.Optional(Type.String({ minLength: 10, maxLength: 200, pattern: "^https://[^\\s]+$" })),
  /** Merchant category code, ISO 18245. */
  mcc: Type.Optional(Type.String({ pattern: "^[0-9]{4}$" })),
  /** What the business sells, and to whom. */
  business: Type.Optional(text(1000)),
  expected_monthly_volume: Type.Optional(closed({ amount: Amount, currency: Type.String({ pattern: "^[a-z]{3}$" }) })),
  /** The amount of an average payment, in the currency of the volume. */
  average_amount: Type.Optional(Amount),
  largest_amount: Type.Optional(Amount),
  owners: Type.Optional(Type.Array(Owner, { maxItems: 10 })),
  bank_account: Type.Optional(BankAccount),
};

const Version = Type.String({ minLength: 1, maxLength: 100 });

/**
 * `PUT application`: replaces the draft -> {@link ApplicationResponse}. Fields that are left out are removed, except
 * `bank_account`, which stays the same because merchants never get back all of it. Creates a new draft if there is none
 * or the last application was rejected. Can be retried: a request with the values that are already saved succeeds with any
 * version.
 */
export const SaveApplication = closed({
  ...details,
  /**
   * The `version` of the draft that the user saw and edited. If someone has saved other values since then, the request
   * fails with 409 `changed_meanwhile`. Null: the user saw no draft. Left out to overwrite anything, as pages do that were
   * loaded before an upgrade.
   */
  version: Type.Optional(nullable(Version)),
});
export type SaveApplication = Static<typeof SaveApplication>;

/** All values of an application, as operators see them. */
export type ApplicationDetails = Omit<SaveApplication, "version">;

/** The values of an application as the merchant sees them. */
export interface MerchantDetails extends Omit<ApplicationDetails, "bank_account"> {
  bank_account?: { holder_name: string; kind: "iban" | "account_number"; last4: string };
}

/**
 * `GET application`. Null if there never was one. A rejected application is returned until a new draft is saved.
 */
export interface ApplicationResponse {
  application: Application | null;
}

export interface Application {
  id: string;
  /** Changes when other details are saved. */
  version: string;
  status: ApplicationStatus;
  details: MerchantDetails;
  documents: ApplicationDocument[];
  /** What the operator needs (`needs_information`), or why the application was rejected (`rejected`). */
  reason: string | null;
  /** Who last entered the bank account, and when. Null if nobody did yet or it wasn't recorded. */
  bank_account_set: { by: string; at: number } | null;
  /** Unix time in seconds, like all times here. */
  created: number;
  submitted: number | null;
  decided: number | null;
  /** Oldest first. */
  history: ApplicationStep[];
}

/**
 * A status change as the merchant sees it: without the operator, and without the internal reason of an approval.
 */
export interface ApplicationStep {
  /** Null for the creation of the application. */
  from: ApplicationStatus | null;
  to: ApplicationStatus;
  reason: string | null;
  created: number;
}

/**
 * `POST application/submit`, after confirming the user's identity -> {@link ApplicationResponse}. Fails with
 * `parameter_missing` for the first missing field and with `parameter_invalid` for values that contradict each other;
 * `param` has the path, such as `owners[0].date_of_birth`. At least one document (`documents`) is required. The
 * operator decides which ones are needed. Fails with 409 `changed_meanwhile` if the application isn't the one that the user
 * saw. Can be retried: it succeeds if exactly this has been submitted since then. A page that was loaded before an upgrade
 * leaves out everything, and gets 409 `not_possible_now` with the advice to reload.
 */
export const SubmitApplication = closed({
  version: Version,
  /** The `submitted` time that the user saw. */
  submitted: nullable(Type.Integer()),
  /** The IDs of all documents that the user saw. */
  documents: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 1000 }),
});
export type SubmitApplication = Static<typeof SubmitApplication>;

export const documentKinds = ["registration", "identity", "bank_statement", "other"] as const;
export type DocumentKind = (typeof documentKinds)[number];
export const documentTypes = ["application/pdf", "image/png", "image/jpeg"] as const;
export type DocumentType = (typeof documentTypes)[number];
/** The limits for one document, for all documents of an application together, and for their number. */
export const maxDocumentBytes = 10 * 1024 * 1024;
export const maxDocumentsBytes = 50 * 1024 * 1024;
export const maxDocuments = 20;

/**
 * `POST application/documents?kind=&name=`, with the bytes as the body and one of {@link documentTypes} as the content
 * type -> {@link ApplicationDocument}. `GET application/documents/:id` downloads a document. `DELETE
 * application/documents/:id` deletes it while the merchant can edit the application.
 */
export const AddDocument = closed({
  kind: words(documentKinds),
  /** A label for lists. Characters that labels can't have are removed. */
  name: Type.String({ minLength: 1, maxLength: 300 }),
});

export interface ApplicationDocument {
  id: string;
  kind: DocumentKind;
  name: string;
  type: DocumentType;
  /** The size in bytes as stored, after metadata of images was removed. */
  size: number;
  created: number;
}

export interface DeletedDocument {
  id: string;
  deleted: true;
}

// --- the operator's console: /operator

/**
 * `GET /operator/applications`: applications with a status, or all that were ever submitted, longest waiting first. ->
 * {@link QueuePage}
 */
export const QueueQuery = closed({
  ...pageParams,
  status: Type.Optional(words(["submitted", "in_review", "needs_information", "approved", "rejected"])),
});

export interface QueuePage {
  data: QueuedApplication[];
  has_more: boolean;
}

export interface QueuedApplication {
  id: string;
  account: { id: string; name: string };
  status: ApplicationStatus;
  created: number;
  submitted: number | null;
  decided: number | null;
}

/**
 * `GET /operator/applications/:id`. Not found if it was never submitted. `GET
 * /operator/applications/:id/documents/:document` downloads a document.
 */
export interface OperatorApplication extends QueuedApplication {
  details: ApplicationDetails;
  documents: ApplicationDocument[];
  /** Oldest first. */
  history: ApplicationTransition[];
  merchant: OperatorAccount;
}

/** A status change with its actor, and with internal reasons too. */
export interface ApplicationTransition extends ApplicationStep {
  /** The same as in the audit log, such as `login robin@shop.example`. */
  actor: string;
}

/** An operator's reason. Others read it and the audit log keeps it, so it must not contain a key. */
const Reason = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: `^(?![^]*(?:oriel_sk_|whsec_))(?![^]*${hiddenInLines})\\S[^]*$`,
});

/**
 * `POST /operator/applications/:id/review`: starts the review of a submitted application. -> {@link
 * OperatorApplication}
 */
export const ReviewApplication = closed({});

/**
 * `POST /operator/applications/:id/decision`, for an application in review, after confirming the operator's identity.
 * `request_information` returns it to the merchant. The merchant reads the reason, except that of an approval, which is
 * optional and internal. -> {@link OperatorApplication}
 */
export const DecideApplication = closed({
  decision: words(["approve", "reject", "request_information"]),
  reason: Type.Optional(Reason),
  /**
   * The `submitted` time that the operator saw. If the application was submitted again since then, the request fails.
   */
  submitted: Type.Integer(),
});
export type DecideApplication = Static<typeof DecideApplication>;

/**
 * `GET /operator/accounts`: finds accounts by ID, owner's email address or name prefix, or returns the newest accounts
 * without a search. At most 50. -> {@link AccountsFound}
 */
export const AccountsQuery = closed({ search: Type.Optional(Type.String({ maxLength: 254 })) });

export interface AccountsFound {
  data: AccountFound[];
}

export interface AccountFound {
  id: string;
  name: string;
  status: "active" | "suspended";
  is_live_approved: boolean;
  created: number;
}

/** `GET /operator/accounts/:id` */
export interface OperatorAccount extends AccountFound {
  /**
   * Whether this service has a live acquirer, and the account's merchant ID there. Live payments require both.
   */
  acquirer: { has_bank: boolean; merchant_id: string | null };
  members: { name: string; email: string; role: Role; created: number }[];
  /** Newest first, without drafts that were never submitted. */
  applications: { id: string; status: ApplicationStatus; submitted: number | null }[];
}

/**
 * `POST /operator/accounts/:id/suspend` and `.../resume`, after confirming the operator's identity. Takes effect with
 * the next request. The owners receive the reason by email. Does nothing if the account already has the status. ->
 * {@link OperatorAccount}
 */
export const SwitchAccount = closed({ reason: Reason });

/**
 * `POST /operator/accounts/:id/acquirer`, after confirming the operator's identity: sets the account's merchant ID at
 * the live acquirer (Acquirer Merchant ID in EMV 3DS, at most 35 characters). Null removes it, which stops new live
 * payments. -> {@link OperatorAccount}
 */
export const SetAcquirer = closed({
  merchant_id: nullable(Type.String({ pattern: merchantIdPattern })),
  /**
   * The merchant ID that the operator saw. If it has changed since then, and not to the requested one, the request fails
   * with 409 `changed_meanwhile`. Left out to overwrite any.
   */
  seen: Type.Optional(nullable(Type.String({ maxLength: 100 }))),
});
