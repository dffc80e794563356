/**
 * The response headers of the iframe's pages: what may run in them, what they may request and who may embed them.
 *
 * The service sends these headers, the build records them in the script inventory, and `oriel monitor` compares the
 * two. Only two headers vary between responses: `frame-ancestors` (the session's allowed origins) and COEP, if the URL
 * asks for it. Scripts and styles are allowed by hash only. Other origins are blocked, except for the issuer's pages,
 * which only the runner and the landing page may embed.
 */

export type PageName = "checkout" | "runner" | "landing" | "why";

/** Quoted CSP source expressions, such as `'sha256-...'`. */
export interface AllowedCode {
  scripts: readonly string[];
  styles: readonly string[];
}

export interface PageRequest {
  /**
   * The value of `frame-ancestors`: exact origins and `'self'`, from `server/src/http/routes/checkout-pages.ts`. Used by every page except `why`, which anyone may
   * embed.
   */
  ancestors: string;
  /** Whether the embedding page uses COEP. */
  coep: boolean;
}

/**
 * The value of `strict-transport-security`: one year, which HSTS preload lists require. Browsers ignore it over http.
 */
export const strictTransport = "max-age=31536000; includeSubDomains";

/** Headers by lower-case name. */
export function pageHeaders(
  page: PageName,
  { scripts, styles }: AllowedCode,
  { ancestors, coep }: PageRequest,
): Record<string, string> {
  const { frameSrc, formAction, referrerPolicy, isForAnyone, alwaysCoep } = rules[page];
  const directives = [
    ["default-src", "'none'"],
    ["script-src", scripts.join(" ") || "'none'"],
    ["style-src", styles.join(" ") || "'none'"],
    ["img-src", "'self' data:"],
    ["connect-src", "'self'"],
    ["base-uri", "'none'"],
    ["frame-src", frameSrc],
    ["form-action", formAction],
    ...(isForAnyone ? [] : [["frame-ancestors", ancestors]]),
    ["require-trusted-types-for", "'script'"],
    ["trusted-types", "'none'"],
  ];
  return {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": directives.map((directive) => directive.join(" ")).join("; "),
    "referrer-policy": referrerPolicy,
    "cross-origin-resource-policy": "cross-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": permissionsPolicy,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    ...(coep || alwaysCoep ? { "cross-origin-embedder-policy": "require-corp" } : {}),
  };
}

interface PageRules {
  frameSrc: string;
  formAction: string;
  referrerPolicy: "no-referrer" | "strict-origin";
  /** Sent without `frame-ancestors`. */
  isForAnyone?: true;
  /** Always sent with COEP. */
  alwaysCoep?: true;
}

/** Uses `strict-origin` because with `no-referrer` the ACS's POST would arrive with `Origin: null`. */
const bankSide: PageRules = { frameSrc: "https: http:", formAction: "https: http:", referrerPolicy: "strict-origin" };

const rules: Readonly<Record<PageName, PageRules>> = {
  checkout: { frameSrc: "'self'", formAction: "'none'", referrerPolicy: "no-referrer" },
  runner: bankSide,
  landing: bankSide,
  why: { frameSrc: "'none'", formAction: "'none'", referrerPolicy: "no-referrer", isForAnyone: true, alwaysCoep: true },
};

/**
 * Denies powerful features. The ones that the issuer's pages may need (`bankFeatures` in `windows.ts`) aren't listed,
 * because each iframe around those pages delegates them.
 */
const permissionsPolicy =
  "camera=(), microphone=(), geolocation=(), display-capture=(), usb=(), serial=(), hid=(), midi=(), fullscreen=()";
