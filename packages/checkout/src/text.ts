/**
 * Every sentence the customer can read, in English, in one place so that other languages can stand beside it.
 *
 * The build fills `{{name}}` in the HTML from here; scripts import what they use, and a bundle holds only those. Nothing here knows a
 * card, an amount or a merchant: what varies comes in as an argument and goes out as text, never as HTML.
 */
import type { CustomerReason } from "@oriel/protocol/declines";

export const locale = "en";

// --- the form ----------------------------------------------------------------------------------------------------------------------

export const title = "Secure payment";
export const cardNumber = "Card number";
export const expiry = "Expiry";
export const cvc = "CVC";
export const expiryPlaceholder = "MM / YY";
export const pay = "Pay";
export const payAmount = (amount: string) => `Pay ${amount}`;
export const save = "Save card";
/** Below the button, where the card is kept beside being charged. */
export const keptToo = (merchant: string) => `${merchant} keeps this card for later payments.`;
/** Below the button, where nothing is charged. */
export const keptOnly = (merchant: string) => `Nothing is charged now. ${merchant} keeps this card for later payments.`;
export const encrypted = "Encrypted on this device";
export const needsScript = "Turn JavaScript on to pay here.";
export const test = "TEST";
export const testCards = "Test cards";
export const testCardsHint = "No money moves. Choose one to fill the form in.";
export const back = "Back";
export const backTo = (merchant: string) => `Back to ${merchant}`;

export const problems = {
  numberMissing: "Enter your card number.",
  numberIncomplete: "This card number is too short.",
  numberWrong: "Check the card number: a digit seems to be wrong.",
  expiryMissing: "Enter the expiry date.",
  expiryIncomplete: "Enter month and year, like 04 / 29.",
  expiryPast: "This card has expired.",
  expiryFar: "Check the year.",
  cvcMissing: "Enter the security code.",
  cvcIncomplete3: "The code has 3 digits, on the back of the card.",
  cvcIncomplete4: "The code has 4 digits, on the front of the card.",
} as const;
export type Problem = keyof typeof problems;

/** Test cards of the sandbox bank, with what each of them does. */
export const testCardOutcomes = [
  ["4242424242424242", "Approved"],
  ["4000000000000002", "Declined"],
  ["4000000000009995", "Insufficient funds"],
  ["4000000032200000", "Approved, no code asked"],
  ["4000002760003184", "Bank asks for a code"],
] as const;

// --- while it is under way ---------------------------------------------------------------------------------------------------------

export const steps = {
  submitting: "Sending…",
  authenticating: "Checking with your bank…",
  confirming: "Confirming…",
  reconnecting: "Reconnecting…",
} as const;

// --- what the form says above its fields -------------------------------------------------------------------------------------------

export const declined: Record<CustomerReason, string> = {
  declined: "Your bank declined this card. You have not been charged. Try another card, or ask your bank.",
  insufficient_funds: "There is not enough money on this card. You have not been charged. Try another card.",
  expired_card: "This card has expired. You have not been charged. Try another card.",
  check_card: "Your bank did not accept these card details. You have not been charged. Check them and try again.",
  authentication_failed: "Your bank could not confirm that it is you. You have not been charged. Try again, or use another card.",
  authentication_canceled: "You canceled. You have not been charged.",
  authentication_timed_out: "Your bank’s check took too long. You have not been charged. Try again.",
  try_again: "Your bank could not be asked just now. You have not been charged. Try again in a moment.",
};

/** By itself: a sentence read out of another record would keep both records in every script that imports this file. */
const wiped = "For your safety, your card details were cleared after ten minutes.";
export const notices = {
  connectionLost: "The connection was lost. We are looking up whether your payment went through. Do not pay again yet.",
  notStarted: "The connection was lost and no payment was made. You have not been charged. You can try again.",
  rateLimited: "Too many tries in a short time. You have not been charged. Wait a minute, then try again.",
  notAccepted: "The card could not be sent. You have not been charged. Try again.",
  testCardsOnly: "This is test mode: use one of the test cards. You have not been charged.",
  wiped,
} as const;
export type NoticeName = keyof typeof notices;

// --- the bank's challenge ----------------------------------------------------------------------------------------------------------

