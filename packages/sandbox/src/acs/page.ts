/**
 * The layout of all the bank's pages. They represent another company's pages, so they share no scripts or framework
 * with Oriel. Like an issuer's pages they can be embedded anywhere: they send no X-Frame-Options, frame-ancestors, COEP
 * or CORP.
 *
 * External input goes through {@link escapeHtml}. The CSP allows the style and the scripts by hash, so nothing else can
 * run, even if something isn't escaped.
 */
import { createHash } from "node:crypto";
import type { FastifyReply } from "fastify";

export interface Page {
  title: string;
  /** HTML with all input escaped. */
  main: string;
  script?: keyof typeof scripts;
  /** The only origin from which its script may fetch. */
  connect?: string;
  headers?: Record<string, string>;
  status?: number;
}

/** Sends one of the bank's pages. */
export function sendPage(
  reply: FastifyReply,
  { title, main, script, connect, headers = {}, status = 200 }: Page,
): FastifyReply {
  return reply
    .code(status)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "content-security-policy": `${contentSecurityPolicy}${connect === undefined ? "" : `; connect-src ${connect}`}`,
      ...headers,
    })
    .send(
      `<!doctype html>
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
</main>${script === undefined ? "" : `\n<script>${scripts[script]}</script>`}
</body>
</html>
`,
    );
}

/** Escapes text, including for attribute values in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function hiddenInputs(fields: Record<string, string | undefined>): string {
  return Object.entries(fields)
    .filter((field): field is [string, string] => field[1] !== undefined)
    .map(([name, value]) => `<input type="hidden" name="${escapeHtml(name)}" value="${escapeHtml(value)}">`)
    .join("\n");
}

const scripts = {
  submit: "document.forms[0].submit()",
  /** Posts the form by `fetch` and then submits it. */
  submitTwice: `
const form = document.forms[0];
const body = new URLSearchParams(new FormData(form));
fetch(form.action, { method: "POST", mode: "no-cors", credentials: "omit", body }).catch(() => {}).then(() => form.submit());
`,
  /** Polls until the app has decided, then submits the last form. */
  poll: `
const form = document.forms[document.forms.length - 1];
const timer = setInterval(async () => {
  try {
    const { state } = await (await fetch(form.dataset.poll, { credentials: "omit" })).json();
    if (state === "waiting") return;
    clearInterval(timer);
    form.submit();
  } catch {}
}, 2000);
`,
  /** Submits the forms that try to navigate the top and parent windows. */
  leave: `
if (self !== top) for (const form of document.querySelectorAll("form[target]")) form.submit();
`,
  /** Tries to navigate the top window of the page that opened this one. */
  leaveByOpener: `
const status = document.querySelector("[role=status]");
try {
  opener.top.location.href = new URL("/acs/outside", location);
  status.textContent = "The shop’s window was navigated away.";
} catch (error) {
  status.textContent = "Blocked: " + error.name;
}
`,
};

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
fieldset{margin:0;padding:0;border:0}
legend{padding:0;font-weight:600;margin-bottom:4px}
label{display:block;font-weight:600;margin-bottom:4px}
label.choice{display:flex;align-items:center;gap:8px;min-height:28px;margin:0;font-weight:400}
input.code{width:100%;height:40px;padding:0 10px;font:inherit;font-size:16px;letter-spacing:2px;color:inherit;background:#fff;border:1px solid #6b7686;border-radius:4px}
input[aria-invalid]{border:2px solid #b3261e}
a{color:#0b3d5c;overflow-wrap:anywhere}
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

// There's no form-action, because the return form's URL comes from the AReq or the 3DS Method form.
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src ${hashOf(style)}`,
  `script-src ${Object.values(scripts).map(hashOf).join(" ")}`,
  "base-uri 'none'",
].join("; ");

function hashOf(text: string): string {
  return `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
}
