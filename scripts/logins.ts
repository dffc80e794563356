/** The users that `npm start` created, from `logins.json` in the data directory. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Login {
  what: string;
  email: string;
  password: string;
  /** `otpauth://totp/...` */
  uri: string;
}

export function readLogins(dataDir: string): Login[] {
  return JSON.parse(readFileSync(join(dataDir, "logins.json"), "utf8")) as Login[]; // our own file
}
