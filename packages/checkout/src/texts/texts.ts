/**
 * The texts of a language: every sentence that the customer can read. Each language is one file of plain data,
 * `<tag>.ts` in this directory, checked by the compiler against {@link Language} and turned into JSON by the build. To
 * add a language, write its file and add it to `protocol/src/languages.ts`.
 *
 * `first` is in the HTML. `first`, `form` and `after` come with the later code, in one file, before Pay can be pressed;
 * `after` contains the texts for what follows the press. `choices` is in a file of its own, because few sessions let the
 * customer choose anything.
 *
 * Texts contain no card, amount or merchant. Placeholders in braces are filled in as text, never as HTML (`fill.ts`):
 * `{merchant}`, `{amount}` with its currency, `{networks}` such as "Visa or CB", `{time}` such as "1 minute", `{count}`
 * as a number, and `{outcome}`, which is `outcomes.paying` or `outcomes.saving`. It lets a payment and a card that is
 * only saved share most sentences; those that really differ exist twice.
 */
import type { CustomerReason } from "@oriel/protocol/declines";

/** Results for a page that can't take a payment. `unreachable` must work when nothing else can be loaded. */
export type EarlyResultName = "invalid" | "unreachable" | "unsupported" | "sandboxed";
/** Results after which money may have moved. */
export type MoneyResultName =
  | "succeeded"
  | "requires_confirmation"
  | "processing"
  /** The outcome is unknown. */
  | "unknown";
/** Results without a payment. */
export type EndResultName =
  /** The session's time ran out. */
  | "expired"
  | "canceled"
  /** Too many failed attempts. */
  | "ended";
export type ResultName = EarlyResultName | MoneyResultName | EndResultName;

/** A heading and a sentence. */
export type Said = readonly [title: string, text: string];

/** Whether the session takes a payment or only saves a card. */
export type Occasion = "paying" | "saving";
export type ByOccasion<T> = Readonly<Record<Occasion, T>>;

/** Sentences by `Intl.PluralRules` category. `other` is required, and so is every category that the language uses. */
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
  | "nameWrong"
  | "emailMissing"
  | "emailWrong"
  | "postalCodeMissing"
  | "postalCodeWrong";

export type Step = "submitting" | "authenticating" | "confirming" | "reconnecting";

/**
 * Notices above the fields. `connectionLost` differs by occasion; `offline` uses the text of `unreachable`;
 * `billingRefused` shows only the outcome, because the field's error says why.
 */
export type NoticeName =
  | "connectionLost"
  | "offline"
  | "billingRefused"
  | "notStarted"
  | "orderChanged"
  | "rateLimited"
  | "notAccepted"
  | "testCardsOnly"
  | "wiped";

export interface FirstTexts {
  /** The document's title. The merchant's name is put before it once it is known. */
  title: string;
  cardNumber: string;
  expiry: string;
  expiryPlaceholder: string;
  cvc: string;
  /** On the button until the amount is known. */
  pay: string;
  encrypted: string;
  /** A badge, in test mode. */
  test: string;
  unreachable: Said;
  retry: string;
}

/** The texts in the HTML. */
export interface PageWords extends FirstTexts {
  /** Shown instead of everything else if JavaScript is off. */
  needsScript: string;
}

export interface FormTexts {
  /** The document's title when a card is only saved, instead of `title`. */
  savingTitle: string;
  name: string;
  email: string;
  postalCode: string;
  /** Names the card's two networks, or the one that the customer chose. */
  networkChoice: string;
  orderDetails: string;
  total: string;
  payAmount: string;
  /** On the button instead of `payAmount` if the total is 0. */
  placeOrder: string;
  save: string;
  /** Below the button, if the card is charged and also kept. */
  alsoSaved: string;
  /** Below the button, if nothing is charged. */
  onlySaved: string;
  backTo: string;
  invalid: Said;
  unsupported: Said;
  /** The page around the iframe prevents the form from working. */
  sandboxed: Said;
  problems: Record<Problem, string>;

  steps: Record<Step, string>;
  notices: Record<Exclude<NoticeName, "connectionLost" | "offline" | "billingRefused">, string> & {
    connectionLost: ByOccasion<string>;
  };
  /** That nothing was charged or saved. Fills in `{outcome}`. */
  outcomes: ByOccasion<string>;
  results: Record<"succeeded" | "processing" | "unknown", ByOccasion<Said>> & {
    requires_confirmation: Said;
    /** Instead of `succeeded` if the order cost nothing. */
    placed: Said;
  };
  checkAgain: string;
  continueTo: string;
  takingYouBack: string;
}

export interface AfterTexts {
  declined: Record<CustomerReason, string>;
  /** After a decline, when few attempts are left. */
  attemptsLeft: Plural;
  results: Record<EndResultName, Said>;

  /** The confirmation before paying, shown when part of the form may be covered. */
  confirmTitle: ByOccasion<string>;
  confirmText: ByOccasion<string>;
  confirmPay: string;
  confirmSave: string;
  confirmBack: string;
  /** The name of a line in the order details. */
  tax: string;
  /** Shown shortly before the session expires. */
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
  /** For decoupled authentication, when the customer confirms in the bank's app and there is no page to show. */
  decoupledTitle: string;
  decoupledText: string;
  cancel: string;
  cancelQuestion: string;
  cancelNo: string;
  cancelYes: string;
  canceling: string;
}

/** For what the customer can choose in the form. */
export interface ChoiceTexts {
  /** The heading of the shop's shipping options. */
  shipping: string;
  /** The field's label. Shops use the field for vouchers and discount codes, too. */
  promotionCode: string;
  /** On the button next to the field. */
  applyCode: string;
  /** While the shop is being asked. */
  checkingCode: string;
  codeAccepted: string;
  /** By the reason that the shop gives. */
  codeRejected: Record<"invalid" | "expired" | "not_applicable", string>;
  codeMissing: string;
  codesUsedUp: string;
  /** The shop didn't respond in time, or there was no connection. */
  codeNotChecked: string;
  /** That the shipping option couldn't be changed. */
  notChosen: string;
}

export interface Language {
  first: PageWords;
  form: FormTexts;
  after: AfterTexts;
  choices: ChoiceTexts;
}

/** A language's main file: all texts that the page can show while the later code runs, except those for choices. */
export interface TextFile extends FirstTexts, FormTexts {
  after: AfterTexts;
}

/** The texts of a language that the page speaks. */
export interface Texts extends TextFile {
  /** The language, for `lang`: `de`. */
  language: string;
  /** The locale for `Intl`, which formats amounts, dates and numbers: `de-CH-u-nu-latn`. */
  locale: string;
}
