/** Runs the code in docs/receivers.md that needs no library: the Python function that verifies a webhook, and the SQL. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { PGlite } from "@electric-sql/pglite";
import { describe, expect, it } from "vitest";
import { signatureHeaders } from "@oriel/webhook-signature";

const text = readFileSync(new URL("../docs/receivers.md", import.meta.url), "utf8");
const hasPython = spawnSync("python3", ["--version"]).status === 0;

describe.skipIf(!hasPython)("the function in Python", () => {
  const secretOf = (key: string) => `whsec_${Buffer.from(key).toString("base64")}`;
  const [secret, oldSecret, otherSecret] = ["current", "previous", "another"].map((name) =>
    secretOf(`the ${name} signing secret`.padEnd(32)),
  ) as [string, string, string]; // one for each name
  const body = '{"id":"evt_1","description":"Grüße, 世界 🍵"}';
  const now = Math.floor(Date.now() / 1000);
  const sign = (secrets = [secret], at = now) => signatureHeaders(secrets, "evt_1", at, body);
  const replaced = (value: string) => ({ ...sign(), "webhook-signature": value });

  it.each<[string, Record<string, string>]>([
    ["a current webhook", sign()],
    ["both secrets of a rotation, the old one first", sign([oldSecret, secret])],
    ["a signature of an unknown version first", replaced(`v2,AAAA ${sign()["webhook-signature"]}`)],
    ["a webhook of nearly five minutes ago", sign([secret], now - 280)],
  ])("returns the event for %s", (_what, headers) => {
    expect(verify(headers, body, secret)).toEqual(JSON.parse(body));
  });

  it.each<[string, Record<string, string>, string?, string?]>([
    ["another body", sign(), `${body} `],
    ["another endpoint's secret", sign([otherSecret])],
    ["another ID than was signed", { ...sign(), "webhook-id": "evt_2" }],
    ["another timestamp than was signed", { ...sign(), "webhook-timestamp": String(now - 1) }],
    ["a timestamp in words", { ...sign(), "webhook-timestamp": "now" }],
    ["no signature", {}],
    ["an empty signature", replaced("")],
    ["a truncated signature", replaced(sign()["webhook-signature"]?.slice(0, -4) ?? "")],
    ["a webhook of an hour ago", sign([secret], now - 3600)],
    ["a webhook of an hour ahead", sign([secret], now + 3600)],
    ["an empty secret", sign([""]), body, ""],
    ["a secret without a key", sign(["whsec_"]), body, "whsec_"],
    ["a secret that's too short", sign([secretOf("too short")]), body, secretOf("too short")],
  ])("refuses %s", (_what, headers, received = body, key = secret) => {
    expect(verify(headers, received, key)).toBe("refused");
  });

  function verify(headers: Record<string, string>, received: string, key: string): unknown {
    const [code] = blocks("python").filter((block) => block.includes("def verify("));
    const call = `import sys
try:
    print(json.dumps(verify(*[part.encode() if i == 0 else part for i, part in enumerate(json.load(sys.stdin))])))
except (KeyError, ValueError):
    print('"refused"')`;
    const input = JSON.stringify([received, headers, key]);
    return JSON.parse(execFileSync("python3", ["-c", `${code}\n${call}`], { input, encoding: "utf8" }));
  }
});

describe("the SQL", () => {
  it("stores each event once and keeps only an object's newest state, whatever the order of events", async () => {
    const [tables = "", insertEvent = "", isNewest = ""] = blocks("sql");
    const db = await PGlite.create();
    await db.exec(tables);
    const changed = async (statement: string, values: unknown[]) => (await db.query(statement, values)).affectedRows;

    expect(await changed(insertEvent, ["evt_1", "{}"])).toBe(1);
    expect(await changed(insertEvent, ["evt_1", "{}"])).toBe(0);
    const used: number[] = [];
    for (const sequence of [2, 1, 2, 4, 3, 5])
      if ((await changed(isNewest, ["ch_1", sequence])) === 1) used.push(sequence);
    expect(used).toEqual([2, 4, 5]);
    expect(await changed(isNewest, ["ch_2", 1])).toBe(1);
    await db.close();
  }, 60_000);
});

function blocks(language: string): string[] {
  return [...text.matchAll(new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``, "g"))].map(([, code]) => code ?? "");
}
