/** Checks the files in `deploy` with the programs that read them. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Programs and the Debian packages that contain them. */
const packages = {
  "systemd-analyze": "systemd",
  nginx: "nginx",
  caddy: "caddy",
  promtool: "prometheus",
  openssl: "openssl",
} as const;

/** @returns a sentence for each problem */
export function checkFiles(): string[] {
  const missing = Object.entries(packages).filter(([name]) => spawnSync("which", [name]).status !== 0);
  if (missing.length > 0)
    return missing.map(([name, debian]) => `${name} isn't installed. Run \`apt-get install ${debian}\`.`);
  const folder = mkdtempSync(join(tmpdir(), "oriel-deploy-"));
  try {
    return [...checkUnits(folder), ...checkNginx(folder), ...checkCaddy(), ...checkAlerts()];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Verifies the units in a root folder of their own, with the programs that they start. */
function checkUnits(folder: string): string[] {
  const root = join(folder, "root");
  for (const path of ["usr/local/bin", "usr/bin", "etc/systemd/system", "usr/lib/systemd"])
    mkdirSync(join(root, path), { recursive: true });
  execFileSync("cp", ["-r", "/usr/lib/systemd/system", join(root, "usr/lib/systemd")]);
  execFileSync("cp", ["/usr/bin/env", join(root, "usr/bin/curl")]);
  for (const name of ["oriel-server", "oriel-sandbox"])
    execFileSync("cp", ["/usr/bin/env", join(root, "usr/local/bin", name)]);
  const units = readdirSync("deploy/systemd").filter((name) => name.endsWith(".service"));
  for (const unit of units) execFileSync("cp", [`deploy/systemd/${unit}`, join(root, "etc/systemd/system")]);
  const loaded = units.map((unit) => unit.replace("@.", "@4001."));
  const { stderr } = spawnSync("systemd-analyze", ["verify", `--root=${root}`, ...loaded], { encoding: "utf8" });
  const problems = stderr.split("\n").filter((line) => line.includes("oriel"));
  if (problems.length === 0) say(`systemd-analyze verify: ${units.join(", ")}`);
  for (const unit of units) {
    const path = `deploy/systemd/${unit}`;
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", path], { encoding: "utf8" });
    const exposure = /Overall exposure level for \S+: (\S+)/.exec(stdout)?.[1];
    if (exposure === undefined || Number(exposure) > 1.5) problems.push(`${path}: exposure level ${exposure}`);
    else say(`systemd-analyze security: ${unit} ${exposure}`);
  }
  return problems;
}

/** Wraps our files in a main configuration, and gives them a certificate. */
function checkNginx(folder: string): string[] {
  const [certificate, key] = [join(folder, "fullchain.pem"), join(folder, "privkey.pem")];
  const files = ["oriel", "oriel-sandbox"].map((name) => {
    const path = join(folder, `${name}.conf`);
    const text = readFileSync(`deploy/nginx/${name}.conf`, "utf8");
    writeFileSync(path, text.replaceAll("/etc/ssl/oriel/", `${folder}/`).replaceAll("/var/log/nginx/", `${folder}/`));
    return path;
  });
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=pay.example.com"];
  execFileSync("openssl", [...request, "-keyout", key, "-out", certificate], { stdio: "ignore" });
  const main = join(folder, "nginx.conf");
  writeFileSync(
    main,
    `pid ${folder}/nginx.pid; error_log stderr; events {} http { ${files.map((path) => `include ${path};`).join(" ")} }`,
  );
  const { status, stderr } = spawnSync("nginx", ["-t", "-q", "-c", main], { encoding: "utf8" });
  if (status !== 0 || /\[warn\]/.test(stderr)) return [`nginx -t: ${stderr.trim()}`];
  say("nginx -t: deploy/nginx");
  return [];
}

function checkCaddy(): string[] {
  const file = "deploy/caddy/Caddyfile";
  for (const args of [
    ["validate", "--config", file],
    ["fmt", file],
  ]) {
    const { status, stdout, stderr } = spawnSync("caddy", args, { encoding: "utf8" });
    const isFormatted = args[0] !== "fmt" || stdout === readFileSync(file, "utf8");
    if (status !== 0 || !isFormatted) return [`caddy ${args.join(" ")}: ${isFormatted ? stderr : "not formatted"}`];
  }
  say(`caddy validate: ${file}`);
  return [];
}

function checkAlerts(): string[] {
  for (const [command, file] of [
    ["check", "deploy/prometheus/alerts.yaml"],
    ["test", "deploy/prometheus/alerts.test.yaml"],
  ] as const) {
    const { status, stdout, stderr } = spawnSync("promtool", [command, "rules", file], { encoding: "utf8" });
    if (status !== 0) return [`promtool ${command} rules: ${stdout}${stderr}`];
    say(`promtool ${command} rules: ${file}`);
  }
  return [];
}

function say(what: string): void {
  console.log(`✓ ${what}`);
}
