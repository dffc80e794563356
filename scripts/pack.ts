/** `npm run pack`: writes the npm packages to dist/npm, each with its tarball exactly as npm would publish it. */
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { packCli, packSandbox, packServer } from "./pack/command.ts";
import { packEmbed } from "./pack/embed.ts";
import { root } from "./pack/npm-package.ts";
import { packSdk } from "./pack/sdk.ts";

const packers = { embed: packEmbed, sdk: packSdk, cli: packCli, server: packServer, sandbox: packSandbox };
const names = Object.keys(packers) as (keyof typeof packers)[];

const usage = `npm run pack [-- NAME...] [options]   writes npm packages and their tarballs

  NAME           ${names.join(", ")} (default: all)
  --out FOLDER   where to write them (default: dist/npm)
  --help`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { out: { type: "string", default: join(root, "dist/npm") }, help: { type: "boolean" } },
});
const unknown = positionals.filter((name) => !names.some((known) => known === name));
if (values.help) console.log(usage);
else if (unknown.length > 0) {
  console.error(`There is no package ${unknown.join(", ")}.\n\n${usage}`);
  process.exitCode = 2;
} else {
  const out = resolve(values.out);
  mkdirSync(out, { recursive: true });
  for (const name of names.filter((one) => positionals.length === 0 || positionals.includes(one))) {
    console.log(await packers[name](join(out, name)));
  }
}
