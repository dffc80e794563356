/** The version of the installed package, from the nearest `package.json`. It's in another folder in the npm package. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

export function readVersion(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder);
  const { version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }; // npm requires it
  return version;
}
