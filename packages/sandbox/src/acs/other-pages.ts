/** The pages that ask nothing: ways back, endings, refusals, and the bank's app. */
import { hiddenInputs, escapeHtml, type Page } from "./page.ts";

/** Takes the browser back by a form that posts itself, or twice; without JavaScript, by a button. */
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

/** The 3DS Method's page that never comes back. */
export const silentPage: Page = { title: "One moment", main: `<h1>One moment…</h1>` };

/** The end of a challenge that does not send the browser back. */
export function endPage(isTimedOut: boolean): Page {
  return isTimedOut
    ? {
        title: "Time is up",
        main: `<h1>Time is up</h1>
<p role="status">This was not confirmed in time. Please go back to the shop.</p>`,
      }
    : {
        title: "Done",
        main: `<h1>Done</h1>
<p role="status">You have answered. Please go back to the shop.</p>`,
      };
}

/** What a browser shows that let the bank's page out of its frame. */
export const outsidePage: Page = {
  title: "Outside",
  main: `<h1>Outside</h1>
<p>The bank’s page has taken this window. The shop’s frame should not have let it.</p>`,
};

/** Opened in a window of its own by the bank's page, it tries to navigate the shop's window. */
export const openerPage: Page = {
  title: "New window",
  main: `<h1>New window</h1>
<p role="status">Trying to take the shop’s window…</p>`,
  script: "leaveByOpener",
};

/** The bank's app, in the shape of a page. */
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
<p>Somebody is paying with your card. Is it you?</p>
<form method="post" action="/acs/app/${escapeHtml(acsTransID)}">
<div class="buttons">
<button name="decision" value="approve">Approve</button>
<button class="plain" name="decision" value="decline">Decline</button>
</div>
</form>`,
  };
}

/**
 * What a browser sees when it brought something that the ACS cannot use. `errorCode` is from Table A.4 of the
 * specification.
 */
export function refusalPage(errorCode: string, status = 400): Page {
  return {
    title: "This page cannot be shown",
    main: `<h1>This page cannot be shown</h1>
<p>${refusals[errorCode] ?? "Your bank could not read the request."} Please go back to the shop.</p>
<p class="small">Error ${escapeHtml(errorCode)}</p>`,
    status,
  };
}

const refusals: Record<string, string> = {
  "301": "Your bank does not know this request, or has forgotten it.",
  "305": "This request does not fit what your bank was asked before.",
  "314": "This request was opened before, in another way.",
  "315": "This request is over.",
};
