/**
 * What the loader's error codes mean, in words for whoever builds the page that holds the checkout. The service makes
 * `/embed/v1/help` of it, where an error's `docUrl` leads (`#<code>`); the loader itself carries the codes alone,
 * because sentences would be weight for everyone.
 *
 * Code stands between backticks. The records are the service's own words: nothing from outside is ever put into them.
 */

export interface LoadError {
  /** What happened. */
  what: string;
  /** What the page's developer does about it. */
  doThis: string;
}

/**
 * By code, in the order in which a page meets them.
 *
 * @example loadErrors.csp_blocked.doThis // "Name the checkout's origin in `frame-src` ..."
 */
export const loadErrors = {
  script_blocked: {
    what: "The loader's script did not arrive, or did not run. An ad blocker, the page's `script-src`, an `integrity` that does not fit, or the network stood in its way.",
    doThis:
      "Open the browser's console: it names what refused the script. Allow the checkout's origin in `script-src`. With `integrity`, take the value of that very version from `/embed/sri.json`, and set `crossorigin`. A customer behind a blocker can pay by the link to the full page, which needs no script of yours.",
  },
  csp_blocked: {
    what: "Your page's Content-Security-Policy does not let it hold a frame from the checkout's origin.",
    doThis:
      "Name the checkout's origin in `frame-src` (or in `child-src` or `default-src`, where your policy has no `frame-src`). No other directive needs it, but for `script-src` if you use the script tag. A page may have more than one policy: look at each header and at `<meta>`; all of them must agree.",
  },
  frame_refused: {
    what: "The checkout's page could not be shown in a frame, though the session is alive and lists your page's origin. Most often the page above yours, in which your own page is framed, is not listed.",
    doThis:
      "If your page is itself in a frame, put the origins of the pages above it into `allowed_origins` as well: every one of them must be there. Otherwise look for a proxy in front of the service that adds `X-Frame-Options` or changes its headers.",
  },
  frame_hidden: {
    what: "The form is ready, but a style hides its iframe: `display: none`, `visibility: hidden` or `opacity: 0`. The style is on the iframe itself, not on your container.",
    doThis:
      "Look for a rule in your stylesheets that matches every `iframe`, and exclude the checkout's container from it. If none does, suspect a blocker in the customer's browser. To hide the form yourself, hide its container. The iframe stays in place, with a link to the full page below it.",
  },
  sandboxed: {
    what: "Your page, or a frame around it, is in a sandbox that the form can't work in. The frame inherits it.",
    doThis:
      "Add `allow-scripts allow-same-origin allow-forms` to the `sandbox` attribute, or to the `sandbox` directive of your page's Content-Security-Policy. Add `allow-popups` too, so that a form without enough room can continue in its own window.",
  },
  origin_not_allowed: {
    what: "The session does not let a page of your origin hold its frame.",
    doThis:
      "Put your page's exact origin, such as `https://shop.example`, into `allowed_origins` when your server creates the session, or have the operator add it to your account's list. Scheme, host and port must all be the same; `www.` is another origin. A page with an opaque origin (`file:`, or a frame with `sandbox` and without `allow-same-origin`) has none that could be listed.",
  },
  handshake_timeout: {
    what: "The frame loaded, and then said nothing for as long as `timeout` allows (15 seconds unless you set it).",
    doThis:
      "Try again: a slow device or network is the usual cause. If it stays so, look for something on the page that removes, moves or reloads the frame while it starts, or that overwrites `MessageChannel`. The frame stays where it is, with a link to the full page below it.",
  },
  network: {
    what: "The service did not answer: the customer's network, a name that does not resolve, a certificate, or a service that is down.",
    doThis:
      "Open the `embed_url` in a tab of its own. If it does not load there either, ask whoever runs the service. If it does, look for what stands between your page and the checkout's origin: a blocker, a company's proxy, a service worker.",
  },
  session_invalid: {
    what: "The address names no session that a customer could pay: it is cut off, its secret is missing or wrong, or you canceled the session.",
    doThis:
      "Hand on the `embed_url` exactly as the service gave it, with all that follows `#`: a redirect, a link shortener or a template that escapes it may lose that part. Each sale needs a session of its own; create one for the customer who is looking.",
  },
  session_expired: {
    what: "The session is over: its time ran out, or five tries failed.",
    doThis:
      "Create a session when the customer reaches the payment, not before. With `fetchEmbedUrl` the loader asks for a new one by itself when time ran out. After five failures it does not: let the customer start again from your shop.",
  },
  unsupported_browser: {
    what: "The customer's browser is too old for the checkout's page, or lacks what encrypting a card needs. On an address without https, no browser has it.",
    doThis:
      "Serve the checkout over https (browsers make an exception for `localhost`). The customer can update the browser, or pay by another.",
  },
  protocol_mismatch: {
    what: "The loader on your page and the service speak no common version of their messages.",
    doThis:
      "Load a newer version: the `v1` address, or the newest in `/embed/sri.json`, or a newer package. If yours is the newest, the service is older than it; ask whoever runs it to update.",
  },
  internal: {
    what: "Something went wrong inside the checkout that has no code of its own.",
    doThis:
      "Try again. If it happens again, give whoever runs the service the `diagnosticId` and what `getDebugReport()` answers: both are free of card data.",
  },
  submit_not_allowed: {
    what: "Your page called `submit()`, and the session does not let it.",
    doThis: 'Create the session with `submit_button: "merchant"`. Without it, only the form\'s own button pays.',
  },
  destroyed: {
    what: "The checkout was destroyed before this could be done: by `destroy()`, by its `signal`, or because its component went away.",
    doThis:
      "Nothing, where that was meant. Otherwise look for what ends it: a framework that mounts twice needs no `destroy()` between, since a mount in the same place takes the living frame over.",
  },
} as const satisfies Record<string, LoadError>;
