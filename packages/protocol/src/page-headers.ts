/**
 * The headers with which each page of the frame is served: what may run in it, what it may ask for, who may hold it.
 *
 * The service sends them, the build writes them into the inventory of scripts, and `oriel monitor` compares the two; so
 * they are said once, here. What differs from one response to the next is who may hold the page (`frame-ancestors`: the
 * session's allowed origins) and, where the address asks for it, COEP. Scripts and styles are allowed by hash and by
 * nothing else; no other origin is allowed anything, but for the bank's pages, which are frames of the runner and the
 * landing page only.
 */
import { bankFeatures } from "./windows.ts";

export type PageName = "checkout" | "runner" | "landing" | "why";

/** Source expressions of a policy, quoted: `'sha256-...'`. */
export interface AllowedCode {
  scripts: readonly string[];
  styles: readonly string[];
}

export interface PageRequest {
  /**
   * Exact origins, and `'self'`: the value of `frame-ancestors`. Asked for by every page but `why`, which anyone may
   * hold.
   */
  ancestors: string;
  /** Whether it is for a page under COEP. */
  coep: boolean;
}

/** For a header that browsers heed over https only: a year, as every list of such hosts asks. */
export const strictTransport = "max-age=31536000; includeSubDomains";

/** Header names in lower case, with their values. */
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
  /** No `frame-ancestors` at all. */
  isForAnyone?: true;
  /** The same headers for everyone, under COEP and not. */
  alwaysCoep?: true;
}

/** With no Referer at all the bank's POST would arrive with `Origin: null`. */
const bankSide: PageRules = { frameSrc: "https: http:", formAction: "https: http:", referrerPolicy: "strict-origin" };

const rules: Readonly<Record<PageName, PageRules>> = {
  checkout: { frameSrc: "'self'", formAction: "'none'", referrerPolicy: "no-referrer" },
  runner: bankSide,
  landing: bankSide,
  why: { frameSrc: "'none'", formAction: "'none'", referrerPolicy: "no-referrer", isForAnyone: true, alwaysCoep: true },
};

/** What the bank's frames inside ours may need; the rest of the powerful features is nobody's. */
const permissionsPolicy = [
  ...bankFeatures.map((feature) => `${feature}=*`),
  ...["camera", "microphone", "geolocation", "display-capture", "usb", "serial", "hid", "midi", "fullscreen"].map(
    (feature) => `${feature}=()`,
  ),
].join(", ");
