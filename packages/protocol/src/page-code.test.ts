import { describe, expect, it } from "vitest";
import { codeOf, readImportMap } from "./page-code.ts";

const none = { scripts: [], styles: [], others: [] };

describe("codeOf", () => {
  it("returns scripts and styles in order and byte for byte", () => {
    const html = `<!doctype html><head><style>a{b:c}</style><script type="importmap">{}</script></head>
      <body><p>Words &amp; more</p><script type="module">let a="<style>x</style>"\n</script><script src='https://x.example/y.js' async></script></body>`;
    expect(codeOf(html)).toEqual({
      scripts: [
        { type: "importmap", src: null, text: "{}" },
        { type: "module", src: null, text: `let a="<style>x</style>"\n` },
        { type: "", src: "https://x.example/y.js", text: "" },
      ],
      styles: ["a{b:c}"],
      others: [],
    });
  });

  it.each([
    ["never closed", "<script>steal()"],
    ["in capitals", "<SCRIPT>steal()</SCRIPT >"],
    ["after an attribute that contains a bracket", `<script data-a="</script>" data-b='>'>steal()</script>`],
    ["closed with a slash", "<script>steal()</script/>"],
    ["opened with a slash instead of a space", "<script/x>steal()</script>"],
  ])("finds a script that is %s", (_what, html) => {
    expect(codeOf(html).scripts.map(({ text }) => text)).toEqual(["steal()"]);
  });

  it.each([
    `<img src=x onerror=steal()>`,
    `<p onclick="steal()">`,
    `<svg/onload=steal()>`,
    `<a href="javascript:steal()">`,
    `<iframe srcdoc="x">`,
    `<base href="https://x.example/">`,
    `<link rel="stylesheet" href="/x.css">`,
    `<link rel=modulepreload href=/x.js>`,
    `<link rel="expect" href="/x#live">`,
    `<meta http-equiv="refresh" content="0;url=https://x.example">`,
    `<form action="https://x.example">`,
    `<button formaction=https://x.example>`,
    `<object data=x>`,
    `<p style="background:url(x)">`,
  ])("reports %s", (tag) => {
    expect(codeOf(`<p>a</p>${tag}<p>b</p>`)).toEqual({ ...none, others: [tag] });
  });

  it("finds nothing in markup that only shows text", () => {
    const html = `<script type="application/json" id="texts">{"a":"b"}</script><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="expect" href="#live" blocking="render"><form id="f"><input name="on"><button>Pay</button></form>`;
    expect(codeOf(html)).toEqual(none);
  });

  it("takes linear time for a page crafted to be slow", () => {
    const html = `${"<script".repeat(20_000)}${"<p ".repeat(20_000)}`;
    expect(codeOf(html).scripts.length).toBeLessThan(2);
  });
});

describe("readImportMap", () => {
  it("returns names, URLs and hashes", () => {
    const map = { imports: { pay: "/a.js", bank: "/b.js" }, integrity: { "/a.js": "sha256-x" } };
    expect(readImportMap(JSON.stringify(map))).toEqual([
      ["pay", "/a.js", "sha256-x"],
      ["bank", "/b.js", null],
    ]);
  });

  it("returns null for invalid JSON and nothing for an empty map", () => {
    expect(readImportMap("{")).toBeNull();
    for (const text of ["{}", "null", "[]", `{"imports":7}`]) expect(readImportMap(text)).toEqual([]);
  });
});
