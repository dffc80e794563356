/**
 * Runs in a network, with processes and mounts of its own, in which every port is free. Follows the steps of
 * docs/deploy.md from "Create the database" in the Debian system, and pays through nginx over the real host names. Then
 * it restarts every process under load. Its arguments are the Debian system's layers, how often to restart every
 * process, the requests per second, and the seconds that a process drains.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { overlay } from "./debian-root.ts";
import { payInBrowser } from "./pay-in-browser.ts";
import { restartUnderLoad } from "./restart-under-load.ts";
import { readSteps } from "./steps.ts";

const [layers = "", restarts = "1", rate = "50", drain = "10"] = process.argv.slice(2);
const root = mkdtempSync(join(tmpdir(), "oriel-deploy-"));
const log = join(root, "root/steps.log");

prepare();
const commands = readSteps()
  .slice(4)
  .map(({ title, commands: text }) => `echo "## ${title}"\n${text}`);
// The rate limits are for one client, and the load comes from few.
const limits = ["ORIEL_RATE_LIMIT='off'", "ORIEL_FRAME_RATE_LIMIT='off'"];
const script = ["set -eu", "cd /root", "domain=example.com", ...commands]
  .join("\n")
  .replaceAll("ORIEL_DRAIN_SECONDS=10", `ORIEL_DRAIN_SECONDS=${drain}`)
  .replace("\noriel-server key-files create", `\necho "${limits.join("\n")}" >> /etc/oriel/oriel.env\n$&`);
const output = openSync(log, "w");
// The processes that the steps start in the background keep the output open, so it's a file.
const { status } = spawnSync("chroot", [root, ...shell(script)], { stdio: ["ignore", output, output] });
const said = readFileSync(log, "utf8");
if (status !== 0) fail(`A step failed:\n${said.slice(-4_000)}`);
for (const expected of [/^ok +bank /m, /"amount_captured":4900/, /^"type":"payment\.succeeded"$/m])
  if (!expected.test(said)) fail(`The steps didn't print ${expected}:\n${said.slice(-4_000)}`);
console.log("✓ the steps of docs/deploy.md: a payment and a webhook");

const key = /oriel_sk_test_\w+/.exec(said)?.[0] ?? fail(`The steps printed no key:\n${said.slice(-4_000)}`);
await payInBrowser(key);
console.log("✓ a payment with a challenge in Chromium, over https://pay.example.com");
await readProbes();
console.log("✓ probes and metrics of every process");
const isGood = await restartUnderLoad({
  key,
  rounds: Number(restarts),
  rate: Number(rate),
  drainSeconds: Number(drain),
  start: (command) => void spawnSync("chroot", [root, ...shell(command)], { stdio: ["ignore", output, output] }),
});
process.exit(isGood ? 0 : 1);

/** The worker and the API processes serve these on their metrics ports. */
async function readProbes(): Promise<void> {
  const api = [4001, 4002].flatMap((port) => ["/livez", "/healthz", "/readyz"].map((path) => `${port}${path}`));
  const every = [14_000, 14_001, 14_002];
  const probes = every.flatMap((port) => ["/livez", "/readyz", "/metrics"].map((path) => `${port}${path}`));
  for (const probe of [...api, ...probes]) {
    const response = await fetch(`http://127.0.0.1:${probe}`).catch(() => null);
    if (response?.status !== 200) fail(`http://127.0.0.1:${probe} returned ${response?.status ?? "nothing"}`);
    const text = await response.text();
    if (probe.endsWith("/metrics"))
      console.log(`  ${probe}: ${text.split("\n").filter((line) => /^[a-z]/.test(line)).length} values`);
  }
}

/** The loopback interface, the names, and the folders that programs expect. */
function prepare(): void {
  // The overlay and what is written to it end with this process's mounts.
  const changes = mkdtempSync(join(tmpdir(), "oriel-deploy-"));
  execFileSync("mount", ["-t", "tmpfs", "tmpfs", changes]);
  execFileSync("sh", ["-c", overlay({ lower: layers, upper: join(changes, "changes"), at: root })]);
  execFileSync("ip", ["link", "set", "lo", "up"]);
  execFileSync("mount", ["-t", "proc", "proc", join(root, "proc")]);
  execFileSync("mount", ["--rbind", "/dev", join(root, "dev")]);
  const hosts = join(root, "root/hosts");
  const names = ["pay", "dashboard", "api", "bank"].map((name) => `${name}.example.com`);
  writeFileSync(hosts, `127.0.0.1 localhost\n127.0.0.1 ${names.join(" ")}\n`);
  execFileSync("mount", ["--bind", hosts, "/etc/hosts"]);
}

function shell(text: string): string[] {
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  return ["env", "-i", `PATH=${path}`, "HOME=/root", "LC_ALL=C.UTF-8", "bash", "-c", text];
}

function fail(message: string): never {
  console.error(`✗ ${message}`);
  process.exit(1);
}
