/**
 * `oriel monitor` fetches the checkout's pages as a browser would and compares headers, scripts and styles with the
 * build's inventory. It's the weekly check that PCI DSS 11.6.1 requires. Run it on a different machine from the
 * service, with a copy of the build that the service's machine can't change. It doesn't execute what it fetches.
 *
 * Exit codes: 0 if everything matches, 1 if something differs, 2 if the check failed. The secret in an `embed_url` is
 * neither sent nor printed.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Check } from "typebox/value";
import { ScriptInventory, type InventoryPage } from "@oriel/protocol/script-inventory";
import { OperatorError } from "@oriel/commands/operator-error";
import type { Command } from "@oriel/commands";
import { compareCode, compareFile } from "./monitor/compare-code.ts";
import { compareHeaders } from "./monitor/compare-headers.ts";
import type { Difference } from "./monitor/difference.ts";
import { fetchAsBrowser } from "./monitor/fetch-as-browser.ts";
import { parseJson } from "./parse-json.ts";

/**
 * Paths of the pages that a GET request can fetch. The page that a bank posts to comes from the same build and contains
 * no card data.
 */
const paths: Partial<Record<InventoryPage["page"], string>> = {
  runner: "/3ds/run/dec_monitor",
  why: "/embed/v1/why",
};
/** The inventory of the build that comes with this package. In this repository, `npm run build` creates it. */
const installedInventory = fileURLToPath(new URL("../../../dist/checkout/inventory.json", import.meta.url));
/** No session has this ID. The page is the same for every session. */
const noSession = "/c/cs_00000000000000000000000000";

export const monitorCommand: Command = {
  name: "monitor",
  takes: ["URL"],
  options: { inventory: { value: "FILE" }, json: { value: null } },
  summary: "Compare the deployed checkout with the build",
  details: `URL is an embed_url or the checkout's origin, such as https://pay.example.com.

Options
  --inventory  inventory.json of the deployed build (default: the build installed here)
  --json       print the report as JSON

Prints every header, script and style that differs from the build. Run this check weekly on a different machine from the
service (PCI DSS 11.6.1). Exit codes: 0 if everything matches, 1 if anything differs, 2 if the check failed.`,
  run: async ({ args: [address = ""], option, isOn, now, print }) => {
    const url = readUrl(address);
    const inventory = readInventory(option("inventory"));
    const pages = [];
    for (const page of inventory.pages) {
      const path = page.page === "checkout" ? url.pathname : paths[page.page];
      if (path !== undefined) pages.push(await checkPage(page, new URL(path, url)));
    }
    const files = await checkFiles(inventory, url);
    const differences = [...pages.flatMap((page) => page.differences), ...files.differences];
    if (isOn("json")) {
      const report = {
        checkout: url.origin,
        looked_at: now().toISOString(),
        same: differences.length === 0,
        pages,
        files,
      };
      print(JSON.stringify(report, null, 2));
    } else {
      for (const { page, differences: found } of [...pages, files]) {
        for (const { says } of found) print(`${page}: ${says}`);
      }
      const checked = `${pages.length} pages and ${files.looked} files on ${url.origin}`;
      if (differences.length === 0) print(`${checked} match the build.`);
      else
        print(
          `${checked} have ${differences.length} ${differences.length === 1 ? "difference" : "differences"} from the build.`,
        );
    }
    return differences.length === 0 ? 0 : 1;
  },
};

/** Returns the page's URL without query and fragment. @throws OperatorError */
function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPage = url !== null && /^\/(c\/cs_[0-9A-Za-z_]{1,80})?$/.test(url.pathname);
  if (url === null || !isPage || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    // Don't repeat the text: it may contain a session's secret.
    throw new OperatorError("URL must be an embed_url or the checkout's origin, such as https://pay.example.com.");
  }
  return new URL(url.pathname === "/" ? noSession : url.pathname, url.origin);
}

/** Reads and validates the inventory. @throws OperatorError */
function readInventory(file: string | undefined): ScriptInventory {
  const path = file ?? installedInventory;
  const inventory = parseJson(readText(path));
  if (!Check(ScriptInventory, inventory)) {
    throw new OperatorError(
      `${path} isn't an inventory for this version of Oriel. Use dist/checkout/inventory.json from the deployed build.`,
    );
  }
  return inventory;
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new OperatorError(`Can't read ${path}. Set --inventory to a build's inventory.json.`);
  }
}

/** Checks a page in every language it's built in. */
async function checkPage(
  page: InventoryPage,
  url: URL,
): Promise<{ page: string; url: string; differences: Difference[] }> {
  const found = new Map<string, Difference>();
  for (const language of new Set(page.documents.map((document) => document.language ?? "en"))) {
    const { status, headers, body } = await fetchAsBrowser(url, "iframe", language);
    if (status !== 200)
      throw new OperatorError(`${url.origin}${url.pathname} returned status ${status} instead of a page.`);
    const differences = [...compareHeaders(page, headers, url.protocol === "https:"), ...compareCode(page, body)];
    for (const difference of differences) found.set(difference.says, difference);
  }
  return { page: page.page, url: url.href, differences: [...found.values()] };
}

/** Fetches files one at a time to keep the load on the service low. */
async function checkFiles({ pages, data }: ScriptInventory, { origin }: URL) {
  const scripts = pages
    .flatMap((page) => page.scripts)
    .flatMap((code) => (code.url === null ? [] : [{ ...code, url: code.url }]));
  const files = [
    ...scripts.map((code) => ({ ...code, what: `script ${code.name}`, destination: "script" as const })),
    ...data.map((file) => ({ ...file, what: `file ${file.url}`, destination: "empty" as const })),
  ];
  const differences: Difference[] = [];
  for (const file of files) {
    const { status, body } = await fetchAsBrowser(new URL(file.url, origin), file.destination);
    differences.push(...compareFile(file.what, file, status === 200 ? body : null));
  }
  return { page: "files", looked: files.length, differences };
}
