/**
 * Pages that challenge the cardholder, one for each kind of challenge. They have no Cancel button, because the iframe
 * around them always has one.
 */
import { formatAmount } from "@oriel/protocol/currency";
import { currencyOfNumber } from "@oriel/protocol/currency-numbers";
import type { Purchase, Step } from "./challenges.ts";
import { pictures } from "./judge.ts";
import { escapeHtml, hiddenInputs, type Page } from "./page.ts";

/** URL scheme of the Test Bank app. No device has the app, so the link leads nowhere. */
const appScheme = "oriel-test-bank";

type Question = Extract<Step, { step: "question" }>;

/** @param origin - The ACS's origin, for links that open in another window or tab. */
export function challengePage(question: Question, origin: string): Page {
  const title = titleOf(question.purchase);
  const heading = `<h1>${title}</h1>\n${purchaseList(question)}`;
  switch (question.page) {
    case "app":
      return outOfBandPage(question, title, heading, origin);
    case "single_select":
    case "multi_select":
      return { title, main: `${heading}\n${inputForm(question, choices(question))}` };
    case "cookies":
      return question.hasCookie === undefined
        ? cookieCheck(question)
        : { title, main: `${heading}\n${cookieNote(question)}\n${codeForm(question)}` };
    case "top":
      return { title, main: `${heading}\n${codeForm(question)}\n${waysOut(origin)}`, script: "leave" };
    case "long":
      return { title, main: `${heading}\n${terms}\n${codeForm(question)}\n${terms}` };
    case "unframeable":
      return { title, main: `${heading}\n${codeForm(question)}`, headers: { "x-frame-options": "DENY" } };
    case "code":
    case "passes": // the last three have no challenge page and never get here
    case "fails":
    case "nothing":
      return { title, main: `${heading}\n${codeForm(question)}` };
  }
}

function titleOf({ messageCategory }: Purchase): string {
  return messageCategory === "01" ? "Confirm payment" : "Confirm your card";
}

function purchaseList({ purchase, last4 }: Question): string {
  return `<dl>
<dt>Shop</dt><dd>${escapeHtml(purchase.merchantName)}</dd>
<dt>Amount</dt><dd>${purchase.messageCategory === "01" ? escapeHtml(amountOf(purchase)) : "No charge (card will be saved)"}</dd>
<dt>Card</dt><dd>ending in ${escapeHtml(last4)}</dd>
</dl>`;
}

function amountOf({ purchaseAmount, purchaseCurrency }: Purchase): string {
  const currency = currencyOfNumber(purchaseCurrency);
  if (currency === undefined) throw new Error("Bug: the currency of a purchase was read before");
  return formatAmount(Number(purchaseAmount), currency, "en");
}

function codeForm(question: Question): string {
  const { tries } = question;
  return `<p class="small" id="hint">Enter the code from your phone. For testing, enter 111111 to pass, 222222 to fail or 333333 to cancel.</p>
${inputForm(
  question,
  `<label for="code">Code</label>
<input class="code" id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required
 aria-describedby="hint${tries === 0 ? "" : " wrong"}"${tries === 0 ? "" : ' aria-invalid="true"'}>`,
  "code",
)}`;
}

function choices({ page }: Question): string {
  const isMulti = page === "multi_select";
  const kind = isMulti ? "checkbox" : "radio";
  const right = isMulti ? "the lighthouse and the teapot" : "the lighthouse";
  const inputs = pictures.map(
    (picture) =>
      `<label class="choice"><input type="${kind}" name="choice" value="${picture}"${isMulti ? "" : " required"}> ${capitalized(picture)}</label>`,
  );
  return `<fieldset id="${page}" aria-describedby="hint">
<legend>${isMulti ? "Which pictures are yours?" : "Which picture is yours?"}</legend>
<p class="small" id="hint">For testing, choose ${right} to pass.</p>
${inputs.join("\n")}
</fieldset>`;
}

function inputForm({ acsTransID, tries, triesLeft }: Question, fields: string, what = "answer"): string {
  const left = triesLeft === 1 ? "one attempt" : `${triesLeft} attempts`;
  return `${tries === 0 ? "" : `<p class="wrong" id="wrong" role="alert">Wrong ${what}: ${left} left.</p>`}
<form method="post" action="/acs/challenge/answer" autocomplete="off">
${hiddenInputs({ acsTransID, tries: String(tries) })}
${fields}
<div class="buttons">
<button name="action" value="submit">Submit</button>
</div>
</form>`;
}

/**
 * Waits for approval in the bank's app. The page links to the app by its URL scheme, as banks do, and to a web page
 * that stands in for the app in another tab. An iframe's sandbox may block both links, so the URL is also shown for
 * copying.
 */
function outOfBandPage({ acsTransID, tries }: Question, title: string, heading: string, origin: string): Page {
  const address = escapeHtml(`${origin}/acs/app/${acsTransID}`);
  const fields = { acsTransID, tries: String(tries) };
  return {
    title,
    main: `${heading}
<p role="status">Approve this request in the Test Bank app. We’re waiting for your approval.</p>
<p><a href="${appScheme}://approve/${escapeHtml(acsTransID)}">Open the app</a></p>
<p class="small">The app is a web page. Open it in another tab:<br><a href="${address}" target="_blank" rel="noopener">${address}</a></p>
<form method="post" action="/acs/challenge/answer">
${hiddenInputs(fields)}
<div class="buttons">
<button name="action" value="check">I have approved it</button>
</div>
</form>
<form method="post" action="/acs/challenge/answer" data-poll="${address}/state" hidden>
${hiddenInputs({ ...fields, action: "check" })}
</form>`,
    script: "poll",
    connect: origin,
  };
}

const cookie = "acs=seen; Path=/acs; Max-Age=600; HttpOnly; Secure; SameSite=None; Partitioned";

function cookieCheck({ acsTransID, tries }: Question): Page {
  return {
    title: "One moment",
    main: `<h1>One moment…</h1>
<form method="post" action="/acs/challenge/answer">
${hiddenInputs({ acsTransID, tries: String(tries), action: "check" })}
<noscript><button>Continue</button></noscript>
</form>`,
    script: "submit",
    headers: { "set-cookie": cookie },
  };
}

function cookieNote({ hasCookie }: Question): string {
  const text =
    hasCookie === true
      ? "This browser accepts this bank’s cookie."
      : "This browser blocks this bank’s cookie here. The challenge still works.";
  return `<p class="small" id="cookie">${text}</p>`;
}

/**
 * Attempts to navigate the shop's window, which the iframe's sandbox must prevent: with forms that have a `target`, as
 * older banks use them, and with a new window that uses `opener`.
 */
function waysOut(origin: string): string {
  const form = (target: string, text: string) =>
    `<form method="get" action="${escapeHtml(origin)}/acs/outside" target="${target}"><button class="plain">${text}</button></form>`;
  return `<p class="small">This page tries to leave its iframe.</p>
<div class="buttons">
${form("_top", "Navigate the top window")}
${form("_parent", "Navigate the parent window")}
</div>
<p><a href="${escapeHtml(origin)}/acs/outside/opener" target="_blank" rel="opener">Navigate the top window from a new window</a></p>`;
}

const terms = Array.from(
  { length: 15 },
  (_, index) =>
    `<p>${index + 1}. This page is long, like some banks’ pages. The code field is in the middle. You can reach it by scrolling with a finger, a wheel or the keyboard. Nothing is cut off.</p>`,
).join("\n");

function capitalized(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
