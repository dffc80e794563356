import { createHash } from "node:crypto";
import { Check } from "typebox/value";
import { describe, expect, it } from "vitest";
import { ScriptInventory } from "@oriel/protocol/script-inventory";
import { scriptInventory } from "./inventory.ts";

const pay = "export const pay=1;";
const hash = `sha256-${createHash("sha256").update(pay).digest("base64")}`;
const map = (imports: Record<string, string> = { pay: "/assets/pay.js" }) =>
  `<script type="importmap">${JSON.stringify({ imports, integrity: { "/assets/pay.js": hash } })}</script>`;
const page = (words: string, more = map()) =>
  `<!doctype html><style>p{color:red}</style>${more}<script>listen()</script><p>${words}</p><script type="application/json">{"a":"${words}"}</script><script type="module">form()</script>`;

const pages = { checkout: { html: { en: "checkout.en.html", de: "checkout.de.html" } } };
const build = (changes: Record<string, string> = {}) =>
  new Map(
    Object.entries({
      "/checkout.en.html": page("Pay"),
      "/checkout.de.html": page("Zahlen"),
      "/assets/pay.js": pay,
      "/assets/texts/1/en.json": "{}",
      ...changes,
    }),
  );

describe("the script inventory", () => {
  const inventory = scriptInventory(pages, build());
  const [checkout] = inventory.pages;

  it("has the format that the monitor expects", () => {
    expect(Check(ScriptInventory, inventory)).toBe(true);
  });

  it("lists every document by language and each script once, with hash, purpose and justification", () => {
    expect(checkout?.documents.map(({ file, language }) => [file, language])).toEqual([
      ["checkout.en.html", "en"],
      ["checkout.de.html", "de"],
    ]);
    expect(checkout?.scripts.map(({ name, kind, url }) => [name, kind, url])).toEqual([
      ["import map", "import map", null],
      ["pay", "imported", "/assets/pay.js"],
      ["checkout fields", "inline", null],
      ["checkout", "inline", null],
    ]);
    expect(checkout?.scripts[1]).toMatchObject({
      sha256: hash,
      bytes: pay.length,
      sha384: expect.stringMatching(/^sha384-.{64}$/),
    });
    for (const { purpose, justification } of checkout?.scripts ?? []) {
      expect(purpose).not.toBe("");
      expect(justification).not.toBe("");
    }
    expect(checkout?.styles.map(({ name }) => name)).toEqual(["checkout style"]);
    expect(inventory.data.map(({ url }) => url)).toEqual(["/assets/texts/1/en.json"]);
  });

  it("lists the headers, with every script in the CSP and without session data", () => {
    const policy = checkout?.headers["content-security-policy"];
    for (const { sha256 } of checkout?.scripts ?? []) expect(policy).toContain(`'${sha256}'`);
    expect(policy).not.toContain("frame-ancestors");
    expect(checkout?.held_by).toBe("allowed_origins");
  });
});

describe("the inventory refuses a build", () => {
  it.each<[string, Record<string, string>, RegExp]>([
    [
      "with a script that has no documented purpose",
      { "/checkout.en.html": page("Pay", map({ pay: "/assets/pay.js", spy: "/assets/pay.js" })) },
      /"spy" has no purpose/,
    ],
    [
      "that imports a missing file",
      { "/checkout.en.html": page("Pay", map({ pay: "/assets/other.js" })) },
      /other\.js, which wasn.t built/,
    ],
    [
      "that loads a script from its HTML",
      { "/checkout.en.html": page(`<script src="/x.js"></script>`) },
      /loads \/x\.js from its HTML/,
    ],
    ["with an event handler in its markup", { "/checkout.en.html": page(`<p onclick="x()">`) }, /onclick/],
    ["with a script that no page names", { "/assets/spy.js": "spy()" }, /spy\.js is built, but is neither/],
  ])("%s", (_what, changes, says) => {
    expect(() => scriptInventory(pages, build(changes))).toThrow(says);
  });

  it("with a page that has no documented purpose", () => {
    expect(() => scriptInventory({ spy: { html: "checkout.en.html" } }, build())).toThrow(/page "spy" has no purpose/);
  });
});
