/**
 * What the browser tells about itself, in the words and within the limits of EMV 3-D Secure 2.2 (Table A.1). The bank
 * asks for these; nothing more is gathered.
 */
import type { BrowserFields } from "@oriel/protocol/threeds";

const depths = ["48", "32", "24", "16", "15", "8", "4", "1"] as const;

export function readBrowserFields(window: Window, nowMs: number): BrowserFields {
  const { screen, navigator } = window;
  return {
    browserJavaEnabled: false,
    browserJavascriptEnabled: true,
    browserLanguage: shortLanguage(navigator.language),
    // The list has no 30, which is what HDR screens say: the next one below.
    browserColorDepth: depths.find((depth) => Number(depth) <= screen.colorDepth) ?? "1",
    browserScreenHeight: String(Math.min(Math.round(screen.height), 999_999)),
    browserScreenWidth: String(Math.min(Math.round(screen.width), 999_999)),
    browserTZ: String(new Date(nowMs).getTimezoneOffset()),
  };
}

/**
 * At most eight characters, cut between subtags: `en-GB-oxendict` is `en-GB`. What is no BCP 47 tag (`en-US@posix`)
 * counts as English.
 */
function shortLanguage(language: string): string {
  return /^[A-Za-z]{2,8}(?:-[0-9A-Za-z]{1,5})?(?=-|$)/.exec(language)?.[0].slice(0, 8).replace(/-$/, "") ?? "en";
}
