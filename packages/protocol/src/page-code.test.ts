import { describe, expect, it } from "vitest";
import { codeOf, readImportMap } from "./page-code.ts";

const none = { scripts: [], styles: [], others: [] };

describe("what runs in a page", () => {
  it("is its scripts and styles, in their order and byte for byte", () => {
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
    ["with an attribute that holds a bracket", `<script data-a="</script>" data-b='>'>steal()</script>`],
    ["closed with a slash", "<script>steal()</script/>"],
    ["with a slash for a space", "<script/x>steal()</script>"],
  ])("has a script that is %s", (_what, html) => {
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
  ])("names %s", (tag) => {
    expect(codeOf(`<p>a</p>${tag}<p>b</p>`)).toEqual({ ...none, others: [tag] });
  });

  it("is nothing in markup that only shows words", () => {
    const html = `<script type="application/json" id="texts">{"a":"b"}</script><meta charset="utf-8"><meta name="viewport" content="width=device-width"><link rel="icon" href="data:,"><link rel="expect" href="#live" blocking="render"><form id="f"><input name="on"><button>Pay</button></form>`;
    expect(codeOf(html)).toEqual(none);
  });

  it("takes no longer for a page that was made to be slow", () => {
    const html = `${"<script".repeat(20_000)}${"<p ".repeat(20_000)}`;
    expect(codeOf(html).scripts.length).toBeLessThan(2);
  });
});

describe("an import map", () => {
  it("is read as names, addresses and hashes", () => {
    const map = { imports: { pay: "/a.js", bank: "/b.js" }, integrity: { "/a.js": "sha256-x" } };
    expect(readImportMap(JSON.stringify(map))).toEqual([
      ["pay", "/a.js", "sha256-x"],
      ["bank", "/b.js", null],
    ]);
  });

  it("that is none says so, and one of nothing has nothing", () => {
    expect(readImportMap("{")).toBeNull();
    for (const text of ["{}", "null", "[]", `{"imports":7}`]) expect(readImportMap(text)).toEqual([]);
  });
});
