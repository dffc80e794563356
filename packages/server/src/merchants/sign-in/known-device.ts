/**
 * A browser in which a user has signed in, remembered for 90 days by a signed cookie. Wrong passwords from it are
 * counted separately, so a stranger who knows the email address can't lock the user out (`lockout.ts`). The cookie has
 * no other effect: password and second factor are still required.
 *
 * It is `<device>.<unix seconds>.<signature>`, signed for this device, this time and this email address, so it is
 * worthless for another user. An attacker who steals it gets ten more attempts.
 */
import { randomBytes } from "node:crypto";
import type { PlatformContext } from "../../platform/context.ts";
import { unixSeconds } from "../../platform/unix-seconds.ts";
import { cookieRules } from "./cookies.ts";
import type { AttemptKey } from "./lockout.ts";

type Parts = Pick<PlatformContext, "keys" | "now" | "config">;

export const knownSeconds = 90 * 24 * 3600;
const name = ".known_device";

/** The `Set-Cookie` of a browser in which `email` has just signed in. */
export function knownDeviceCookie({ keys, now, config }: Parts, email: string): string {
  const device = randomBytes(16).toString("base64url");
  const since = String(unixSeconds(now()));
  const value = `${device}.${since}.${keys.sign(signed(device, since, email))}`;
  const { isSecure, prefix } = cookieRules(config);
  return `${prefix}${name}=${value}; Max-Age=${knownSeconds}; Path=/; HttpOnly; SameSite=Strict${isSecure ? "; Secure" : ""}`;
}

/**
 * @returns the key that wrong passwords for `email` are counted under: this browser if it is known, otherwise the email
 * address
 */
export function attemptKeyOf({ keys, now, config }: Parts, cookies: string | undefined, email: string): AttemptKey {
  const start = `${cookieRules(config).prefix}${name}=`;
  const cookie = cookies?.split(/; */).find((each) => each.startsWith(start));
  const [device = "", since = "", signature = ""] = cookie?.slice(start.length).split(".") ?? [];
  const age = unixSeconds(now()) - Number(since);
  const isKnown = keys.isSignatureOf(signature, signed(device, since, email)) && age < knownSeconds;
  return isKnown ? `device ${device}` : email;
}

function signed(device: string, since: string, email: string): string {
  return JSON.stringify(["known device", device, since, email.toLowerCase()]);
}
