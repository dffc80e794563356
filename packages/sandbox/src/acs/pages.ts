/**
 * The bank's pages, whole, as text. They come from another company, so they share nothing with Oriel's: no cookies, no scripts from
 * anywhere, no framework. They let themselves be framed, as an issuer's must: no X-Frame-Options, no frame-ancestors, and neither COEP
 * nor CORP, which real banks do not send either.
 *
 * Everything that came from outside goes through {@link escapeHtml}. The one style and the one script are named by hash in the CSP, so that
 * nothing else runs even if something slipped through.
 */
import { createHash } from "node:crypto";
import { formatAmount, isCurrency } from "@oriel/protocol/currency";
import type { FastifyReply } from "fastify";
import type { Step } from "./challenges.ts";

/** Sends a page of the bank's. */
export function sendPage(reply: FastifyReply, page: string, status = 200): FastifyReply {
  return reply
    .code(status)
    .header("content-type", "text/html; charset=utf-8")
    .header("cache-control", "no-store")
    .header("x-content-type-options", "nosniff")
    .header("content-security-policy", contentSecurityPolicy)
    .send(page);
}

/** Asks the cardholder for the code. */
export function challengePage({ acsTransID, purchase, last4, tries, triesLeft }: Extract<Step, { step: "ask" }>): string {
  const wrong =
    tries === 0
      ? ""
      : `<p class="wrong" id="wrong" role="alert">Wrong code: ${triesLeft === 1 ? "one try" : `${triesLeft} tries`} left.</p>`;
  const isPayment = purchase.messageCategory === "01";
  const title = isPayment ? "Confirm payment" : "Confirm your card";
  return page(
    title,
    `<h1>${title}</h1>
<dl>
<dt>Shop</dt><dd>${escapeHtml(purchase.merchantName)}</dd>
<dt>Amount</dt><dd>${isPayment ? escapeHtml(amountOf(purchase)) : "none, the card is saved"}</dd>
<dt>Card</dt><dd>ending in ${escapeHtml(last4)}</dd>
</dl>
<p class="small" id="hint">Enter the code from your phone. Here, 111111 passes and 222222 fails.</p>
${wrong}
<form method="post" action="/acs/challenge/answer" autocomplete="off">
<input type="hidden" name="acsTransID" value="${escapeHtml(acsTransID)}">
<input type="hidden" name="tries" value="${tries}">
<label for="code">Code</label>
<input id="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="10" required
 aria-describedby="hint${tries === 0 ? "" : " wrong"}"${tries === 0 ? "" : ' aria-invalid="true"'}>
<div class="buttons">
<button name="action" value="submit">Submit</button>
<button class="plain" name="action" value="cancel" formnovalidate>Cancel</button>
</div>
</form>`,
  );
}

/** Takes the browser back by a form that posts itself; without JavaScript, by a button. */
export function returnPage(action: string, fields: Record<string, string | undefined>): string {
  const inputs = Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`);
  return page(
    "Returning to the shop",
    `<p role="status">Returning to the shop…</p>
<form method="post" action="${escapeHtml(action)}">
${inputs.join("\n")}
<noscript><button>Continue</button></noscript>
</form>
<script>${submitScript}</script>`,
  );
}

/** What a browser sees when it brought something that the ACS cannot use. `errorCode` is from Table A.4 of the specification. */
export function refusalPage(errorCode: string): string {
  return page(
    "This page cannot be shown",
    `<h1>This page cannot be shown</h1>
<p>${refusals[errorCode] ?? "Your bank could not read the request."} Nothing was paid. Please go back to the shop and try again.</p>
<p class="small">Error ${escapeHtml(errorCode)}</p>`,
  );
}

const refusals: Record<string, string> = {
  "301": "Your bank does not know this request, or has forgotten it.",
  "314": "This request was opened before, in another way.",
};

function amountOf({ purchaseAmount, purchaseCurrency, purchaseExponent }: Extract<Step, { step: "ask" }>["purchase"]): string {
  const currency = purchaseCurrency.toLowerCase();
  if (isCurrency(currency)) return formatAmount(Number(purchaseAmount), currency, "en");
  const decimals = Number(purchaseExponent);
  const amount = Number(purchaseAmount) / 10 ** decimals;
  return `${amount.toFixed(decimals)} (currency ${purchaseCurrency})`; // by number, as the specification has it
}

function page(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} - Test Bank</title>
<style>${style}</style>
</head>
<body>
<header><strong>TEST BANK</strong><span>No real money</span></header>
<main>
${main}
</main>
</body>
</html>
`;
}

/** For text and for attribute values in double quotes. */
function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

const style = `
:root{color-scheme:light;font:15px/1.4 system-ui,sans-serif;color:#1a2230;background:#fff}
*{box-sizing:border-box}
body{margin:0}
header{display:flex;flex-wrap:wrap;justify-content:space-between;gap:0 12px;padding:8px 16px;background:#0b3d5c;color:#fff}
header span{font-size:13px;align-self:center}
main{max-width:420px;margin:0 auto;padding:12px 16px}
h1{font-size:18px;margin:0 0 8px}
p{margin:8px 0}
dl{display:grid;grid-template-columns:auto 1fr;gap:2px 12px;margin:0}
dt{color:#4a5566}
dd{margin:0;text-align:right;font-weight:600;overflow-wrap:anywhere}
label{display:block;font-weight:600;margin-bottom:4px}
input{width:100%;height:40px;padding:0 10px;font:inherit;font-size:16px;letter-spacing:2px;color:inherit;background:#fff;border:1px solid #6b7686;border-radius:4px}
input[aria-invalid]{border:2px solid #b3261e}
.wrong{color:#b3261e;font-weight:600}
.small{font-size:13px;color:#4a5566}
.buttons{display:flex;gap:8px;margin-top:10px}
button{flex:1;min-height:40px;font:inherit;font-weight:600;color:#fff;background:#0b3d5c;border:1px solid #0b3d5c;border-radius:4px;cursor:pointer}
button.plain{color:#0b3d5c;background:#fff}
@media (max-width:340px),(max-height:420px){
:root{font-size:14px;line-height:1.3}
header{padding:4px 12px}
main{padding:8px 12px}
h1{font-size:16px;margin-bottom:4px}
p{margin:6px 0}
}
:focus-visible{outline:3px solid #e0872b;outline-offset:1px}
`;

const submitScript = "document.forms[0].submit()";

// No form-action: the return form goes to an address that only its own AReq or 3DS Method form knows.
const contentSecurityPolicy = `default-src 'none'; style-src ${hashOf(style)}; script-src ${hashOf(submitScript)}; base-uri 'none'`;

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
