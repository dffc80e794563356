/** `npm run codes`: what an authenticator app would show for the logins that `npm start` made. */
import { TOTP, URI } from "otpauth";
import { readLogins } from "./logins.ts";

const dataDir = process.env["ORIEL_DATA_DIR"] || ".oriel";

for (const { what, email, uri } of read()) {
  const totp = URI.parse(uri);
  if (!(totp instanceof TOTP)) throw new Error(`The second factor of ${email} is no TOTP`);
  console.log(
    `${what.padEnd(8)}  ${email}  ${totp.generate()}  good for ${Math.ceil(totp.remaining() / 1000)} s, once`,
  );
}

function read() {
  try {
    return readLogins(dataDir);
  } catch {
    console.error(
      `There is no logins.json in ${dataDir}. \`npm start\` makes it; set ORIEL_DATA_DIR where it ran with another.`,
    );
    process.exit(1);
  }
}
