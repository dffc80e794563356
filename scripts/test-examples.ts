/**
 * `npm run test:examples`: tests the shops in `examples/` as a merchant would use them.
 *
 * It packs our npm packages and copies the examples to a folder outside this repository. There it installs each example
 * from its lock file and the tarballs, builds it, and starts it with its version of Node. `npm start` runs the service,
 * and the CLI from its tarball forwards the webhooks. In Chromium, a customer buys the cup and passes a challenge. Then
 * the shop must say that the order is paid, which only a verified webhook can cause, and must refuse a forged webhook.
 *
 * It needs the npm registry, a few hundred megabytes in the temporary directory and Chromium, so it isn't part of
 * `npm test`.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { parseArgs, parseEnv } from "node:util";
import { type Browser, chromium } from "@playwright/test";
import { requireChromium } from "./browsers.ts";

interface Example {
  name: string;
  node: 22 | 24 | 26;
  /** The script that checks the types, and builds the example if it needs that. */
  check: "build" | "types";
  form: "embedded" | "redirect";
}

const examples: readonly Example[] = [
  { name: "express", node: 22, check: "build", form: "embedded" },
  { name: "express", node: 26, check: "build", form: "embedded" },
  { name: "hono", node: 24, check: "types", form: "redirect" },
  { name: "vite-react", node: 24, check: "build", form: "embedded" },
];

process.env["ORIEL_E2E_PORT"] ??= "4650"; // read by demo/e2e/urls.ts
const { completeChallenge, cards, pay } = await import("../demo/e2e/checkout.ts");
const { ports } = await import("../demo/e2e/urls.ts");

const startWithinMs = 120_000;
/** Signed with no secret. */
const forgedHeaders = {
  "content-type": "application/json",
  "oriel-signature": `t=${Math.floor(Date.now() / 1000)},v1=${"0".repeat(64)}`,
};
const root = join(import.meta.dirname, "..");
const { values } = parseArgs({ options: { only: { type: "string", default: "" } } });
const chosen = examples.filter(({ name }) => values.only === "" || values.only.split(",").includes(name));

const folder = mkdtempSync(join(tmpdir(), "oriel-examples-"));
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) endGroup(child);
  rmSync(folder, { recursive: true, force: true });
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

await start("npm start", root, [process.execPath, "scripts/start.ts"], /ready: /, {
  PATH: process.env["PATH"],
  ORIEL_DATA_DIR: join(folder, "oriel"),
  ORIEL_PORT: String(ports.service),
  BANK_PORT: String(ports.bank),
  SHOP_PORT: String(ports.shop),
});
const demo = parseEnv(readFileSync(join(folder, "oriel/demo.env"), "utf8"));
run("pack", root, [process.execPath, "scripts/pack.ts", "sdk", "embed", "cli", "--out", join(folder, "dist/npm")]);
run("install the CLI", folder, ["npm", "install", "--prefix", "cli", ...tarballs("cli")]);
const browser = await chromium.launch({ executablePath: requireChromium().path });
const versions: string[] = [];
for (const [index, example] of chosen.entries())
  versions.push(await test(example, ports.service + 10 + index, browser));
await browser.close();
console.log(versions.join("\n"));
process.exit(chosen.length > 0 ? 0 : 1);

