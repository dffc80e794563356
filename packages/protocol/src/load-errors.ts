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
    what: "The loader script didn't load or run. Common causes are an ad blocker, your page's `script-src` directive, a wrong `integrity` value or a network problem.",
    doThis:
      "Check the browser console to see what blocked the script. Allow the checkout's origin in `script-src`. If you use `integrity`, copy the value for your version from `/embed/sri.json` and set `crossorigin`. Customers with an ad blocker can use the link to the full-page checkout, which doesn't need a script on your page.",
  },
  csp_blocked: {
    what: "Your page's Content-Security-Policy blocks iframes from the checkout's origin.",
    doThis:
      "Add the checkout's origin to `frame-src` (or to `child-src` or `default-src` if your policy has no `frame-src`). If you use the script tag, add it to `script-src` too. A page can have several policies, in headers and in `<meta>` tags, and all of them must allow the checkout.",
  },
  frame_refused: {
    what: "The browser refused to show the checkout in an iframe, although the session is open and allows your page's origin. The usual cause is that your page is itself in an iframe and the session doesn't allow the outer page's origin.",
    doThis:
      "If your page is in an iframe, add the origin of every outer page to `allowed_origins`. Otherwise, check whether a proxy in front of the service adds an `X-Frame-Options` header or changes the service's headers.",
  },
  frame_hidden: {
    what: "The form is ready, but CSS hides its iframe with `display: none`, `visibility: hidden` or `opacity: 0`. The style applies to the iframe itself, not to your container.",
    doThis:
      "Look for a rule in your stylesheets that matches every `iframe`, and exclude the checkout's container from it. If there is no such rule, the customer's ad blocker may be the cause. To hide the form yourself, hide its container. The iframe stays in place, and a link to the full-page checkout appears below it.",
  },
  sandboxed: {
    what: "Your page or an iframe around it is sandboxed in a way that breaks the form. The checkout's iframe inherits these restrictions.",
    doThis:
      "Add `allow-scripts allow-same-origin allow-forms` to the `sandbox` attribute or to the `sandbox` directive of your page's Content-Security-Policy. Also add `allow-popups`, so that the form can open in a new window if there isn't enough space.",
  },
  origin_not_allowed: {
    what: "The session doesn't allow your page's origin to embed the checkout.",
    doThis:
      "Add your page's exact origin, such as `https://shop.example`, to `allowed_origins` when your server creates the session, or ask the operator to add it to your account. The scheme, host and port must all match. For example, `https://www.shop.example` is a different origin. Pages with an opaque origin (`file:`, or an iframe with `sandbox` but without `allow-same-origin`) can't be allowed.",
  },
  handshake_timeout: {
    what: "The iframe loaded but didn't respond before the `timeout` elapsed (15 seconds by default).",
    doThis:
      "Try again. The usual cause is a slow device or network. If the error keeps happening, look for code on your page that removes, moves or reloads the iframe while it starts, or that overwrites `MessageChannel`. The iframe stays in place, and a link to the full-page checkout appears below it.",
  },
  network: {
    what: "The service can't be reached. The customer may be offline, the host name may not resolve, the certificate may be invalid, or the service may be down.",
    doThis:
      "Open the `embed_url` in a new tab. If the page doesn't load there either, contact the operator of the service. If the page does load, look for something between your page and the checkout's origin, such as an ad blocker, a corporate proxy or a service worker.",
  },
  session_invalid: {
    what: "The checkout URL doesn't lead to a usable session. The URL may be incomplete, its secret may be missing or wrong, your server may have replaced the URL, or you may have canceled the session.",
    doThis:
      "Use the `embed_url` exactly as the service returned it, including everything after `#`. Redirects, link shorteners and templates that escape the URL can drop that part. Create a separate session for each purchase. If you replaced the URL, use the new one.",
  },
  session_expired: {
    what: "The session has expired, or five payment attempts have failed.",
    doThis:
      "Create the session when the customer reaches the payment step, not earlier. If you use `fetchEmbedUrl`, the loader requests a new session when the current one expires, but not after five failed attempts. In that case, let the customer start over in your shop.",
  },
  unsupported_browser: {
    what: "The customer's browser is too old for the checkout page, or it doesn't support the encryption that card data needs. Browsers support this encryption only on https pages.",
    doThis:
      "Serve the checkout over https (`localhost` works without it). If the browser is too old, the customer can update it or use another one.",
  },
  protocol_mismatch: {
    what: "The loader on your page doesn't support any protocol version that the service supports.",
    doThis:
      "Use a newer version of the loader: the `v1` URL, the latest version in `/embed/sri.json` or a newer package. If you already use the latest version, the service is outdated. Ask its operator to update it.",
  },
  internal: {
    what: "An unexpected error occurred inside the checkout.",
    doThis:
      "Try again. If the error keeps happening, send the `diagnosticId` and the result of `getDebugReport()` to the operator of the service. Neither contains card data.",
  },
  submit_not_allowed: {
    what: "Your page called `submit()`, but the session doesn't allow it.",
    doThis:
      'Create the session with `submit_button: "merchant"`. Otherwise, only the form\'s own button can submit the payment.',
  },
  destroyed: {
    what: "The checkout was destroyed or unmounted before the operation finished. Your page called `destroy()` or aborted its `signal`, or the component was unmounted.",
    doThis:
      "If you destroyed the checkout on purpose, you don't need to do anything. Otherwise, find the code that destroys it. If your framework mounts the component twice, don't call `destroy()` in between, because mounting again in the same container reuses the iframe.",
  },
} as const satisfies Record<string, LoadError>;
