/**
 * The headers with which each page of the dashboard is served: what may run in it, what it may ask for, what it may
 * hold.
 *
 * Scripts and styles come from the dashboard's own origin and from nowhere else; a nonce that is new in each response
 * lets the page add the style element that holds its theme, and no script. The one other origin is the checkout's,
 * whose frame stands beside the look's settings and in the page that shows how to integrate; it alone is handed what a
 * bank's page may need. Nobody may hold the dashboard in a frame.
 */
import { bankFeatures } from "./windows.ts";

export interface DashboardPageRequest {
  /** 128 bits, base64, for this response only. */
  nonce: string;
  checkoutOrigin: string;
}

/** Header names in lower case, with their values. */
export function dashboardHeaders({ nonce, checkoutOrigin }: DashboardPageRequest): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    "img-src 'self' data:",
    "connect-src 'self'",
    `frame-src ${checkoutOrigin}`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy.join("; "),
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": [
      ...bankFeatures.map((feature) => `${feature}=(self "${checkoutOrigin}")`),
      ...nobodys.map((feature) => `${feature}=()`),
    ].join(", "),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

const nobodys = [
  "camera",
  "microphone",
  "geolocation",
  "display-capture",
  "usb",
  "serial",
  "hid",
  "midi",
  "fullscreen",
];
