/**
 * `npm run test:deploy`: checks the files in `deploy`, and follows docs/deploy.md in an empty Debian system.
 *
 * - `deploy/check-files.ts`: systemd, nginx, Caddy and Prometheus accept their files.
 * - `deploy/debian-root.ts`: installs Debian, nginx, PostgreSQL, Node and the packed service as the page says.
 * - `deploy/inside.ts`: runs the other steps in a network of their own, pays, and restarts the processes under load.
 */
import { parseArgs } from "node:util";
import { checkFiles } from "./deploy/check-files.ts";
import { installInDebian, runInside } from "./deploy/debian-root.ts";

const usage = `npm run test:deploy [-- options]   checks the files in deploy, and follows docs/deploy.md

  --files          only check the files
  --restarts N     how often to restart every process under load (default: 1)
  --rate N         requests per second during the restarts (default: 50)
  --drain N        seconds that an API process keeps serving after SIGTERM (default: 10)
  --help

It needs root, and keeps its Debian system in $XDG_CACHE_HOME/oriel-deploy.`;

const { values } = parseArgs({
  options: {
    files: { type: "boolean" },
    restarts: { type: "string", default: "1" },
    rate: { type: "string", default: "50" },
    drain: { type: "string", default: "10" },
    help: { type: "boolean" },
  },
});

if (values.help) console.log(usage);
else {
  const problems = checkFiles();
  for (const problem of problems) console.error(`✗ ${problem}`);
  if (problems.length > 0) process.exitCode = 1;
  else if (!values.files) process.exitCode = runInside(await installInDebian(), values);
}
