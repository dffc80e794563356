/**
 * Underwriting: the application with which an account asks for live mode, and the operator's console, where it is
 * decided.
 *
 * A draft may be incomplete: every field of it may be left out, and one that is there must be right. Submitting asks
 * for the rest. What is personal, and the bank account, is kept sealed; of the bank account only the last four
 * characters come back to the merchant.
 */
import Type, { type Static } from "typebox";
import { merchantIdPattern } from "./acquirer.ts";
import type { Role } from "./dashboard.ts";
import { hiddenCharacter, hiddenInLines } from "./foreign-text.ts";
import { closed, words } from "./shapes.ts";

/** One line, without hidden characters (`foreign-text.ts`). */
const line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^(?!.*${hiddenCharacter})\\S.*$` });
/** May have several lines. */
const text = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: `^(?![^]*${hiddenInLines})\\S[^]*$` });

// --- the application: /data/:account/:mode/application
// ---------------------------------------------------------------------------------

/** `draft` and `needs_information` are the merchant's to change; `approved` and `rejected` are final. */
export const applicationStatuses = [
  "draft",
  "submitted",
  "in_review",
  "needs_information",
  "approved",
  "rejected",
] as const;
export type ApplicationStatus = (typeof applicationStatuses)[number];

/** ISO 3166-1 alpha-2, upper case. */
const Country = Type.String({ pattern: "^[A-Z]{2}$" });
const Amount = Type.Integer({ minimum: 1, maximum: 999_999_999_999 });

/** One of the people who own a quarter or more, or else who run the business. */
const Owner = closed({
  name: Type.Optional(line(100)),
  /** `1980-12-31` */
  date_of_birth: Type.Optional(Type.String({ pattern: "^(19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}$" })),
  share_percent: Type.Optional(Type.Number({ minimum: 0, maximum: 100 })),
  /** Where they live. */
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

/**
 * `PUT application`: the draft, all of it -> {@link ApplicationAnswer}. What is left out is not in it any more; only
 * `bank_account`, which never comes back whole, stays what it was when it is left out. Makes a new draft where there is
 * none, or the last one was rejected.
 */
export const SaveApplication = closed({
  legal_entity: Type.Optional(
    closed({
      name: Type.Optional(line(200)),
      /** As in `GmbH`, `Ltd`, `sole trader`. */
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
  /** What is sold, and to whom. */
  business: Type.Optional(text(1000)),
  expected_monthly_volume: Type.Optional(closed({ amount: Amount, currency: Type.String({ pattern: "^[a-z]{3}$" }) })),
  /** Of one payment, in the currency of the volume. */
  average_amount: Type.Optional(Amount),
  largest_amount: Type.Optional(Amount),
  owners: Type.Optional(Type.Array(Owner, { maxItems: 10 })),
  bank_account: Type.Optional(BankAccount),
});
export type SaveApplication = Static<typeof SaveApplication>;

/** All that an application says, as the operator sees it. */
export type ApplicationDetails = SaveApplication;

/** As the merchant sees it. */
export interface MerchantDetails extends Omit<ApplicationDetails, "bank_account"> {
  bank_account?: { holder_name: string; kind: "iban" | "account_number"; last4: string };
}

/**
 * `GET application`. Null: there never was one. After a rejection it is the rejected one until a new draft is saved.
 */
export interface ApplicationAnswer {
  application: Application | null;
}

export interface Application {
  id: string;
  status: ApplicationStatus;
  details: MerchantDetails;
  documents: ApplicationDocument[];
  /** What the operator asks for (`needs_information`), or why not (`rejected`). */
  reason: string | null;
  /** Who last gave the bank account, and when. Null: nobody yet, or it was not noted. */
  bank_account_set: { by: string; at: number } | null;
  /** Unix time in seconds, as all times here. */
  created: number;
  submitted: number | null;
  decided: number | null;
  /** Oldest first. */
  history: ApplicationStep[];
}

/**
 * As the merchant reads it: without the operator who took it, and without what operators say to each other about an
 * approval.
 */
export interface ApplicationStep {
  /** Null: it was begun. */
  from: ApplicationStatus | null;
  to: ApplicationStatus;
  reason: string | null;
  created: number;
}

/**
 * `POST application/submit`, with password and code. The first thing that is missing is refused with
 * `parameter_missing`, what does not go together with `parameter_invalid`, and its path in `param`, as in
 * `owners[0].date_of_birth`. Of documents there must be one at least, `documents`; which, the operator says. -> {@link
 * ApplicationAnswer}
 */
export const SubmitApplication = closed({});

export const documentKinds = ["registration", "identity", "bank_statement", "other"] as const;
export type DocumentKind = (typeof documentKinds)[number];
export const documentTypes = ["application/pdf", "image/png", "image/jpeg"] as const;
export type DocumentType = (typeof documentTypes)[number];
/** Of one document, of all documents of an application together, and how many they may be. */
export const maxDocumentBytes = 10 * 1024 * 1024;
export const maxDocumentsBytes = 50 * 1024 * 1024;
export const maxDocuments = 20;

/**
 * `POST application/documents?kind=&name=` with the bytes as the body and one of {@link documentTypes} as its content
 * type -> {@link ApplicationDocument}. `GET application/documents/:id` gives the bytes as a download; `DELETE
 * application/documents/:id` while the application is the merchant's to change.
 */
export const AddDocument = closed({
  kind: words(documentKinds),
  /** What it is called in lists. Only a label: what cannot stand in one is cut away. */
  name: Type.String({ minLength: 1, maxLength: 300 }),
});

export interface ApplicationDocument {
  id: string;
  kind: DocumentKind;
  name: string;
  type: DocumentType;
  /** Bytes, as they are kept: what a picture says of its making is cut away. */
  size: number;
  created: number;
}

export interface DeletedDocument {
  id: string;
  deleted: true;
}

// --- the operator's console: /operator
// --------------------------------------------------------------------------------------------------

/** Of lists here: `{ data, has_more }`, going on after an id. */
const page = {
  limit: Type.Optional(Type.String({ pattern: "^([1-9]|[1-9][0-9]|100)$" })),
  starting_after: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
};

/**
 * `GET /operator/applications`: those of a status, or all that were ever submitted; the one that waits longest first.
 * -> {@link QueuePage}
 */
export const QueueQuery = closed({
  ...page,
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
 * `GET /operator/applications/:id`. A draft that was never submitted is not there. `GET
 * /operator/applications/:id/documents/:document` downloads.
 */
export interface OperatorApplication extends QueuedApplication {
  details: ApplicationDetails;
  documents: ApplicationDocument[];
  /** Oldest first. */
  history: ApplicationTransition[];
  merchant: OperatorAccount;
}

/** With all of its reasons. */
export interface ApplicationTransition extends ApplicationStep {
  /** As the audit log names them: `login robin@shop.example`. */
  actor: string;
}

/** Of an operator; others read it, and the audit log keeps it, so it may not hold a key. */
const Reason = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: `^(?![^]*(?:oriel_sk_|whsec_))(?![^]*${hiddenInLines})\\S[^]*$`,
});

/** `POST /operator/applications/:id/review`: takes a submitted one into review. -> {@link OperatorApplication} */
export const ReviewApplication = closed({});

/**
 * `POST /operator/applications/:id/decision`, of one in review, with password and code. `ask` gives it back to the
 * merchant. The reason is what the merchant reads; an approval needs none, and one that it has stays among operators.
 * -> {@link OperatorApplication}
 */
export const DecideApplication = closed({
  decision: words(["approve", "reject", "ask"]),
  reason: Type.Optional(Reason),
  /** Of the application that was looked at: one that was submitted again since is not decided. */
  submitted: Type.Integer(),
});
export type DecideApplication = Static<typeof DecideApplication>;

/**
 * `GET /operator/accounts`: by id, by an owner's e-mail address, or by how the name begins; without a search the
 * newest. At most 50. -> {@link AccountsFound}
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
   * Whether this service has a live bank at all, and what the account is called there. It takes live payments with both
   * only.
   */
  acquirer: { has_bank: boolean; merchant_id: string | null };
  members: { name: string; email: string; role: Role; created: number }[];
  /** Newest first; no drafts that were never submitted. */
  applications: { id: string; status: ApplicationStatus; submitted: number | null }[];
}

/**
 * `POST /operator/accounts/:id/suspend`, `.../resume`, with password and code: from the next request on. The owners get
 * the reason by mail. One that is so already stays as it is. -> {@link OperatorAccount}
 */
export const SwitchAccount = closed({ reason: Reason });

/**
 * `POST /operator/accounts/:id/acquirer`, with password and code: what the acquirer of live mode calls the account (EMV
 * 3DS: Acquirer Merchant ID, 35 characters at most); null takes it away, and new live payments with it. -> {@link
 * OperatorAccount}
 */
export const SetAcquirer = closed({
  merchant_id: Type.Union([Type.String({ pattern: merchantIdPattern }), Type.Null()]),
});
