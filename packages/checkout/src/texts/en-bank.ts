/** English for the bank's challenge: it comes with the code that speaks with the bank. */
import { bankFrame } from "./early.ts";
import type { BankTexts } from "./texts.ts";

const texts: BankTexts = {
  bankTitle: "Confirm with your bank",
  bankFrame,
  bankOpened: "Your bank wants to confirm that it is you.",
  bankOpening: "Opening your bank’s page…",
  bankSlow: "Your bank’s page is taking a while. You can wait, or cancel and use another card.",
  bankTrouble: "Having trouble? If the page stays empty or no code arrives, cancel and try another card.",
  bankConfirming: "Waiting for your bank’s answer…",
  cancel: "Cancel",
  cancelQuestion: "Cancel?",
  cancelNo: "Keep going",
  cancelYes: "Yes, cancel",
  canceling: "Canceling…",
};

export default texts;
