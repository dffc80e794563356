/** Reads what `npm run build` made. */
import { readFileSync } from "node:fs";
import { OperatorError } from "../../platform/operator-error.ts";

/** @throws OperatorError that says what to run */
export function readBuilt(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new OperatorError(`${path} is not there. Run \`npm run build\` first; \`npm start\` does it by itself.`);
  }
}
