/** `npm run codes`: prints the authenticator codes for the users that `npm start` created. */
import { TOTP, URI } from "otpauth";
import { readLogins } from "./logins.ts";

const dataDir = process.env["ORIEL_DATA_DIR"] || ".oriel";

for (const { what, email, uri } of read()) {
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error(`The second factor of ${email} isn't a TOTP`);
  console.log(
    `${what.padEnd(8)}  ${email}  ${totp.generate()}  valid once for ${Math.ceil(totp.remaining() / 1000)} s`,
  );
}

function read() {
  try {
    return readLogins(dataDir);
  } catch {
    console.error(
      `There's no logins.json in ${dataDir}. Run \`npm start\` first. If it ran with ORIEL_DATA_DIR, set that here too.`,
    );
    process.exit(1);
  }
}
