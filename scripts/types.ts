/**
 * Type-checks every package in its own environment (DOM, Node or neither), then tests and scripts. Prints each
 * project's errors and exits with 1 if there are any. Skips projects that haven't changed.
 */
import { execFile } from "node:child_process";
import { readdirSync } from "node:fs";

const projects = [...readdirSync("packages").map((name) => `packages/${name}`), "demo", "tsconfig.tests.json"];
const cache = "node_modules/.cache/oriel-types";

const results = await Promise.all(
  projects.map(
    (project) =>
      new Promise<boolean>((resolve) => {
        const known = `${cache}/${project.replaceAll("/", "-")}.tsbuildinfo`;
        execFile(
          "node_modules/.bin/tsc",
          ["-p", project, "--incremental", "--tsBuildInfoFile", known],
          (error, stdout, stderr) => {
            if (error) console.error(`${project}\n${stdout}${stderr}`);
            resolve(!error);
          },
        );
      }),
  ),
);
if (results.includes(false)) process.exit(1);
console.log(`types: ${projects.length} projects have no errors`);
