/**
 * The browser data that EMV 3-D Secure 2.2 defines (Table A.1), with its names and within its limits. The issuer
 * requires it; nothing else is collected.
 */
import type { BrowserFields } from "@oriel/protocol/threeds";

const depths = ["48", "32", "24", "16", "15", "8", "4", "1"] as const;

export function readBrowserFields(window: Window, nowMs: number): BrowserFields {
  const { screen, navigator } = window;
  return {
    browserJavaEnabled: false,
    browserJavascriptEnabled: true,
    browserLanguage: shortLanguage(navigator.language),
    // HDR screens report 30, which isn't in the list, so the next lower value is used.
    browserColorDepth: depths.find((depth) => Number(depth) <= screen.colorDepth) ?? "1",
    browserScreenHeight: String(Math.min(Math.round(screen.height), 999_999)),
    browserScreenWidth: String(Math.min(Math.round(screen.width), 999_999)),
    browserTZ: String(new Date(nowMs).getTimezoneOffset()),
  };
}

/**
 * Shortens a language tag to at most eight characters, cut between subtags: `en-GB-oxendict` becomes `en-GB`. Anything
 * that isn't a BCP 47 tag (`en-US@posix`) counts as English.
 */
function shortLanguage(language: string): string {
  return /^[A-Za-z]{2,8}(?:-[0-9A-Za-z]{1,5})?(?=-|$)/.exec(language)?.[0].slice(0, 8).replace(/-$/, "") ?? "en";
}
