/** Reads files that `npm run build` creates. */
import { readFileSync } from "node:fs";
import { OperatorError } from "@oriel/commands/operator-error";

/** @throws OperatorError if the file doesn't exist */
export function readBuilt(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new OperatorError(
      `${path} doesn't exist. Run \`npm run build\` first. \`npm start\` does this automatically.`,
    );
  }
}