export const bankTitle = "Confirm with your bank";
export const bankFrame = "Your bank’s page";
export const bankCheckFrame = "Security check by your bank";
export const bankOpened = "Your bank wants to confirm that it is you.";
export const bankOpening = "Opening your bank’s page…";
export const bankSlow = "Your bank’s page is taking a while. You can wait, or cancel and use another card.";
export const bankTrouble = "Having trouble? If the page stays empty or no code arrives, cancel and try another card.";
export const bankConfirming = "Waiting for your bank’s answer…";
export const cancel = "Cancel";
export const cancelQuestion = "Cancel?";
export const cancelNo = "Keep going";
export const cancelYes = "Yes, cancel";
export const cancelling = "Canceling…";

// --- results -----------------------------------------------------------------------------------------------------------------------

/** A title and a sentence. These the first script may need already. */
export const earlyResults = {
  invalid: ["Go back to the shop", "This page cannot take a payment on its own. Start again from the shop’s checkout."],
  unreachable: [
    "No connection",
    "We could not reach the payment service. Nothing was sent. Check your connection and try again.",
  ],
  unsupported: ["This browser is too old", "Update your browser, or open the shop in another one, to pay safely."],
} as const;

export const results = {
  ...earlyResults,
  succeeded: ["Payment complete", "Thank you."],
  requires_confirmation: ["Card accepted", "The shop is finishing your order."],
  processing: ["Still confirming", "Your bank has not answered yet. Do not pay again: this page will tell you how it ends."],
  expired: ["This checkout has expired", "You have not been charged here. Go back to the shop to start again."],
  canceled: ["This checkout was canceled", "You have not been charged. Go back to the shop to start again."],
  ended: ["No more tries", "This checkout is closed. You have not been charged. Go back to the shop to start again."],
  unknown: [
    "We do not know yet",
    "The connection was lost while you were paying. Do not pay again before this page has looked it up.",
  ],
} as const satisfies Record<string, readonly [title: string, text: string]>;
export type ResultName = keyof typeof results;

// --- one set of words for a session that is paid, one for a session that only saves a card ----------------------------------------

interface Words {
  /** Of the page, beside the merchant's name. */
  title: string;
  declined: Record<CustomerReason, string>;
  notices: Record<NoticeName, string>;
  results: Record<ResultName, readonly [title: string, text: string]>;
}

export const paying: Words = { title, declined, notices, results };

export const saving: Words = {
  title: "Save a card",
  declined: {
    declined: "Your bank declined this card. It was not saved. Try another card, or ask your bank.",
    insufficient_funds: "Your bank says there is not enough money on this card. It was not saved. Try another card.",
    expired_card: "This card has expired. It was not saved. Try another card.",
    check_card: "Your bank did not accept these card details. Nothing was saved. Check them and try again.",
    authentication_failed: "Your bank could not confirm that it is you. Your card was not saved. Try again, or use another card.",
    authentication_canceled: "You canceled. Your card was not saved.",
    authentication_timed_out: "Your bank’s check took too long. Your card was not saved. Try again.",
    try_again: "Your bank could not be asked just now. Your card was not saved. Try again in a moment.",
  },
  notices: {
    connectionLost: "The connection was lost. We are looking up whether your card was saved. Do not send it again yet.",
    notStarted: "The connection was lost and your card was not saved. You can try again.",
    rateLimited: "Too many tries in a short time. Your card was not saved. Wait a minute, then try again.",
    notAccepted: "The card could not be sent. It was not saved. Try again.",
    testCardsOnly: "This is test mode: use one of the test cards. Your card was not saved.",
    wiped,
  },
  results: {
    ...results,
    succeeded: ["Card saved", "Nothing was charged."],
    processing: [
      "Still confirming",
      "Your bank has not answered yet. Do not enter the card again: this page will tell you how it ends.",
    ],
    expired: ["This page has expired", "Your card was not saved. Go back to the shop to start again."],
    canceled: ["The shop canceled this", "Your card was not saved. Go back to the shop to start again."],
    ended: ["No more tries", "Your card was not saved. Go back to the shop to start again."],
    unknown: [
      "We do not know yet",
      "The connection was lost while your card was being saved. Do not start again before this page has looked it up.",
    ],
  },
};

// --- what can be done next ---------------------------------------------------------------------------------------------------------

export const retry = "Try again";
export const lookUpAgain = "Look it up again";
export const continueTo = (merchant: string) => `Continue to ${merchant}`;
export const takingYouBack = (merchant: string) => `Taking you back to ${merchant}…`;
