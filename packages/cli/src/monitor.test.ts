import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { OperatorError } from "@oriel/commands/operator-error";
import type { InventoryCode, ScriptInventory } from "@oriel/protocol/script-inventory";
import { listenLocally } from "../../../scripts/test/listen-locally.ts";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { monitorCommand } from "./monitor.ts";

const script = "document.title='Pay';";
const style = "p{color:red}";
const later = "export const pay=1;";
const map = JSON.stringify({
  imports: { pay: "/assets/pay.js" },
  integrity: { "/assets/pay.js": hashes(later).sha256 },
});
const page = (words: string) =>
  `<!doctype html><html><style>${style}</style><script type="importmap">${map}</script><p>${words}</p><script type="module">${script}</script>`;
const policy = "default-src 'none'; script-src 'sha256-x'";
const good = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy": `${policy}; frame-ancestors 'none'`,
  "referrer-policy": "no-referrer",
};

function hashes(text: string) {
  const hash = (name: "sha256" | "sha384") => `${name}-${createHash(name).update(text).digest("base64")}`;
  return { bytes: Buffer.byteLength(text), sha256: hash("sha256"), sha384: hash("sha384") };
}

const code = (name: string, kind: InventoryCode["kind"], text: string, url: string | null = null): InventoryCode => ({
  name,
  kind,
  url,
  ...hashes(text),
  purpose: "It is tested.",
  justification: "Tests are needed.",
});

const inventory: ScriptInventory = {
  inventory: 1,
  pages: [
    {
      page: "checkout",
      purpose: "The form.",
      documents: [
        { file: "checkout.en.html", language: "en", ...hashes(page("Pay")) },
        { file: "checkout.de.html", language: "de", ...hashes(page("Zahlen")) },
      ],
      scripts: [
        code("import map", "import map", map),
        code("pay", "imported", later, "/assets/pay.js"),
        code("checkout", "inline", script),
      ],
      styles: [code("checkout style", "inline", style)],
      headers: { ...good, "content-security-policy": policy },
      held_by: "allowed_origins",
    },
  ],
  data: [{ url: "/assets/en.json", ...hashes("{}") }],
};

/** What a test can change about the service. */
let headers: Record<string, string | string[]>;
let files: Map<string, string>;
let pageOf: (language: string) => string;
let requests: { url: string; headers: NodeJS.Dict<string | string[]> }[];
let status: number;
let fileStatus: number;
let fileHeaders: Record<string, string>;

const directory = temporaryDirectory(afterAll);
const file = join(directory, "inventory.json");
writeFileSync(file, JSON.stringify(inventory));
const server = createServer((request, response) => {
  const { url = "" } = request;
  requests.push({ url, headers: request.headers });
  const language = request.headers["accept-language"]?.startsWith("de") ? "de" : "en";
  const body = url.startsWith("/c/") ? pageOf(language) : files.get(url);
  if (body === undefined) return response.writeHead(404).end("{}");
  if (!url.startsWith("/c/")) return response.writeHead(fileStatus, fileHeaders).end(body);
  return response.writeHead(status, { ...headers, "content-encoding": "br" }).end(brotliCompressSync(body));
});
const { port } = await openForTests(listenLocally(server));
const origin = `http://pay.localhost:${port}`;
beforeEach(() => {
  headers = { ...good };
  status = 200;
  fileStatus = 200;
  fileHeaders = { "access-control-allow-origin": "*" };
  requests = [];
  pageOf = (language) => page(language === "de" ? "Zahlen" : "Pay");
  files = new Map([
    ["/assets/pay.js", later],
    ["/assets/en.json", "{}"],
  ]);
});

interface Check {
  exit: number;
  /** Both stdout and stderr. */
  printed: string;
}

