/**
 * `npm run release:embed`: copies the built loader to packages/embed/releases/<version>/, which
 * `/embed/v<version>/oriel.js` serves forever. It builds first, enforcing every size limit, and refuses a version that
 * was already released with different bytes.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { addRelease, describeBuild } from "../packages/embed/build/releases.ts";
import { version } from "../packages/embed/src/api/version.ts";
import { build } from "./build.ts";

const { values } = parseArgs({ options: { help: { type: "boolean" } } });
if (values.help) {
  console.log("npm run release:embed   builds the loader and copies it to packages/embed/releases/<version>");
  process.exit();
}
const root = join(import.meta.dirname, "..");
build({ force: true });
const code = readFileSync(join(root, "dist/embed/oriel.js"), "utf8");
try {
  addRelease(version, code);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
console.log(`oriel.js ${version} ${describeBuild(code).integrity}\nCommit packages/embed/releases.`);
