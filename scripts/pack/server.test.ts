/** Checks that the npm package `@oriel/server` runs without this repository: the tarball, unpacked. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { get } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { readManifest } from "../../packages/embed/build/modules.ts";
import { freePort } from "../test/free-port.ts";
import { install, type Installed, publintProblems } from "./check-tarball.ts";
import { packServer } from "./command.ts";
import { root, workspaceFolder } from "./npm-package.ts";

let installed: Installed;
let service: ChildProcess | undefined;

beforeAll(async () => {
  const { dependencies } = readManifest(workspaceFolder("server"));
  // The vault's dependency, too.
  installed = await install("server", packServer, [...Object.keys(dependencies ?? {}), "jose"]);
}, 120_000);
afterEach(() => void service?.kill("SIGKILL"));
afterAll(() => installed.remove());

const manifest = () =>
  JSON.parse(installed.read("package.json")) as {
    bin: Record<string, string>;
    dependencies: Record<string, string>;
  }; // our own file
const command = () => join(installed.folder, manifest().bin["oriel-server"] ?? "");

describe("the tarball of the server", () => {
  it("passes publint", async () => {
    expect(await publintProblems(installed.tarball)).toEqual([]);
  });

  it("depends on exact versions, and on no development tool or package of this repository", () => {
    const { dependencies: versions } = manifest();
    expect(Object.keys(versions).length).toBeGreaterThan(10);
    expect(Object.values(versions).filter((version) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
    expect(Object.keys(versions).filter((name) => /^(@oriel\/|vite|typescript|penpal|react)/.test(name))).toEqual([]);
  });

  it("contains JavaScript and pages, but no TypeScript, test or path of the build machine", () => {
    const { files, read } = installed;
    expect(files).toEqual(expect.arrayContaining(["dist/embed/oriel.js", "dist/checkout/pages.json", "LICENSE"]));
    expect(files.filter((name) => /\.tsx?$|\.test\.|node_modules/.test(name))).toEqual([]);
    const code = files.filter((name) => name.endsWith(".js"));
    expect(code.filter((name) => read(name).includes(`${root}/`))).toEqual([]);
  });

  it("contains the licenses of the libraries in the pages", () => {
    for (const [pages, library] of [
      ["checkout", "penpal"],
      ["dashboard", "react"],
    ]) {
      const notices = installed.read(`dist/${pages}/third-party-licenses.md`);
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
      cwd: installed.project,
      env: {
        ORIEL_PORT: String(port),
        ORIEL_CHECKOUT_ORIGIN: `http://pay.localhost:${port}`,
        ORIEL_DASHBOARD_ORIGIN: `http://dashboard.localhost:${port}`,
        ORIEL_DATA_DIR: join(installed.project, "data"),
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
