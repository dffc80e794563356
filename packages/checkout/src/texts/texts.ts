/**
 * What a language has to say: every sentence that the customer can read. One file per language holds one record of {@link WholeTexts}, so that
 * a sentence that is missing is an error of the compiler.
 *
 * English is built into the page; the others come when they are needed. To add one: write `<code>.ts` beside this file and name it in
 * `languages.ts`. Nothing here knows a card, an amount or a merchant: what varies comes in as an argument and goes out as text, never as HTML.
 */
import type { CustomerReason } from "@oriel/protocol/declines";
import type { TestScenario } from "../test-cards.ts";

/** A heading and a sentence. */
export type Said = readonly [title: string, text: string];

/** What may have to be said before the later code is there. */
export type EarlyResultName = "invalid" | "unreachable" | "unsupported";
export type LateResultName =
  | "succeeded"
  | "requires_confirmation"
  | "processing"
  /** The session's time ran out. */
  | "expired"
  | "canceled"
  /** Too many failed tries. */
  | "ended"
  /** Nobody knows yet whether the payment went through. */
  | "unknown";
export type ResultName = EarlyResultName | LateResultName;

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

export type NoticeName = "connectionLost" | "notStarted" | "rateLimited" | "notAccepted" | "testCardsOnly" | "wiped";

/** A session that is paid and one that only saves a card speak of different things. */
export interface Occasion {
  /** Of the page, beside the merchant's name. */
  title: string;
  declined: Record<CustomerReason, string>;
  /** Above the fields. */
  notices: Record<NoticeName, string>;
  results: Record<LateResultName, Said>;
}

export interface EarlyTexts {
  early: Record<EarlyResultName, Said>;
  retry: string;
}

/** Around the bank's page. */
export interface BankTexts {
  bankTitle: string;
  bankFrame: string;
  bankOpened: string;
  bankOpening: string;
  bankSlow: string;
  bankTrouble: string;
  bankConfirming: string;
  cancel: string;
  cancelQuestion: string;
  cancelNo: string;
  cancelYes: string;
  canceling: string;
}

/** What the page can say. In English the {@link BankTexts} are not here: the code that speaks with the bank brings them. */
export interface Texts extends EarlyTexts, Partial<BankTexts> {
  /** For `lang`. */
  language: string;
  direction: "ltr" | "rtl";
  /** How amounts are written: a BCP 47 tag. */
  amounts: string;

  // The form.
  cardNumber: string;
  expiry: string;
  expiryPlaceholder: string;
  cvc: string;
  name: string;
  email: string;
  postalCode: string;
  pay: string;
  payAmount(amount: string): string;
  save: string;
  /** Below the button, where the card is kept beside being charged. */
  keptToo(merchant: string): string;
  /** Below the button, where nothing is charged. */
  keptOnly(merchant: string): string;
  encrypted: string;
  test: string;
  testCards: string;
  testCardsHint: string;
  testCardOutcomes: Record<TestScenario, string>;
  backTo(merchant: string): string;
  problems: Record<Problem, string>;

  // While it is under way, and how it ends.
  steps: Record<Step, string>;
  paying: Occasion;
  saving: Occasion;
  lookUpAgain: string;
  continueTo(merchant: string): string;
  takingYouBack(merchant: string): string;
}

/** What the file of a language has to say. */
export type WholeTexts = Texts & BankTexts;
