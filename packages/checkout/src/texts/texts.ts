/**
 * What a language has to say: every sentence that the customer can read. A language is one file of plain data,
 * `<tag>.ts` beside this one, checked by the compiler against {@link Language}; the build makes JSON of it. To add one:
 * write its file, and name it in `protocol/src/languages.ts`.
 *
 * `first` is in the HTML. `form` and `after` come with the later code, before Pay can be pressed; `after` is for what
 * follows the press.
 *
 * Nothing here knows a card, an amount or a merchant. What varies stands in braces and is filled in as text, never as
 * HTML (`fill.ts`): `{merchant}`, `{amount}` with its currency, `{time}` as "1 minute", `{count}` as a number, and
 * `{outcome}`, which is `outcomes.paying` or `outcomes.saving`. By it a payment and a card that is only saved share
 * most sentences; those that really differ exist twice.
 */
import type { CustomerReason } from "@oriel/protocol/declines";

/** There can be no payment on this page. `unreachable` must be sayable when nothing else can be had. */
export type EarlyResultName = "invalid" | "unreachable" | "unsupported" | "sandboxed";
/** How it ends, where money may have moved. */
export type MoneyResultName =
  | "succeeded"
  | "requires_confirmation"
  | "processing"
  /** Nobody knows yet whether the payment went through. */
  | "unknown";
/** How it ends without money. */
export type EndResultName =
  /** The session's time ran out. */
  | "expired"
  | "canceled"
  /** Too many failed tries. */
  | "ended";
export type ResultName = EarlyResultName | MoneyResultName | EndResultName;

/** A heading and a sentence. */
export type Said = readonly [title: string, text: string];

/** A session that is paid and one that only saves a card. */
export type Occasion = "paying" | "saving";
export type ByOccasion<T> = Readonly<Record<Occasion, T>>;

/** By the category of `Intl.PluralRules`: those that the language has, `other` always. */
export type Plural = Readonly<Partial<Record<Intl.LDMLPluralRule, string>> & { other: string }>;

export type Problem =
  | "numberMissing"
  | "numberIncomplete"
  | "numberWrong"
  | "expiryMissing"
  | "expiryIncomplete"
  | "expiryPast"
  | "expiryFar"
  | "cvcMissing"
  | "cvcIncomplete3"
  | "cvcIncomplete4"
  | "nameMissing"
  | "emailMissing"
  | "emailWrong"
  | "postalCodeMissing";

export type Step = "submitting" | "authenticating" | "confirming" | "reconnecting";

/**
 * Above the fields. `connectionLost` differs between the occasions; `offline` is said in the words of `unreachable`,
 * `besideRefused` by the outcome alone: its field says why.
 */
export type NoticeName =
  | "connectionLost"
  | "offline"
  | "besideRefused"
  | "notStarted"
  | "rateLimited"
  | "notAccepted"
  | "testCardsOnly"
  | "wiped";

export interface FirstTexts {
  /** Of the page, behind the merchant's name as soon as that is known. */
  title: string;
  cardNumber: string;
  expiry: string;
  expiryPlaceholder: string;
  cvc: string;
  /** On the button, until the amount is known. */
  pay: string;
  encrypted: string;
  /** A badge, in test mode. */
  test: string;
  unreachable: Said;
  retry: string;
}

/** What stands in the HTML. */
export interface PageWords extends FirstTexts {
  /** Instead of all else, where the browser runs no scripts. */
  needsScript: string;
}

export interface FormTexts {
  /** Of the page where a card is only saved, in place of `title`. */
  savingTitle: string;
  name: string;
  email: string;
  postalCode: string;
  /** Over the choice between the two networks of a card. */
  networkChoice: string;
  orderDetails: string;
  total: string;
  payAmount: string;
  save: string;
  /** Below the button, where the card is kept beside being charged. */
  keptToo: string;
  /** Below the button, where nothing is charged. */
  keptOnly: string;
  backTo: string;
  invalid: Said;
  unsupported: Said;
  /** The page around this one keeps the form from working. */
  sandboxed: Said;
  problems: Record<Problem, string>;

  steps: Record<Step, string>;
  notices: Record<Exclude<NoticeName, "connectionLost" | "offline" | "besideRefused">, string> & {
    connectionLost: ByOccasion<string>;
  };
  /** What has not happened. */
  outcomes: ByOccasion<string>;
  results: Record<"succeeded" | "processing" | "unknown", ByOccasion<Said>> & { requires_confirmation: Said };
  lookUpAgain: string;
  continueTo: string;
  takingYouBack: string;
}

export interface AfterTexts {
  declined: Record<CustomerReason, string>;
  /** After a decline, when few tries are left. */
  triesLeft: Plural;
  results: Record<EndResultName, Said>;

  /** The step between Pay and paying, where part of the form may be covered. */
  confirmTitle: ByOccasion<string>;
  confirmText: ByOccasion<string>;
  confirmPay: string;
  confirmSave: string;
  confirmBack: string;
  /** When the session's time is nearly over. */
  expiring: string;

  receiptAmount: string;
  receiptDate: string;
  receiptReference: string;

  /** Around the bank's page. */
  bankTitle: string;
  bankFrame: string;
  bankOpened: string;
  bankOpening: string;
  bankSlow: string;
  bankTrouble: string;
  bankConfirming: string;
  /** Where the bank asks the customer in its app, and has no page to show. */
  decoupledTitle: string;
  decoupledText: string;
  cancel: string;
  cancelQuestion: string;
  cancelNo: string;
  cancelYes: string;
  canceling: string;
}

export interface Language {
  first: PageWords;
  form: FormTexts;
  after: AfterTexts;
}

/** What comes with the later code, in one file. */
export interface LaterTexts extends FormTexts {
  after: AfterTexts;
}

/** What the page can say. */
export interface Texts extends FirstTexts, LaterTexts {
  /** The language, for `lang`: `de`. */
  language: string;
  /** How amounts, dates and numbers are written, as `Intl` wants it: `de-CH-u-nu-latn`. */
  locale: string;
}