async function check(address = origin, json = false, from = file): Promise<Check> {
  const printed: string[] = [];
  const exit = await monitorCommand.run({
    args: [address],
    option: (name) => (name === "inventory" ? from : undefined),
    isOn: (name) => json && name === "json",
    env: {},
    now: () => new Date("2030-01-01T00:00:00Z"),
    actor: "test",
    interruption: () => new AbortController().signal,
    print: (text) => printed.push(text),
    log: (text) => printed.push(text),
  });
  return { exit: exit ?? 0, printed: printed.join("\n") };
}

describe("oriel monitor", () => {
  it("finds no difference for an origin or an embed_url, and neither sends nor prints the embed_url's secret", async () => {
    expect(await check()).toEqual({ exit: 0, printed: `1 pages and 2 files on ${origin} match the build.` });
    const { exit, printed } = await check(`${origin}/c/cs_1?coep=1#cs_secret_x`);
    expect(exit).toBe(0);
    expect(printed).not.toContain("secret");
    expect(requests.map(({ url }) => url)).toContain("/c/cs_1");
    expect(JSON.stringify(requests)).not.toContain("secret");
  });

  it("requests every language with a browser's headers", async () => {
    await check();
    const pages = requests.filter(({ url }) => url.startsWith("/c/"));
    expect(pages.map((one) => one.headers["accept-language"])).toEqual(["en-US,en;q=0.9", "de,en;q=0.9"]);
    for (const one of pages) {
      expect(one.headers).toMatchObject({ "sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate" });
      expect(one.headers).toHaveProperty("sec-ch-ua");
      expect(one.headers["user-agent"]).toMatch(/^Mozilla\/5\.0 /);
    }
  });

  it("accepts any exact origin that embeds a session's page, but no wildcard", async () => {
    headers["content-security-policy"] = `${policy}; frame-ancestors https://shop.example`;
    expect((await check(`${origin}/c/cs_1`)).exit).toBe(0);
    headers["content-security-policy"] = `${policy}; frame-ancestors https://*.example`;
    expect((await check(`${origin}/c/cs_1`)).printed).toMatch(/frame-ancestors is: https:\/\/\*\.example/);
  });

  it("accepts a proxy that announces HTTP/3 on its own host", async () => {
    headers["alt-svc"] = 'h3=":443"; ma=2592000, h3-29=":443"; ma=2592000; persist=1';
    expect((await check()).exit).toBe(0);
  });

  it("accepts one tag with a session's appearance", async () => {
    const tag = '<meta name="appearance" content="{&#34;theme&#34;:&#34;dark&#34;}">';
    pageOf = (language) => page(language === "de" ? "Zahlen" : "Pay").replace("<style>", `${tag}<style>`);
    expect((await check()).exit).toBe(0);
    pageOf = () => page("Pay").replace("<style>", `${tag}${tag}<style>`);
    expect((await check()).printed).toMatch(/HTML doesn't match the build/);
  });

  it("accepts two attributes with the form's shape", async () => {
    const withAttributes = (text: string) => (pageOf = () => page("Pay").replace("<html", `<html${text}`));
    withAttributes(' data-no-card data-choices="2"');
    expect((await check()).exit).toBe(0);
    withAttributes(' data-choices="3"');
    expect((await check()).printed).toMatch(/HTML doesn't match the build/);
  });

  it("accepts a policy's directives in any order", async () => {
    headers["content-security-policy"] = "script-src 'sha256-x'; default-src 'none'; frame-ancestors 'none'";
    expect((await check()).exit).toBe(0);
  });

  it.each<[string, () => void, RegExp]>([
    [
      "a changed header",
      () => (headers["referrer-policy"] = "unsafe-url"),
      /header referrer-policy is: unsafe-url\. Expected: no-referrer/,
    ],
    ["a missing header", () => delete headers["referrer-policy"], /header referrer-policy is missing/],
    [
      "an added source in the policy",
      () => (headers["content-security-policy"] = `${policy} https://evil.example; frame-ancestors 'none'`),
      /content-security-policy, script-src is: 'sha256-x' https:\/\/evil\.example\. Expected: 'sha256-x'/,
    ],
    [
      "an added directive that takes precedence over ours",
      () => (headers["content-security-policy"] = `script-src *; ${policy}; frame-ancestors 'none'`),
      /script-src is: \*/,
    ],
    [
      "a directive that browsers ignore because of a no-break space",
      () => (headers["content-security-policy"] = `${policy.replace("src 's", "src\u00a0's")}; frame-ancestors 'none'`),
      /content-security-policy, script-src is missing/,
    ],
    ["a missing policy", () => delete headers["content-security-policy"], /header content-security-policy is missing/],
    [
      "a page that any site can embed",
      () => (headers["content-security-policy"] = policy),
      /frame-ancestors is missing/,
    ],
    [
      "a page that a foreign site can embed",
      () => (headers["content-security-policy"] = `${policy}; frame-ancestors https://evil.example`),
      /frame-ancestors is: https:\/\/evil\.example\. Expected: 'none'/,
    ],
    ["a cookie", () => (headers["set-cookie"] = "a=b"), /header set-cookie is unexpected/],
    ["a header that preloads a script", () => (headers["link"] = "</x.js>; rel=preload"), /header link is unexpected/],
    ...["speculation-rules", "content-security-policy-report-only", "reporting-endpoints", "alt-svc"].map(
      (name): [string, () => void, RegExp] => [
        `the header ${name}`,
        () => (headers[name] = 'h3="evil.example:443"'),
        new RegExp(`header ${name} is unexpected`),
      ],
    ),
    [
      "a file's cookie",
      () => (fileHeaders["set-cookie"] = "a=b"),
      /header set-cookie of script pay is unexpected: a=b/,
    ],
    [
      "a redirect",
      () => {
        status = 302;
        headers["location"] = "https://evil.example/";
      },
      /The page redirects to https:\/\/evil\.example\//,
    ],
    ["a redirected file", () => (fileStatus = 307), /The script pay redirects to nowhere/],
    ["a page that is too large", () => (pageOf = () => " ".repeat(3_000_000)), /The page is too large to check/],
    [
      "a script in spite of an error elsewhere",
      () => {
        pageOf = () => `${page("Pay")}<script src="https://evil.example/x.js"></script>`;
        fileStatus = 503;
      },
      /Unexpected script: from "https:\/\/evil\.example\/x\.js"[^]*pay\.js returned status 503[^]*incomplete/,
    ],
    [
      "a changed byte in the inline script",
      () => (pageOf = () => page("Pay").replace("Pay';", "Pax';")),
      /script checkout was changed: 21 bytes, sha256-.*Expected 21 bytes/,
    ],
    [
      "a changed byte in a style",
      () => (pageOf = () => page("Pay").replace("red", "rod")),
      /style checkout style was changed/,
    ],
    ["a changed byte in the HTML", () => (pageOf = () => page("Pay!")), /HTML doesn't match the build/],
    [
      "a changed byte in one language",
      () => (pageOf = (language) => page(language === "de" ? "Zahlem" : "Pay")),
      /HTML doesn't match the build/,
    ],
    [
      "an added script",
      () => (pageOf = () => `${page("Pay")}<script>steal()</script>`),
      /Unexpected script: of 7 bytes/,
    ],
    [
      "a script from another origin",
      () => (pageOf = () => `${page("Pay")}<script src="https://evil.example/x.js"></script>`),
      /Unexpected script: from "https:\/\/evil\.example\/x\.js"/,
    ],
    [
      "an event handler",
      () => (pageOf = () => `${page("Pay")}<img src=x onerror=steal()>`),
      /Unexpected markup: .*onerror/,
    ],
    [
      "a removed script",
      () => (pageOf = () => page("Pay").replace(/<script type="module">.*<\/script>/, "")),
      /script checkout is missing/,
    ],
    [
      "a changed hash in the import map",
      () => (pageOf = () => page("Pay").replace(hashes(later).sha256, hashes("steal()").sha256)),
      /script import map was changed/,
    ],
    [
      "a changed byte in an imported script",
      () => files.set("/assets/pay.js", later.replace("1", "2")),
      /script pay was changed/,
    ],
    ["a missing imported script", () => files.delete("/assets/pay.js"), /script pay is missing/],
    ["a changed file of texts", () => files.set("/assets/en.json", "{ }"), /file \/assets\/en\.json was changed/],
  ])("reports %s", async (_what, change, says) => {
    change();
    const { exit, printed } = await check();
    expect(exit).toBe(1);
    expect(printed).toMatch(says);
  });

  it("prints a report as JSON", async () => {
    headers["referrer-policy"] = "unsafe-url";
    const { exit, printed } = await check(origin, true);
    expect(exit).toBe(1);
    expect(JSON.parse(printed)).toEqual({
      checkout: origin,
      looked_at: "2030-01-01T00:00:00.000Z",
      same: false,
      pages: [
        {
          page: "checkout",
          url: `${origin}/c/cs_00000000000000000000000000`,
          differences: [
            {
              what: "header referrer-policy",
              expected: "no-referrer",
              found: "unsafe-url",
              says: "The header referrer-policy is: unsafe-url. Expected: no-referrer",
            },
          ],
        },
      ],
      files: { page: "files", looked: 2, differences: [] },
      failures: [],
    });
  });

  it("never prints control characters of the checked server", async () => {
    headers["referrer-policy"] = "\u009b2J";
    headers["content-security-policy"] = `${policy}; frame-ancestors 'none'; \u009b31m x`;
    pageOf = () => `${page("Pay")}<script src="//evil.example/\u202e\u009b.js"></script>`;
    for (const json of [false, true]) {
      const { printed } = await check(origin, json);
      expect(printed).toContain("[U+009B]2J");
      expect(printed).toContain("[U+202E]");
      expect(printed).not.toMatch(/[\u0080-\u009f\u202e]/);
    }
  });

  it.each<[string, () => void, RegExp]>([
    ["the service is unreachable", () => (pageOf = () => "unused"), /couldn't be fetched: .*ECONNREFUSED/],
    ["a page is an error", () => (status = 502), /returned status 502 instead of a page/],
    ["a file is an error", () => (fileStatus = 503), /pay\.js returned status 503 instead of a file/],
  ])("exits with 2 if %s, and nothing differs", async (what, change, says) => {
    change();
    const { exit, printed } = await check(what.includes("unreachable") ? "http://127.0.0.1:1" : origin);
    expect(exit).toBe(2);
    expect(printed).toMatch(says);
    expect(printed).not.toMatch(/match the build|differen/);
  });

  it.each<[string, () => Promise<Check>, RegExp]>([
    ["text that isn't a URL", () => check("pay"), /URL must be an embed_url/],
    ["a URL with another path", () => check(`${origin}/embed/v1/oriel.js`), /URL must be an embed_url/],
    ["a file URL", () => check("file:///etc/passwd"), /URL must be an embed_url/],
    [
      "a URL with a password",
      () => check(origin.replace("//", "//user:topsecret@")),
      /URL must be an embed_url(?!.*topsecret)/,
    ],
    ["a missing inventory", () => check(origin, false, "/nowhere.json"), /Can't read/],
    [
      "a file that isn't an inventory",
      () => check(origin, false, import.meta.filename),
      /isn't an inventory for this version of Oriel/,
    ],
    [
      "an inventory without a checkout page",
      () => {
        const partial = join(directory, "partial.json");
        writeFileSync(partial, JSON.stringify({ ...inventory, pages: [{ ...inventory.pages[0], page: "landing" }] }));
        return check(origin, false, partial);
      },
      /doesn't list the checkout page/,
    ],
  ])("fails with a message for %s", async (_what, run, says) => {
    const error = await run().catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(OperatorError);
    expect(String(error)).toMatch(says);
  });
});
