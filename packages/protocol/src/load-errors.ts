/**
 * Explains the loader's error codes to developers who embed the checkout. The service shows these texts at
 * `/embed/v1/help`, which an error's `docUrl` links to (`#<code>`). The loader contains only the codes, to stay small.
 *
 * Code is in backticks. The texts are constants and never contain outside input.
 */

export interface LoadError {
  /** What happened and why. */
  what: string;
  /** How the page's developer can fix it. */
  doThis: string;
}

/**
 * By code, in the order in which they can occur.
 *
 * @example loadErrors.csp_blocked.doThis // "Add the checkout's origin to `frame-src` ..."
 */
export const loadErrors = {
  script_blocked: {
    what: "The loader script didn't load or run. Common causes are an ad blocker, your page's `script-src`, a wrong `integrity` value or the network.",
    doThis:
      "Check the browser console to see what blocked the script. Allow the checkout's origin in `script-src`. If you use `integrity`, copy the value for your version from `/embed/sri.json` and set `crossorigin`. Customers with a blocker can use the link to the full page, which needs no script on your page.",
  },
  csp_blocked: {
    what: "Your page's Content-Security-Policy blocks iframes from the checkout's origin.",
    doThis:
      "Add the checkout's origin to `frame-src` (or to `child-src` or `default-src` if your policy has no `frame-src`). If you use the script tag, add it to `script-src` too. A page can have several policies, in headers and in `<meta>` tags, and all of them must allow the checkout.",
  },
  frame_refused: {
    what: "The browser refused to show the checkout in an iframe, although the session is open and allows your page's origin. Usually your page is itself in an iframe, and the page around it isn't allowed.",
    doThis:
      "If your page is in an iframe, add the origins of all pages around it to `allowed_origins`. Otherwise, check whether a proxy in front of the service adds `X-Frame-Options` or changes its headers.",
  },
  frame_hidden: {
    what: "The form is ready, but CSS hides its iframe with `display: none`, `visibility: hidden` or `opacity: 0`. The style applies to the iframe itself, not to your container.",
    doThis:
      "Look for a rule in your stylesheets that matches every `iframe`, and exclude the checkout's container from it. If there is none, the customer's ad blocker may be the cause. To hide the form yourself, hide its container. The iframe stays in place, with a link to the full page below it.",
  },
  sandboxed: {
    what: "Your page or an iframe around it is sandboxed in a way that breaks the form. The checkout's iframe inherits the restrictions.",
    doThis:
      "Add `allow-scripts allow-same-origin allow-forms` to the `sandbox` attribute or to the `sandbox` directive of your page's Content-Security-Policy. Also add `allow-popups`, so that the form can open in a new window if there isn't enough space.",
  },
  origin_not_allowed: {
    what: "The session doesn't allow your page's origin to embed the checkout.",
    doThis:
      "Add your page's exact origin, such as `https://shop.example`, to `allowed_origins` when your server creates the session, or ask the operator to add it to your account. Scheme, host and port must all match, and `www.` makes a different origin. Pages with an opaque origin (`file:`, or an iframe with `sandbox` but without `allow-same-origin`) can't be allowed.",
  },
  handshake_timeout: {
    what: "The iframe loaded but didn't respond within `timeout` (15 seconds by default).",
    doThis:
      "Try again. The usual cause is a slow device or network. If it keeps happening, look for code on your page that removes, moves or reloads the iframe while it starts, or that overwrites `MessageChannel`. The iframe stays in place, with a link to the full page below it.",
  },
  network: {
    what: "The service can't be reached. The customer may be offline, the host name may not resolve, the certificate may be invalid, or the service may be down.",
    doThis:
      "Open the `embed_url` in a new tab. If it doesn't load there either, contact the operator of the service. If it does, look for something between your page and the checkout's origin, such as an ad blocker, a corporate proxy or a service worker.",
  },
  session_invalid: {
    what: "The URL doesn't lead to a session that can be paid. It may be incomplete, its secret may be missing or wrong, or you canceled the session.",
    doThis:
      "Pass on the `embed_url` exactly as the service returned it, including everything after `#`. Redirects, link shorteners and templates that escape the URL can drop that part. Create a separate session for each purchase.",
  },
  session_expired: {
    what: "The session has expired, or five payment attempts failed.",
    doThis:
      "Create the session when the customer reaches the payment step, not earlier. With `fetchEmbedUrl`, the loader gets a new session when one expires. It doesn't after five failed attempts, so let the customer start over in your shop.",
  },
  unsupported_browser: {
    what: "The customer's browser is too old for the checkout page, or it doesn't support the encryption that card data needs. Browsers support that only over https.",
    doThis:
      "Serve the checkout over https (browsers make an exception for `localhost`). The customer can update the browser or use another one.",
  },
  protocol_mismatch: {
    what: "The loader on your page and the service have no protocol version in common.",
    doThis:
      "Load a newer version: the `v1` URL, the latest version in `/embed/sri.json` or a newer package. If you already have the latest version, the service is outdated, so ask its operator to update it.",
  },
  internal: {
    what: "An unexpected error occurred inside the checkout.",
    doThis:
      "Try again. If it keeps happening, send the `diagnosticId` and the result of `getDebugReport()` to the operator of the service. Neither contains card data.",
  },
  submit_not_allowed: {
    what: "Your page called `submit()`, but the session doesn't allow it.",
    doThis:
      'Create the session with `submit_button: "merchant"`. Otherwise only the form\'s own button can submit the payment.',
  },
  destroyed: {
    what: "The checkout was destroyed before this could finish: by `destroy()`, by its `signal`, or because its component was unmounted.",
    doThis:
      "If this was intended, there is nothing to do. Otherwise, find out what destroys it. If a framework mounts twice, don't call `destroy()` in between, because mounting in the same container reuses the iframe.",
  },
} as const satisfies Record<string, LoadError>;