/** @returns a line for the report */
async function test({ name, node, check, form }: Example, port: number, browser: Browser): Promise<string> {
  const copy = join(folder, "examples", name);
  const tracked = execFileSync("git", [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "-z",
    `examples/${name}`,
  ]);
  for (const file of tracked.toString().split("\0").filter(Boolean)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    cpSync(join(root, file), join(folder, file));
  }
  const PATH = `${nodeFolder(node)}:${process.env["PATH"]}`;
  const version = execFileSync("node", ["--version"], { env: { PATH }, encoding: "utf8" }).trim();
  run(`${name}: npm ci`, copy, ["npm", "ci"], PATH);
  run(`${name}: npm run ${check}`, copy, ["npm", "run", check], PATH);

  const shop = `http://localhost:${port}`;
  const env = { ...demo, PATH, HOME: folder, XDG_CONFIG_HOME: join(folder, "config") };
  const oriel = join(folder, "cli/node_modules/.bin/oriel");
  const listen = [oriel, "listen", "--forward-to", `${shop}/webhooks/oriel`];
  const listener = await start(`${name}: oriel listen`, copy, listen, /^Ready/, env);
  const secret = /ORIEL_WEBHOOK_SECRET=(\S+)/.exec(listener.output())?.[1];
  const server = await start(`${name}: npm start`, copy, ["npm", "start"], /The shop is open/, {
    ...env,
    ORIEL_WEBHOOK_SECRET: secret,
    SHOP_ORIGIN: shop,
    PORT: String(port),
  });

  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(shop);
  await page.getByRole("button", { name: "Buy" }).click();
  await pay(form === "embedded" ? page.locator("iframe").contentFrame() : page, cards.challenge);
  await completeChallenge(page, "111111");
  await page.getByRole("heading", { name: "Paid" }).waitFor();
  await context.close();

  const delivered = /payment\.succeeded .*  (2\d\d)  /.exec(await listener.says(/payment\.succeeded .*  \d+ ms/));
  if (!delivered) throw new Error(`${name} didn't accept payment.succeeded:\n${listener.output()}`);
  const forged = await fetch(`${shop}/webhooks/oriel`, { method: "POST", body: "{}", headers: forgedHeaders });
  if (forged.status !== 400) throw new Error(`${name} returned ${forged.status} for a forged webhook.`);
  server.end();
  listener.end();
  return `${name}: Node ${version}, ${form}: paid after a challenge; webhook verified (${delivered[1]}), forged webhook refused (400)`;
}

/** The folder with this version of Node. Our own is 24, and npm has the others. */
function nodeFolder(version: Example["node"]): string {
  if (version === 24) return dirname(process.execPath);
  const prefix = join(folder, `node-${version}`);
  const name = `node-${process.platform}-${process.arch}`;
  run(`install Node ${version}`, folder, ["npm", "install", "--prefix", prefix, `${name}@${version}`]);
  return join(prefix, "node_modules", name, "bin");
}

/** Paths of the packed tarballs, relative to the folder. */
function tarballs(name: string): string[] {
  const { version } = JSON.parse(readFileSync(join(root, "packages", name, "package.json"), "utf8")) as {
    version: string;
  };
  return [join(folder, "dist/npm", `oriel-${name}-${version}.tgz`)];
}

function run(what: string, cwd: string, [program = "", ...args]: string[], PATH = process.env["PATH"]): void {
  console.log(what);
  try {
    execFileSync(program, args, { cwd, env: { ...process.env, PATH }, encoding: "utf8", timeout: 300_000 });
  } catch (error) {
    const output = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    throw new Error(`${what} failed.\n${output}`, { cause: error });
  }
}

interface Started {
  output(): string;
  /** Waits for a line. @returns the line */
  says(pattern: RegExp): Promise<string>;
  end(): void;
}

/** Starts a program in its own process group and waits for a line of its output. */
async function start(
  what: string,
  cwd: string,
  [program = "", ...args]: string[],
  ready: RegExp,
  env: NodeJS.ProcessEnv,
): Promise<Started> {
  console.log(what);
  const child = spawn(program, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  const lines: string[] = [];
  const waiting = new Set<() => void>();
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      for (const check of waiting) check();
    });
  }
  const says = (pattern: RegExp) =>
    new Promise<string>((resolve, reject) => {
      const fail = (why: string) => reject(new Error(`${what} ${why}:\n${lines.slice(-20).join("\n")}`));
      const timer = setTimeout(() => fail("didn't print what was expected"), startWithinMs);
      const check = () => {
        const found = lines.find((line) => pattern.test(line));
        if (found === undefined) return;
        clearTimeout(timer);
        waiting.delete(check);
        resolve(found);
      };
      waiting.add(check);
      child.once("exit", () => fail("exited"));
      check();
    });
  await says(ready);
  return {
    output: () => lines.join("\n"),
    says,
    end() {
      running.delete(child);
      endGroup(child);
    },
  };
}

function endGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGTERM");
  } catch {
    // It has exited.
  }
}
