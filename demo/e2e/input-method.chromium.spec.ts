/**
 * A Japanese input method, emulated by Chromium's developer tools: full-width digits are composed and become a card
 * number when they're committed.
 */
import { expect, test } from "@playwright/test";
import { cards, pressPay } from "./checkout.ts";
import { expectSessionPaid } from "./hosts/host-checkout.ts";
import { openSession } from "./hosts/sessions.ts";

const fullWidth = (text: string) =>
  text.replace(/\d/g, (digit) => String.fromCharCode(digit.charCodeAt(0) - 0x30 + 0xff10));

test("a number composed in full-width digits stays unchanged until it's committed, and pays", async ({ page }) => {
  const { sessionId, embedUrl } = await openSession();
  await page.goto(embedUrl);
  const form = page; // the full page
  const keyboard = await page.context().newCDPSession(page);
  const compose = (text: string) =>
    keyboard.send("Input.imeSetComposition", { text, selectionStart: text.length, selectionEnd: text.length });
  const take = (text: string) => keyboard.send("Input.insertText", { text });

  const number = form.getByTestId("oriel-number");
  await number.focus();
  const typed = fullWidth(cards.approved.number.replaceAll(" ", ""));
  for (let length = 1; length <= typed.length; length++) await compose(typed.slice(0, length));
  await expect(number).toHaveValue(typed);
  await take(typed);
  await expect(number).toHaveValue("4242 4242 4242 4242");

  for (const [field, text] of [
    ["oriel-expiry", cards.approved.expiry],
    ["oriel-cvc", cards.approved.cvc],
  ] as const) {
    await form.getByTestId(field).focus();
    await compose(fullWidth(text));
    await take(fullWidth(text));
  }
  await pressPay(form);
  await expectSessionPaid(sessionId);
});
