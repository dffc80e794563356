/** Checks that the npm package `@oriel/server` runs without this repository: the tarball, unpacked. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { get } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { publintProblems, unpack } from "./check-tarball.ts";
import { root } from "./npm-package.ts";
import { packServer } from "./server.ts";

let host: string;
let installed: string;
let tarball: Buffer;
let service: ChildProcess | undefined;

beforeAll(async () => {
  host = mkdtempSync(join(tmpdir(), "oriel-host-"));
  tarball = readFileSync(await packServer(join(host, "packed/server")));
  installed = join(host, "node_modules/@oriel/server");
  unpack(tarball, installed);
  for (const name of dependencies()) {
    const link = join(host, "node_modules", name);
    mkdirSync(dirname(link), { recursive: true });
    const own = join(root, "packages/server/node_modules", name);
    symlinkSync(existsSync(own) ? own : join(root, "node_modules", name), link);
  }
}, 120_000);
afterEach(() => void service?.kill("SIGKILL"));
afterAll(() => rmSync(host, { recursive: true, force: true }));

const manifest = () =>
  JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
    bin: Record<string, string>;
    dependencies: Record<string, string>;
  }; // our own file
const dependencies = () => Object.keys(manifest().dependencies);
const command = () => join(installed, manifest().bin["oriel-server"] ?? "");

describe("the tarball of the server", () => {
  it("passes publint", async () => {
    expect(await publintProblems(tarball)).toEqual([]);
  });

  it("depends on exact versions, and on no development tool or package of this repository", () => {
    const { dependencies: versions } = manifest();
    expect(Object.keys(versions).length).toBeGreaterThan(10);
    expect(Object.values(versions).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(dependencies().filter((name) => /^(@oriel\/|vite|typescript|penpal|react)/.test(name))).toEqual([]);
  });

  it("contains JavaScript and pages, but no TypeScript, test or path of the build machine", () => {
    const files = readdirSync(installed, { recursive: true, encoding: "utf8" });
    expect(files).toEqual(expect.arrayContaining(["dist/embed/oriel.js", "dist/checkout/pages.json", "LICENSE"]));
    expect(files.filter((name) => /\.tsx?$|\.test\.|node_modules/.test(name))).toEqual([]);
    const code = files.filter((name) => name.endsWith(".js"));
    expect(code.filter((name) => readFileSync(join(installed, name), "utf8").includes(`${root}/`))).toEqual([]);
  });

  it("contains the licenses of the libraries in the pages", () => {
    for (const [pages, library] of [
      ["embed", "penpal"],
      ["checkout", "penpal"],
      ["dashboard", "react"],
    ]) {
      const notices = readFileSync(join(installed, `dist/${pages}/third-party-licenses.md`), "utf8");
      expect(notices).toMatch(new RegExp(`^## ${library} - .*\\(MIT\\)$`, "m"));
    }
  });
});

describe("oriel-server", () => {
  it("lists its commands", () => {
    const help = execFileSync(process.execPath, [command(), "--help"], { encoding: "utf8", timeout: 30_000 });
    expect(help).toMatch(/^ {2}serve .*Run the service$/m);
  });

  it("serves the API, the loader, the checkout, the dashboard and the help pages", async () => {
    const port = await freePort();
    service = spawn(process.execPath, [command(), "serve"], {
      cwd: host,
      env: {
        ORIEL_PORT: String(port),
        ORIEL_CHECKOUT_ORIGIN: `http://pay.localhost:${port}`,
        ORIEL_DASHBOARD_ORIGIN: `http://dashboard.localhost:${port}`,
        ORIEL_DATA_DIR: join(host, "data"),
        BANK_API_KEY: "a-key-for-this-test-only",
        BANK_RESULTS_KEY: "another-key-for-this-test-only",
      },
      stdio: "ignore",
    });
    const statusOf = async (name: string, path: string) => await statusAt(port, `${name}localhost:${port}`, path);
    await vi.waitFor(async () => expect(await statusOf("", "/healthz")).toBe(200), { timeout: 60_000, interval: 200 });
    expect(await statusOf("", "/api/v1/charges")).toBe(401);
    expect(await statusOf("", "/docs/errors")).toBe(200);
    expect(await statusOf("pay.", "/embed/v1/oriel.js")).toBe(200);
    expect(await statusOf("dashboard.", "/sign-in")).toBe(200);
  }, 90_000);
});

function statusAt(port: number, host: string, path: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
