/**
 * The response headers of the dashboard's pages, which restrict what runs in them, what they load and what they embed.
 *
 * Scripts and styles may only come from the dashboard's own origin. A nonce, new in each response, lets the page add
 * one style element with its theme, but no script. The checkout's origin is the only other origin: its iframe appears
 * on the appearance and integration pages, and only that iframe receives the browser features that a bank's page may
 * need. No site may embed the dashboard in an iframe.
 */
import { bankFeatures } from "../windows.ts";

export interface DashboardPageRequest {
  /** 128 random bits in base64, new in each response. */
  nonce: string;
  checkoutOrigin: string;
}

/** @returns the values by lowercase header name */
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
      ...disabledFeatures.map((feature) => `${feature}=()`),
    ].join(", "),
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

const disabledFeatures = [
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
