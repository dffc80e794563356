/**
 * `oriel monitor`: fetches the frame's pages as a browser receives them, and compares headers, scripts and styles with
 * what the build wrote down: the weekly look that PCI DSS 11.6.1 asks for. It has to run elsewhere than the service,
 * from a copy of the build that the service's machine cannot change; what it fetches it does not run.
 *
 * The exit code is 0 where all is the same, 1 where something is not, 2 where it could not look. The secret in an
 * embed_url stays here: it is neither sent nor printed.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { Check } from "typebox/value";
import { ScriptInventory, type InventoryPage } from "@oriel/protocol/script-inventory";
import { OperatorError } from "../platform/operator-error.ts";
import { readBuilt } from "../http/embed/read-built.ts";
import { defaultDist } from "../http/routes/built-files.ts";
import type { Command } from "./command.ts";
import { compareCode, compareFile } from "./monitor/compare-code.ts";
import { compareHeaders } from "./monitor/compare-headers.ts";
import type { Difference } from "./monitor/difference.ts";
import { fetchAsBrowser } from "./monitor/fetch-as-browser.ts";
import { parseJson } from "./parse-json.ts";

/**
 * Where the pages that a GET can show are. What a bank posts to, the landing page, is code of the same build and holds
 * no card.
 */
const addresses: Partial<Record<InventoryPage["page"], string>> = {
  runner: "/3ds/run/dec_monitor",
  why: "/embed/v1/why",
};
/** No session has this id; the page is the same bytes for every one. */
const noSession = "/c/cs_00000000000000000000000000";

export const monitorCommand: Command = {
  name: "monitor",
  takes: ["URL"],
  options: { inventory: { value: "FILE" }, json: { value: null } },
  summary: "compare the card page, as a browser receives it, with what was built",
  details:
    "URL is an embed_url, or the checkout's origin such as https://pay.example.com. FILE is the inventory.json of the build that should be there; without it, of the one that is installed here. Each difference in headers, scripts and styles is printed, with --json as JSON. Run it weekly, from another machine than the service's (PCI DSS 11.6.1). The exit code is 0 if all is the same, 1 if anything differs, 2 if it could not look.",
  run: async ({ args: [address = ""], option, isOn, now, print }) => {
    const url = readAddress(address);
    const inventory = readInventory(option("inventory"));
    const pages = [];
    for (const page of inventory.pages) {
      const path = page.page === "checkout" ? url.pathname : addresses[page.page];
      if (path !== undefined) pages.push(await lookAt(page, new URL(path, url)));
    }
    const files = await lookAtFiles(inventory, url);
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
      const looked = `${pages.length} pages and ${files.looked} files of ${url.origin}`;
      if (differences.length === 0) print(`${looked} are what was built.`);
      else print(`${looked}: ${differences.length} ${differences.length === 1 ? "difference" : "differences"}.`);
    }
    return differences.length === 0 ? 0 : 1;
  },
};

/** The page's address without query and fragment. @throws OperatorError */
function readAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isPage = url !== null && /^\/(c\/cs_[0-9A-Za-z_]{1,80})?$/.test(url.pathname);
  if (url === null || !isPage || !/^https?:$/.test(url.protocol) || url.username !== "" || url.password !== "") {
    // The text is not repeated: it may hold a session's secret.
    throw new OperatorError("URL must be an embed_url, or the checkout's origin such as https://pay.example.com.");
  }
  return new URL(url.pathname === "/" ? noSession : url.pathname, url.origin);
}

/** @throws OperatorError */
function readInventory(file: string | undefined): ScriptInventory {
  const path = file ?? join(defaultDist, "checkout", "inventory.json");
  const inventory = parseJson(file === undefined ? readBuilt(path).toString() : readGiven(path));
  if (!Check(ScriptInventory, inventory)) {
    throw new OperatorError(
      `${path} is no inventory of this version. The build writes it to dist/checkout/inventory.json.`,
    );
  }
  return inventory;
}

function readGiven(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    throw new OperatorError(`${path} cannot be read. --inventory takes the inventory.json of a build.`);
  }
}

/** In every language that it is built in, as its customers do. */
async function lookAt(
  page: InventoryPage,
  url: URL,
): Promise<{ page: string; url: string; differences: Difference[] }> {
  const found = new Map<string, Difference>();
  for (const language of new Set(page.documents.map((document) => document.language ?? "en"))) {
    const { status, headers, body } = await fetchAsBrowser(url, "iframe", language);
    if (status !== 200)
      throw new OperatorError(`${url.origin}${url.pathname} answered ${status}, and not with a page.`);
    const differences = [...compareHeaders(page, headers, url.protocol === "https:"), ...compareCode(page, body)];
    for (const difference of differences) found.set(difference.says, difference);
  }
  return { page: page.page, url: url.href, differences: [...found.values()] };
}

/** One after the other: a monitor is in no hurry, and the service has customers. */
async function lookAtFiles({ pages, data }: ScriptInventory, { origin }: URL) {
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
