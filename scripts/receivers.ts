/**
 * `npm run receivers`: runs the copyable receivers in `docs/receivers` and reports which of them work.
 *
 * Each receiver, in its own process, evaluates every vector in `vectors.json`. Then its server is started and gets real
 * requests. A language that isn't installed counts as failed. Exits with 0 if all of them pass.
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

  --only LIST   comma-separated languages, for example node,python (${languages.map(({ name }) => name).join(", ")})
  --installed   skip languages that aren't installed, instead of failing
  --write       regenerate docs/receivers/vectors.json and run nothing
  --help
`;

// Exit handlers stop the processes that were started.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
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
  console.error(`There's no receiver for ${unknown.join(", ")}.\n\n${usage}`);
  process.exitCode = 2;
} else if (values.write) {
  writeFileSync(vectorsFile, vectorsText());
} else {
  process.exitCode = (await run(languages.filter(({ name }) => names.includes(name)))) ? 0 : 1;
}

async function run(chosen: readonly Language[]): Promise<boolean> {
  // A test compares it with its generator's output.
  const { vectors } = JSON.parse(readFileSync(vectorsFile, "utf8")) as VectorFile;
  const rows = [["language", "version", "vectors passed", "failed", "server checks passed", "failed"]];
  const troubles: string[] = [];
  for (const language of chosen) {
    const version = await versionOf(language);
    if (version === null) {
      rows.push([language.name, "not installed", "-", "-", "-", "-"]);
      if (values.installed) continue;
      troubles.push(
        `${language.name}: \`${language.command}\` isn't installed. On Debian and Ubuntu: apt-get install ${language.debianPackage}`,
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
