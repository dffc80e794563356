/**
 * `npm run receivers`: runs the copyable receivers of `docs/receivers`, each in its own language, and says which of
 * them can be copied.
 *
 * Each is asked about every vector of `vectors.json`, in a process of its own, and then its small server is started and
 * sent real requests. What it says is compared here, in one place. A language whose interpreter is not installed counts
 * as failed. Exit code 0: all of them hold.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { languages, versionOf, type Language } from "./receivers/languages.ts";
import { vectorsText, type VectorFile } from "./receivers/make-vectors.ts";
import { runVectors } from "./receivers/run-vectors.ts";
import { tryServer } from "./receivers/try-server.ts";

const vectorsFile = new URL("../docs/receivers/vectors.json", import.meta.url);
const usage = `npm run receivers [-- options]

Runs the receivers of docs/receivers against docs/receivers/vectors.json, and their servers against real requests.

  --only LIST   some languages, as in: --only node,python (${languages.map(({ name }) => name).join(", ")})
  --installed   leave out languages that aren't installed, instead of failing
  --write       makes docs/receivers/vectors.json anew, and runs nothing
  --help
`;

for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130)); // what was started ends with this process
const { values } = parseArgs({
  options: {
    only: { type: "string" },
    installed: { type: "boolean" },
    write: { type: "boolean" },
    help: { type: "boolean" },
  },
});
const names = values.only?.split(",") ?? languages.map(({ name }) => name);
const unknown = names.filter((name) => !languages.some((language) => language.name === name));
if (values.help) {
  console.log(usage);
} else if (unknown.length > 0) {
  console.error(`There is no receiver for ${unknown.join(", ")}.\n\n${usage}`);
  process.exitCode = 2;
} else if (values.write) {
  writeFileSync(vectorsFile, vectorsText());
} else {
  process.exitCode = (await run(languages.filter(({ name }) => names.includes(name)))) ? 0 : 1;
}

async function run(chosen: readonly Language[]): Promise<boolean> {
  const { vectors } = JSON.parse(readFileSync(vectorsFile, "utf8")) as VectorFile; // a test holds it against what wrote it
  const rows = [["language", "version", "vectors passed", "failed", "server checks passed", "failed"]];
  const troubles: string[] = [];
  for (const language of chosen) {
    const version = await versionOf(language);
    if (version === null) {
      rows.push([language.name, "not installed", "-", "-", "-", "-"]);
      if (values.installed) continue;
      troubles.push(
        `${language.name}: \`${language.command}\` is not installed. On Debian and Ubuntu: apt-get install ${language.debianPackage}`,
      );
      continue;
    }
    const said = await runVectors(language, vectors);
    const served = await tryServer(language);
    rows.push([
      language.name,
      version,
      ...[said, served].flatMap(({ passed, failures }) => [`${passed}`, `${failures.length}`]),
    ]);
    troubles.push(...[...said.failures, ...served.failures].map((failure) => `${language.name}: ${failure}`));
  }
  console.log(table(rows));
  if (troubles.length > 0) console.log(`\n${troubles.join("\n")}`);
  return troubles.length === 0;
}

function table(rows: readonly string[][]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: readonly string[]) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ");
  return rows.map((row) => line(row).trimEnd()).join("\n");
}
