/** English, which comes with the later code, but for what the first script has already and what is said around the bank's page (`en-bank.ts`). The build fills `{{name}}` in the HTML from here. */
import type { BankTexts, EarlyTexts, Occasion, Texts } from "./texts.ts";

/** A payment and a card that is only saved fail alike; `outcome` says what has not happened. */
const declined = (outcome: string): Occasion["declined"] => ({
  declined: `Your bank declined this card. ${outcome} Try another card, or ask your bank.`,
  insufficient_funds: `There is not enough money on this card. ${outcome} Try another card.`,
  expired_card: `This card has expired. ${outcome} Try another card.`,
  check_card: `Your bank did not accept these card details. ${outcome} Check them and try again.`,
  authentication_failed: `Your bank could not confirm that it is you. ${outcome} Try again, or use another card.`,
  authentication_canceled: `You canceled. ${outcome}`,
  authentication_timed_out: `Your bank’s check took too long. ${outcome} Try again.`,
  try_again: `Your bank could not be asked just now. ${outcome} Try again in a moment.`,
});
const notices = (outcome: string) => ({
  notStarted: `The connection was lost. ${outcome} You can try again.`,
  rateLimited: `Too many tries in a short time. ${outcome} Wait a minute, then try again.`,
  notAccepted: `The card could not be sent. ${outcome} Try again.`,
  testCardsOnly: `This is test mode: use one of the test cards. ${outcome}`,
  wiped: "For your safety, your card details were cleared after ten minutes.",
});
const results = (outcome: string) =>
  ({
    requires_confirmation: ["Card accepted", "The shop is finishing your order."],
    expired: ["This page has expired", `Its time ran out. ${outcome} Go back to the shop to start again.`],
    canceled: ["The shop canceled this", `${outcome} Go back to the shop to start again.`],
    ended: ["No more tries", `${outcome} Go back to the shop to start again.`],
  }) satisfies Partial<Occasion["results"]>;
const notPaid = "You have not been charged.";
const notSaved = "Your card was not saved.";

const texts: Omit<Texts, keyof EarlyTexts | keyof BankTexts> = {
  language: "en",
  direction: "ltr",
  amounts: "en",

  cardNumber: "Card number",
  expiry: "Expiry",
  expiryPlaceholder: "MM / YY",
  cvc: "CVC",
  name: "Name on card",
  email: "Email",
  postalCode: "Postal code",
  pay: "Pay",
  payAmount: (amount) => `Pay ${amount}`,
  save: "Save card",
  keptToo: (merchant) => `${merchant} keeps this card for later payments.`,
  keptOnly: (merchant) => `Nothing is charged now. ${merchant} keeps this card for later payments.`,
  encrypted: "Encrypted on this device",
  test: "TEST",
  testCards: "Test cards",
  testCardsHint: "No money moves. Choose one to fill the form in.",
  testCardOutcomes: {
    approved: "Approved",
    declined: "Declined",
    insufficient_funds: "Insufficient funds",
    frictionless: "Approved, no code asked",
    challenge: "Bank asks for a code",
  },
  backTo: (merchant) => `Back to ${merchant}`,
  problems: {
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
    nameMissing: "Enter the name on the card.",
    emailMissing: "Enter your email address.",
    emailWrong: "Check the email address, like name@example.com.",
    postalCodeMissing: "Enter your postal code.",
  },

  steps: {
    submitting: "Sending…",
    authenticating: "Checking with your bank…",
    confirming: "Confirming…",
    reconnecting: "Reconnecting…",
  },
  paying: {
    title: "Secure payment",
    declined: declined(notPaid),
    notices: {
      ...notices(notPaid),
      connectionLost: "The connection was lost. We are looking up whether your payment went through. Do not pay again yet.",
    },
    results: {
      ...results(notPaid),
      succeeded: ["Payment complete", "Thank you."],
      processing: ["Still confirming", "Your bank has not answered yet. Do not pay again: this page will tell you how it ends."],
      unknown: [
        "We do not know yet",
        "The connection was lost while you were paying. Do not pay again before this page has looked it up.",
      ],
    },
  },
  saving: {
    title: "Save a card",
    declined: declined(notSaved),
    notices: {
      ...notices(notSaved),
      connectionLost: "The connection was lost. We are looking up whether your card was saved. Do not send it again yet.",
    },
    results: {
      ...results(notSaved),
      succeeded: ["Card saved", "Nothing was charged."],
      processing: [
        "Still confirming",
        "Your bank has not answered yet. Do not enter the card again: this page will tell you how it ends.",
      ],
      unknown: [
        "We do not know yet",
        "The connection was lost while your card was being saved. Do not start again before this page has looked it up.",
      ],
    },
  },
  lookUpAgain: "Look it up again",
  continueTo: (merchant) => `Continue to ${merchant}`,
  takingYouBack: (merchant) => `Taking you back to ${merchant}…`,
};

export default texts;
