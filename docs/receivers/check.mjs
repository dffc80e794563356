/** Says of each vector what receive.mjs says: `node check.mjs --vectors vectors.json` prints a line `VERDICT <tab> NAME` for each. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { verify } from "./receive.mjs";

const { values } = parseArgs({ options: { vectors: { type: "string", default: "vectors.json" } } });
for (const { name, secret, now, headers, body_base64 } of JSON.parse(readFileSync(values.vectors, "utf8")).vectors) {
  let verdict = "ok";
  try {
    verify(Buffer.from(body_base64, "base64"), headers, secret, now);
  } catch (error) {
    verdict = error.message;
  }
  console.log(`${verdict}\t${name}`);
}
