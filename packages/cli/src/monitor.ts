/**
 * `oriel monitor` fetches the checkout's pages as a browser would and compares headers, scripts and styles with the
 * build's inventory. It's the weekly check that PCI DSS 11.6.1 requires. Run it on a different machine from the
 * service, with a copy of the build that the service's machine can't change. It doesn't execute what it fetches.
 *
 * Exit codes: 0 if everything matches, 1 if something differs, 2 if the check failed. An error response doesn't end the
 * check, so that it can't hide differences elsewhere. The secret in an `embed_url` is neither sent nor printed.
 */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Check } from "typebox/value";
import type { Command } from "@oriel/commands";
import { OperatorError } from "@oriel/commands/operator-error";
import { visible } from "@oriel/protocol/hidden-characters";
import { ScriptInventory, type InventoryPage } from "@oriel/protocol/script-inventory";
import { compareCode, compareFile } from "./monitor/compare-code.ts";
import { compareFileHeaders, compareHeaders } from "./monitor/compare-headers.ts";
import { missing, redirected, shown, tooLarge, type Difference } from "./monitor/difference.ts";
import { fetchAsBrowser, NoResponse } from "./monitor/fetch-as-browser.ts";
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
/** No session has this ID. The page is the same for every session, except for `frame-ancestors`. */
const noSession = "/c/cs_00000000000000000000000000";
/** The check ends after this many requests without a response, because each of them can take ten seconds. */
const maxWithoutResponse = 3;

export const monitorCommand: Command = {
  name: "monitor",
  takes: ["URL"],
  options: { inventory: { value: "FILE" }, json: { value: null } },
  summary: "Compare the deployed checkout with the build",
  details: `URL is an embed_url or the checkout's origin, such as https://pay.example.com.

Options
  --inventory  inventory.json of the deployed build (default: the build installed here)
  --json       print the report as JSON

Prints each difference from the build: in the HTML, scripts, styles and files, in the headers that the service sends, and
headers that could change what runs, where the page leads or what's stored. Run this check weekly on a different machine
from the service (PCI DSS 11.6.1). Exit codes: 0 if everything matches, 1 if anything differs, 2 if the check failed.`,
  run: async ({ args: [address = ""], option, isOn, now, print, log }) => {
    const url = readUrl(address);
    const inventory = readInventory(option("inventory"));
    const failures = new Set<string>();
    const attempt = attemptWith(failures);
    const pages = [];
    for (const page of inventory.pages) {
      const path = page.page === "checkout" ? url.pathname : paths[page.page];
      if (path !== undefined) pages.push(await checkPage(page, new URL(path, url), attempt));
    }
    const files = await checkFiles(inventory, url, attempt);
    const count = [...pages, files].reduce((sum, { differences }) => sum + differences.length, 0);
    if (isOn("json")) {
      const same = count === 0 && failures.size === 0;
      const looked_at = now().toISOString();
      print(JSON.stringify({ checkout: url.origin, looked_at, same, pages, files, failures: [...failures] }, null, 2));
    } else {
      for (const { page, differences } of [...pages, files]) {
        for (const { says } of differences) print(`${page}: ${says}`);
      }
      const checked = `${pages.length} pages and ${files.looked} files on ${url.origin}`;
      if (count > 0) print(`${checked} have ${count} ${count === 1 ? "difference" : "differences"} from the build.`);
      else if (failures.size === 0) print(`${checked} match the build.`);
    }
    for (const failure of failures) log(failure);
    if (failures.size > 0) log("The check is incomplete, because requests failed.");
    if (count > 0) return 1;
    return failures.size > 0 ? 2 : 0;
  },
};

/** Runs a check, and returns no differences if its request fails. */
type Attempt = (check: () => Promise<Difference[]>) => Promise<Difference[]>;

/** @param failures collects why requests failed */
function attemptWith(failures: Set<string>): Attempt {
  let withoutResponse = 0;
  return async (check) => {
    if (withoutResponse >= maxWithoutResponse) return [];
    try {
      return (await check()).map(shown);
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      if (error instanceof NoResponse) withoutResponse++;
      failures.add(visible(error.message));
      return [];
    }
  };
}

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
  if (!inventory.pages.some(({ page }) => page === "checkout")) {
    throw new OperatorError(`${path} doesn't list the checkout page. Use dist/checkout/inventory.json.`);
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
  attempt: Attempt,
): Promise<{ page: string; url: string; differences: Difference[] }> {
  const found = new Map<string, Difference>();
  for (const language of new Set(page.documents.map((document) => document.language ?? "en"))) {
    const differences = await attempt(() => comparePage(page, url, language));
    for (const difference of differences) found.set(difference.says, difference);
  }
  return { page: page.page, url: url.href, differences: [...found.values()] };
}

/** @throws OperatorError if there's nothing to compare */
async function comparePage(page: InventoryPage, url: URL, language: string): Promise<Difference[]> {
  const { status, headers, body } = await fetchAsBrowser(url, "iframe", language);
  const expected = page.documents[0]?.sha256 ?? null;
  if (isRedirect(status)) return [redirected("page", expected, headers["location"])];
  if (status !== 200)
    throw new OperatorError(`${url.origin}${url.pathname} returned status ${status} instead of a page.`);
  return [
    ...compareHeaders(page, headers, { isSecure: url.protocol === "https:", ancestors: ancestorsOf(page, url) }),
    ...(body === null ? [tooLarge("page", expected)] : compareCode(page, body)),
  ];
}

/** The `frame-ancestors` of a page without a session. Undefined for a session's page, which lists its own origins. */
function ancestorsOf({ page, held_by }: InventoryPage, { pathname }: URL): string | null | undefined {
  if (held_by === "anyone") return null;
  if (page !== "checkout") return "'self'";
  return pathname === noSession ? "'none'" : undefined;
}

/** Fetches files one at a time to keep the load on the service low. */
async function checkFiles({ pages, data }: ScriptInventory, { origin }: URL, attempt: Attempt) {
  const scripts = pages
    .flatMap((page) => page.scripts)
    .flatMap((code) => (code.url === null ? [] : [{ ...code, url: code.url }]));
  const files = [
    ...scripts.map((code) => ({ ...code, what: `script ${code.name}`, destination: "script" as const })),
    ...data.map((file) => ({ ...file, what: `file ${file.url}`, destination: "empty" as const })),
  ];
  const differences: Difference[] = [];
  for (const { what, destination, ...file } of files) {
    const found = await attempt(async () => {
      const { status, headers, body } = await fetchAsBrowser(new URL(file.url, origin), destination);
      if (isRedirect(status)) return [redirected(what, file.sha256, headers["location"])];
      if (status === 404 || status === 410) return [missing(what, file.sha256)];
      if (status !== 200) throw new OperatorError(`${origin}${file.url} returned status ${status} instead of a file.`);
      const code = body === null ? [tooLarge(what, file.sha256)] : compareFile(what, file, body);
      return [...compareFileHeaders(what, headers), ...code];
    });
    differences.push(...found);
  }
  return { page: "files", looked: files.length, differences };
}

function isRedirect(status: number): boolean {
  return status >= 300 && status < 400;
}
