/**
 * A browser in which somebody has signed in with all that the login has: a cookie says so for 90 days. Its wrong passwords are counted apart, so that nobody who
 * only knows the e-mail address can lock its owner out (`lockout.ts`). It opens nothing: password and second factor are asked for as ever.
 *
 * The cookie is `<device>.<unix seconds>.<signature>`, signed with the service's key for this device, this time and this address: for another login it is worth
 * nothing. Who has stolen it may try ten passwords more.
 */
import { randomBytes } from "node:crypto";
import type { Context } from "../context.ts";
import { unixSeconds } from "../unix-seconds.ts";
import type { Tried } from "./lockout.ts";

type Parts = Pick<Context, "keys" | "now" | "config">;

export const knownSeconds = 90 * 24 * 3600;

/** The `Set-Cookie` of a browser in which `email` has just signed in. */
export function knownDeviceCookie({ keys, now, config }: Parts, email: string): string {
  const device = randomBytes(16).toString("base64url");
  const since = String(unixSeconds(now()));
  const value = `${device}.${since}.${keys.sign(signed(device, since, email))}`;
  const secure = isSecure(config) ? "; Secure" : "";
  return `${nameOf(config)}=${value}; Max-Age=${knownSeconds}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}

/** @returns what a wrong password for `email` counts against: this browser where it is known, else the address */
export function triedFrom({ keys, now, config }: Parts, cookies: string | undefined, email: string): Tried {
  const prefix = `${nameOf(config)}=`;
  const cookie = cookies?.split(/; */).find((each) => each.startsWith(prefix));
  const [device = "", since = "", signature = ""] = cookie?.slice(prefix.length).split(".") ?? [];
  const age = unixSeconds(now()) - Number(since);
  const isKnown = keys.isSignatureOf(signature, signed(device, since, email)) && age < knownSeconds;
  return isKnown ? `device ${device}` : email;
}

function signed(device: string, since: string, email: string): string {
  return JSON.stringify(["known device", device, since, email.toLowerCase()]);
}

function nameOf(config: Parts["config"]): string {
  return isSecure(config) ? "__Host-oriel.known_device" : "oriel.known_device";
}

function isSecure({ dashboardOrigin }: Parts["config"]): boolean {
  return dashboardOrigin.startsWith("https:");
}
