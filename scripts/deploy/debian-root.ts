/**
 * An empty Debian system in a folder, with what docs/deploy.md installs. Debian and its packages are kept for the next
 * run. Needs root, and `debootstrap` and `unshare`.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { packSandbox, packServer } from "../pack/command.ts";
import { readSteps } from "./steps.ts";

const cache = join(process.env["XDG_CACHE_HOME"] || join(homedir(), ".cache"), "oriel-deploy");
const release = "bookworm";
/** A root user's PATH on Debian. */
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
/** Runs a command with mounts and processes of its own, which end with it. */
const apart = ["unshare", "--mount", "--pid", "--fork", "--kill-child"];

/**
 * Runs the steps that need a package registry, up to "Install Oriel".
 *
 * @returns the layers of the system, the last one first
 */
export async function installInDebian(): Promise<string[]> {
  if (process.getuid?.() !== 0) throw new Error("This test creates a Debian system in a folder, so run it as root.");
  for (const name of ["debootstrap", "unshare", "ip"])
    if (spawnSync("which", [name]).status !== 0)
      throw new Error(`${name} isn't installed. Run \`apt-get install debootstrap util-linux iproute2\`.`);
  mkdirSync(cache, { recursive: true });
  const [, system, node, oriel] = readSteps();
  if (!system || !node || !oriel) throw new Error("docs/deploy.md doesn't have the steps that this test follows.");

  const base = join(cache, release);
  once(base, (folder) => {
    run("debootstrap", "--variant=minbase", release, folder);
    writeFileSync(join(folder, "usr/sbin/policy-rc.d"), "#!/bin/sh\nexit 101\n", { mode: 0o755 });
  });
  const tools = join(cache, `${release}-${hashOf(system.commands + node.commands)}`);
  once(tools, (folder) => {
    run("cp", "--archive", "--reflink=auto", base, folder);
    inRoot([folder], `${system.commands}\n${node.commands}\napt-get clean`);
  });

  // What this run changes is in folders of its own, which an overlay puts over the system in the cache.
  const layers = [tools, join(cache, "installed")] as const;
  rmSync(layers[1], { recursive: true, force: true });
  for (const folder of ["root", "etc"]) mkdirSync(join(layers[1], folder), { recursive: true });
  const root = layers[1];
  const packed = join(cache, "packed");
  mkdirSync(packed, { recursive: true });
  for (const tarball of [await packServer(join(packed, "server")), await packSandbox(join(packed, "sandbox"))])
    copyFileSync(tarball, join(root, "root", tarball.split("/").at(-1) ?? ""));
  cpSync("deploy", join(root, "root/deploy"), { recursive: true });
  inRoot(layers, oriel.commands);
  const sizes: Record<string, string> = {
    "the tarball of the service": `${packed}/${readdirSync(packed).find((name) => name.startsWith("oriel-server-")) ?? ""}`,
    "the service and the sandbox bank, installed": `${root}/opt/oriel`,
    "Node and npm": `${tools}/opt/node`,
  };
  for (const [what, path] of Object.entries(sizes)) console.log(`${sizeOf(path).padStart(6)} MB  ${what}`);
  return layers.toReversed();
}

/** Runs `inside.ts` in a network of its own, in which every port is free. @returns its exit code */
export function runInside(
  layers: readonly string[],
  options: { restarts: string; rate: string; drain: string },
): number {
  const { restarts, rate, drain } = options;
  const main = new URL("./inside.ts", import.meta.url).pathname;
  const command = [...apart, "--net", "--mount-proc", process.execPath, main, layers.join(":"), restarts, rate, drain];
  return spawnSync(command[0] ?? "", command.slice(1), { stdio: "inherit" }).status ?? 1;
}

/** Runs `fill` unless the folder exists, and keeps nothing if it fails. */
function once(folder: string, fill: (folder: string) => void): void {
  if (existsSync(folder)) return;
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  fill(unfinished);
  renameSync(unfinished, folder);
}

/** Runs commands in a folder, or in the second folder as an overlay over the first. */
function inRoot([system, changes]: readonly [string, string?], commands: string): void {
  const root = changes === undefined ? system : join(cache, "mounted");
  mkdirSync(root, { recursive: true });
  const writable = changes ?? system;
  copyFileSync("/etc/resolv.conf", join(writable, "etc/resolv.conf"));
  // On a network whose proxy has its own certificate authority, npm needs its certificate.
  const authorities = process.env["NODE_EXTRA_CA_CERTS"];
  if (authorities) copyFileSync(authorities, join(writable, "root/authorities.pem"));
  const shell = ["env", "-i", `PATH=${path}`, "HOME=/root", "LC_ALL=C.UTF-8", "DEBIAN_FRONTEND=noninteractive"];
  if (authorities) shell.push("NODE_EXTRA_CA_CERTS=/root/authorities.pem");
  const mounts = [`mount -t proc proc ${root}/proc`, `mount --rbind /dev ${root}/dev`, `exec chroot ${root} "$@"`];
  if (changes !== undefined) mounts.unshift(overlay({ lower: system, upper: changes, at: root }));
  const command = [...apart, "sh", "-euc", mounts.join("; "), "sh", ...shell];
  const script = `set -eu\ncd /root\n${commands}`;
  const { status, stdout, stderr } = spawnSync(command[0] ?? "", [...command.slice(1), "bash", "-c", script], {
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`A step of docs/deploy.md failed:\n${script}\n\n${stdout}\n${stderr}`);
}

/** The command that mounts `upper` over `lower`. */
export function overlay({ lower, upper, at }: { lower: string; upper: string; at: string }): string {
  const work = `${upper}.work`;
  mkdirSync(upper, { recursive: true });
  mkdirSync(work, { recursive: true });
  return `mount -t overlay overlay -o lowerdir=${lower},upperdir=${upper},workdir=${work} ${at}`;
}

function run(command: string, ...args: string[]): void {
  execFileSync(command, args, { stdio: ["ignore", "ignore", "inherit"] });
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function sizeOf(path: string): string {
  const bytes = execFileSync("du", ["--summarize", "--bytes", "--one-file-system", path], { encoding: "utf8" });
  return (Number.parseInt(bytes, 10) / 1e6).toFixed(1);
}
