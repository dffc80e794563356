/** Pages without a challenge: pages that return to the shop, final pages, errors, and the bank's app. */
import { hiddenInputs, escapeHtml, type Page } from "./page.ts";

/**
 * Returns the browser to the shop with a form that submits itself once or twice. Without JavaScript it has a button.
 */
export function returnPage(action: string, fields: Record<string, string | undefined>, times: 1 | 2 = 1): Page {
  return {
    title: "Returning to the shop",
    main: `<p role="status">Returning to the shop…</p>
<form method="post" action="${escapeHtml(action)}">
${hiddenInputs(fields)}
<noscript><button>Continue</button></noscript>
</form>`,
    ...(times === 1 ? { script: "submit" } : { script: "submitTwice", connect: new URL(action).origin }),
  };
}

/** A 3DS Method page that never returns. */
export const silentPage: Page = { title: "One moment", main: `<h1>One moment…</h1>` };

/** The final page of a challenge that doesn't return the browser to the shop. */
export function endPage(isTimedOut: boolean): Page {
  return isTimedOut
    ? {
        title: "Time is up",
        main: `<h1>Time is up</h1>
<p role="status">You didn’t confirm in time. Please go back to the shop.</p>`,
      }
    : {
        title: "Done",
        main: `<h1>Done</h1>
<p role="status">We’ve received your answer. Please go back to the shop.</p>`,
      };
}

/** Shown if a browser let the bank's page navigate a window outside its iframe. */
export const outsidePage: Page = {
  title: "Outside the iframe",
  main: `<h1>Outside the iframe</h1>
<p>The bank’s page has navigated this window. The shop’s iframe should have prevented this.</p>`,
};

/** Opened by the bank's page in its own window, it tries to navigate the shop's window. */
export const openerPage: Page = {
  title: "New window",
  main: `<h1>New window</h1>
<p role="status">Trying to navigate the shop’s window…</p>`,
  script: "leaveByOpener",
};

/** A web page that stands in for the bank's app. */
export function appPage(acsTransID: string, state: "waiting" | "decided"): Page {
  if (state === "decided") {
    return {
      title: "Test Bank app",
      main: `<h1>Test Bank app</h1>\n<p role="status">Thank you. You can go back to the shop.</p>`,
    };
  }
  return {
    title: "Test Bank app",
    main: `<h1>Test Bank app</h1>
<p>Someone is paying with your card. Is it you?</p>
<form method="post" action="/acs/app/${escapeHtml(acsTransID)}">
<div class="buttons">
<button name="decision" value="approve">Approve</button>
<button class="plain" name="decision" value="decline">Decline</button>
</div>
</form>`,
  };
}

/**
 * Shown if the browser sent something that the ACS can't use. `errorCode` is from Table A.4 of the EMV 3DS
 * specification.
 */
export function refusalPage(errorCode: string, status = 400): Page {
  return {
    title: "This page cannot be shown",
    main: `<h1>This page cannot be shown</h1>
<p>${refusals[errorCode] ?? "Your bank couldn’t read the request."} Please go back to the shop.</p>
<p class="small">Error ${escapeHtml(errorCode)}</p>`,
    status,
  };
}

const refusals: Record<string, string> = {
  "301": "Your bank doesn’t know this request, or it has expired.",
  "305": "This request doesn’t match an earlier one.",
  "314": "This request was already opened in another way.",
  "315": "This request has ended.",
};
