/** Checks that a merchant's compiler and server can use the npm package `@oriel/sdk`: the tarball, unpacked. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { install, type Installed, publintProblems, typeProblems } from "./check-tarball.ts";
import { root } from "./npm-package.ts";
import { packSdk } from "./sdk.ts";

let shop: string;
let installed: Installed;

beforeAll(async () => {
  installed = await install("sdk", packSdk, ["vitest", "fastify", "@types"]);
  shop = installed.project;
  mkdirSync(join(shop, "src"));
}, 120_000);
afterAll(() => installed.remove());

describe("the tarball of the SDK", () => {
  it("passes publint", async () => {
    expect(await publintProblems(installed.tarball)).toEqual([]);
  });

  it("has correct types for every entry", async () => {
    const typed = [".", "./express", "./fastify", "./hono", "./next"];
    expect(await typeProblems(installed.tarball)).toEqual({ typed, problems: [] });
  }, 60_000);

  it("contains only built code, declarations and licenses, and imports nothing but Node's modules", () => {
    const { files, read } = installed;
    const others = files.filter((name) => !/^((chunks\/)?[\w-]+\.js|types\/([a-z]+\/)*[\w-]+\.d\.ts)$/.test(name));
    expect(others.sort()).toEqual(["LICENSE", "README.md", "package.json"]);
    const code = files.filter((name) => name.endsWith(".js")).map(read);
    const imported = code.flatMap((text) =>
      [...text.matchAll(/^import [^;]*"([^".][^"]*)";/gm)].map(([, name]) => name),
    );
    expect(imported.filter((name) => !name?.startsWith("node:"))).toEqual([]);
    expect(imported.length).toBeGreaterThan(3);
    const manifest = JSON.parse(read("package.json")) as object; // our own file
    expect(manifest).not.toHaveProperty("dependencies");
    expect(manifest).not.toHaveProperty("private");
  });
});

describe("a merchant's compiler", () => {
  it("accepts and rejects the same code with the packed types as with the sources", () => {
    const tests = readFileSync(join(root, "packages/sdk/src/client-types.test.ts"), "utf8");
    writeFileSync(join(shop, "src/types.ts"), tests.replace('"./index.ts"', '"@oriel/sdk"'));
    expect(compile(["src/types.ts"])).toBe("");
  }, 60_000);

  it("finds an unknown field (control)", () => {
    writeFileSync(
      join(shop, "src/control.ts"),
      'import type { Refund } from "@oriel/sdk"; export const a = (refund: Refund) => refund.amuont;',
    );
    expect(compile(["src/control.ts"])).toContain("TS2551");
  }, 60_000);
});

describe("on a server", () => {
  it("a webhook is verified, and one with another body is refused", () => {
    const output = execFileSync(process.execPath, ["--input-type=module", "-e", verifying], {
      cwd: shop,
      encoding: "utf8",
      timeout: 30_000,
    });
    expect(output.trim()).toBe("payment.succeeded signature_mismatch");
  });
});

const verifying = `
  import { createHmac } from "node:crypto";
  import { webhooks } from "@oriel/sdk";
  const secret = "whsec_" + Buffer.alloc(32, 7).toString("base64");
  const body = JSON.stringify({ object: "event", id: "evt_1", type: "payment.succeeded", data: { object: {} } });
  const time = Math.floor(Date.now() / 1000);
  const headers = { "oriel-signature": "t=" + time + ",v1=" + createHmac("sha256", secret).update(time + "." + body).digest("hex") };
  const refused = (text) => { try { webhooks.verify(text, headers, secret); } catch (error) { return error.code; } };
  console.log(webhooks.verify(body, headers, secret).type, refused(body + " "));
`;

/** The compiler's output with strict settings and without skipLibCheck for the package. Empty if there are no errors. */
function compile(sources: readonly string[]): string {
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2023", "dom", "dom.iterable"],
    module: "nodenext",
    types: ["node"],
    skipLibCheck: false,
  };
  writeFileSync(join(shop, "tsconfig.json"), JSON.stringify({ compilerOptions, files: sources }));
  try {
    return execFileSync(join(root, "node_modules/.bin/tsc"), ["-p", shop], { encoding: "utf8", timeout: 60_000 });
  } catch (error) {
    if (error instanceof Error && "stdout" in error) return String(error.stdout);
    throw error;
  }
}
