/**
 * Checks the copyable webhook receivers as far as Node alone can. The vectors file must be up to date, the service's
 * signatures must match it, and the SDK and the Node receiver must agree with every vector. `npm run receivers` checks
 * the receivers in the other languages.
 */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { WebhookVerificationError, webhooks } from "@oriel/sdk";
import { describe, expect, it } from "vitest";
import { signatureHeaders } from "@oriel/webhook-signature";
import { folder, languages, node } from "./receivers/languages.ts";
import { makeVectors, vectorsText } from "./receivers/make-vectors.ts";
import { runVectors } from "./receivers/run-vectors.ts";
import { both, secrets } from "./receivers/sign-delivery.ts";
import { tryServer } from "./receivers/try-server.ts";

const read = (name: string) => readFileSync(new URL(`../docs/receivers/${name}`, import.meta.url), "utf8");
const { vectors } = makeVectors();

describe("the vectors", () => {
  it("match the file that is checked in", () => {
    expect(read("vectors.json")).toBe(vectorsText());
  });

  it("have unique names, exact bytes, and more rejected than accepted deliveries", () => {
    expect(new Set(vectors.map(({ name }) => name)).size).toBe(vectors.length);
    for (const { body, body_base64 } of vectors) expect(Buffer.from(body_base64, "base64").toString("utf8")).toBe(body);
    const refused = vectors.filter(({ verdict }) => verdict === "refused");
    expect(refused.length).toBeGreaterThan(vectors.length / 2);
    expect(refused.every(({ why }) => why !== null)).toBe(true);
  });

  it.each([[[secrets.current]], [[secrets.current, secrets.previous]]])(
    "have the same signatures as the service's with %j",
    (used) => {
      const body = '{"greeting":"Grüße, 世界 🍵"}';
      expect(signatureHeaders(used, "evt_1", 1_795_171_373, body)).toEqual(
        both({ with: used, at: 1_795_171_373, id: "evt_1", body }),
      );
    },
  );
});

describe("@oriel/sdk", () => {
  it.each(vectors)("returns $verdict for $name", ({ secret, now, headers, body, body_base64, why }) => {
    // The published vector of Standard Webhooks has a valid signature but isn't an Oriel event, which the SDK reports
    // afterwards.
    const expected = why ?? (body.includes('"object":"event"') ? "ok" : "body_malformed");
    const rawBody = Buffer.from(body_base64, "base64");
    expect(sdkVerdict(() => webhooks.verify(rawBody, headers, secret, { now: now * 1000 }))).toBe(expected);
  });
});

describe("the Node receiver", () => {
  it("agrees with every vector", async () => {
    expect(await runVectors(node, vectors)).toEqual({ passed: vectors.length, failures: [] });
  }, 60_000);

  it("accepts genuine requests over HTTP and rejects the rest", async () => {
    expect(await tryServer(node)).toEqual({ passed: 14, failures: [] });
  }, 60_000);

  it("works when it's started through a symbolic link", async () => {
    const directory = mkdtempSync(join(tmpdir(), "oriel-receiver-"));
    try {
      symlinkSync(join(folder, "receive.mjs"), join(directory, "receive.mjs"));
      expect(await tryServer(node, directory)).toEqual({ passed: 14, failures: [] });
    } finally {
      rmSync(directory, { recursive: true });
    }
  }, 60_000);
});

describe("a failed vector", () => {
  it("is reported by name, even if the receiver printed no verdict for it", async () => {
    const [first, second] = vectors;
    if (first === undefined || second === undefined) throw new Error("Bug: no vectors");
    const wrong = [
      { ...first, why: "signature_mismatch" as const },
      { ...second, name: "not in the file" },
    ];
    expect((await runVectors(node, wrong)).failures).toEqual([
      `${first.name}: returned ok, expected signature_mismatch`,
      "not in the file: returned nothing, expected ok",
    ]);
  }, 60_000);
});

describe("docs/receivers/README.md", () => {
  const text = read("README.md");

  it("names every language's file, each with a server and a verify function", () => {
    const files = [...text.matchAll(/\]\((receive\.[a-z]+)\)/g)].map(([, name]) => name ?? "");
    expect(files).toHaveLength(languages.length);
    for (const name of files) expect(read(name)).toMatch(/\bverify\(/);
  });

  it("has SQL that processes each event once and keeps only an object's newest state, whatever the order of events", async () => {
    const [tables, remember, isNewest] = [...text.matchAll(/```sql\n([\s\S]*?)```/g)].map(
      ([, statement]) => statement ?? "",
    );
    const db = await PGlite.create();
    await db.exec(tables ?? "");
    const changed = async (statement: string | undefined, values: unknown[]) =>
      (await db.query(statement ?? "", values)).affectedRows;

    expect(await changed(remember, ["evt_1", "{}"])).toBe(1);
    expect(await changed(remember, ["evt_1", "{}"])).toBe(0);
    const used: number[] = [];
    for (const sequence of [2, 1, 2, 4, 3, 5])
      if ((await changed(isNewest, ["ch_1", sequence])) === 1) used.push(sequence);
    expect(used).toEqual([2, 4, 5]);
    expect(await changed(isNewest, ["ch_2", 1])).toBe(1);
    await db.close();
  }, 60_000);
});

function sdkVerdict(verify: () => unknown): string {
  try {
    verify();
    return "ok";
  } catch (error) {
    if (error instanceof WebhookVerificationError) return error.code;
    throw error;
  }
}
