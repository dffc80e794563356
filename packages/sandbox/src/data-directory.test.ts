import { appendFile, readFile, rename, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { temporaryDirectory } from "../../../scripts/test/temporary-directory.ts";
import { areqFor, cardRequest, createTestBank, get, post } from "../test/bank-client.ts";

const address = "/acquirer/authorizations";

const ledger = async (of: FastifyInstance): Promise<Authorization[]> => (await get(of, address)).json().authorizations;

describe("a ledger in a directory", () => {
  let directory: string;
  let file: string;
  beforeEach(async () => {
    directory = temporaryDirectory(onTestFinished);
    file = join(directory, "books.jsonl");
  });

  /** Runs `use` with a bank on the directory and closes the bank afterwards. */
  async function withBank<T>(use: (bank: FastifyInstance) => Promise<T>): Promise<T> {
    const opened = await createTestBank({ dataDirectory: directory });
    try {
      return await use(opened);
    } finally {
      await opened.close();
    }
  }

  test("keeps request counts and used references across a restart", async () => {
    const [approved, declined] = [cardRequest("4242424242424242"), cardRequest("4000000000000002")];
    const before = await withBank(async (first) => {
      for (const request of [approved, declined, approved]) await post(first, address, request);
      return ledger(first);
    });
    expect(before).toMatchObject([{ requests: 2 }, { status: "declined", requests: 1 }]);
    await withBank(async (second) => {
      expect(await ledger(second)).toEqual(before);
      expect((await post(second, address, approved)).json()).toEqual({ ...before[0], requests: 3 });
      expect((await post(second, address, { ...approved, amount: 1 })).statusCode).toBe(409);
    });
  });

  test("keeps an authorization's state across a restart and refuses a second capture", async () => {
    const kinds = ["authorizations", "captures", "cancels", "refunds"];
    const all = async (of: FastifyInstance) =>
      Promise.all(kinds.map(async (kind) => (await get(of, `/acquirer/${kind}`)).json()));
    const [paid, canceled] = [1, 2].map(() => cardRequest("4000000000005126", { capture: false }));
    if (!paid || !canceled) throw new Error("Bug: two requests");
    const capture = { reference: "capture-1", authorization: paid.reference, amount: 4000 };
    const before = await withBank(async (first) => {
      for (const request of [paid, canceled]) await post(first, address, request);
      await post(first, "/acquirer/captures", capture);
      await post(first, "/acquirer/captures", capture);
      await post(first, "/acquirer/cancels", { reference: "cancel-1", authorization: canceled.reference });
      await post(first, "/acquirer/refunds", { reference: "refund-1", authorization: paid.reference, amount: 1 });
      return all(first);
    });
    expect(before).toMatchObject([
      { authorizations: [{ amount_captured: 4000, amount_refunded: 0 }, { canceled: true }] },
      { captures: [{ status: "approved", requests: 2 }] },
      { cancels: [{ status: "approved" }] },
      { refunds: [{ status: "declined", decline_code: "generic_decline" }] },
    ]);
    await withBank(async (second) => {
      expect(await all(second)).toEqual(before);
      const again = await post(second, "/acquirer/captures", { ...capture, reference: "capture-2", amount: 1 });
      expect(again.json()).toMatchObject({ status: "declined", decline_code: "transaction_not_allowed" });
      // The account still refuses the refund, although its card number isn't stored.
      const refund = await post(second, "/acquirer/refunds", { ...capture, reference: "refund-2", amount: 1 });
      expect(refund.json()).toMatchObject({ status: "declined", decline_code: "generic_decline" });
      expect((await post(second, "/acquirer/refunds", capture)).statusCode).toBe(409);
    });
  });

  test("imports the ledger of an older bank, which had authorizations only", async () => {
    const [taken, reserved] = [cardRequest("4242424242424242"), cardRequest("4242424242424242", { capture: false })];
    const before = await withBank(async (first) => {
      for (const request of [taken, reserved, taken]) await post(first, address, request);
      return ledger(first);
    });
    const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    await writeFile(file, lines.map((line) => `${olderLine(line)}\n`).join(""));
    await rename(file, join(directory, "authorizations.jsonl"));
    await withBank(async (second) => {
      expect(await ledger(second)).toEqual(before);
      expect((await post(second, address, taken)).json()).toMatchObject({ requests: 3, amount_captured: 4900 });
      const refund = { reference: "refund-1", authorization: taken.reference, amount: 4900 };
      expect((await post(second, "/acquirer/refunds", refund)).json()).toMatchObject({ status: "approved" });
    });
    expect(await withBank(ledger)).toMatchObject([{ amount_refunded: 4900 }, { amount_captured: 0 }]);
  });

  test("reads entries of an earlier version, which called the response `answer`", async () => {
    const before = await withBank(async (first) => {
      await post(first, address, cardRequest("4242424242424242"));
      return ledger(first);
    });
    const written = await readFile(file, "utf8");
    expect(written).toContain('"response":');
    await writeFile(file, written.replaceAll('"response":', '"answer":'));
    expect(await withBank(ledger)).toEqual(before);
  });

  test("recognizes proofs that were issued before a restart", async () => {
    const ares = await withBank(async (first) =>
      (await post(first, "/directory-server", areqFor("4000000032200000"))).json(),
    );
    const proof = { eci: ares.eci, authentication_value: ares.authenticationValue, ds_trans_id: ares.dsTransID };
    const request = cardRequest("4000000032200000", { three_d_secure: proof });
    const response = await withBank(async (second) => (await post(second, address, request)).json());
    expect(response.authenticated).toBe(true);
  });

  test("contains no card number, CVC or expiry and is readable only by its owner", async () => {
    await withBank((opened) => post(opened, address, cardRequest("4000002760003184")));
    const text = await readFile(file, "utf8");
    expect(text).toContain('"last4":"3184"');
    expect(text).not.toContain("40000027");
    expect(text).not.toMatch(/\b(737|2040)\b|exp_|"cvc"|number/);
    for (const name of ["books.jsonl", "bank.key"]) {
      expect((await stat(join(directory, name))).mode & 0o777).toBe(0o600);
    }
  });

  test("drops a partial last line, which was never acknowledged, and continues", async () => {
    const [whole, torn, next] = [1, 2, 3].map(() => cardRequest("4242424242424242"));
    if (!whole || !torn || !next) throw new Error("Bug: three requests");
    await withBank(async (first) => {
      await post(first, address, whole);
      await post(first, address, torn);
    });
    await truncate(file, (await stat(file)).size - 20);
    await withBank(async (second) => {
      expect(await ledger(second)).toMatchObject([{ reference: whole.reference }]);
      await post(second, address, next);
    });
    const stored = await withBank(ledger);
    expect(stored.map((authorization) => authorization.reference)).toEqual([whole.reference, next.reference]);
  });

  test("can be open in only one bank at a time, so that its lines never contradict each other", async () => {
    await withBank(async (first) => {
      await post(first, address, cardRequest("4242424242424242"));
      await expect(createTestBank({ dataDirectory: directory })).rejects.toThrow(
        `${directory} is open in process ${process.pid}. Stop that process, or choose another BANK_DATA_DIR.`,
      );
    });
    expect(await withBank(ledger)).toHaveLength(1);
  });

  test("gets a new secret if the first start was killed before it wrote one, but not if there's a ledger", async () => {
    const key = join(directory, "bank.key");
    await writeFile(key, "");
    await withBank((first) => post(first, address, cardRequest("4242424242424242")));
    expect(await readFile(key)).toHaveLength(32);
    await truncate(key, 0);
    await expect(createTestBank({ dataDirectory: directory })).rejects.toThrow("bank.key is damaged");
  });

  test("keeps the bank from starting when a line is unreadable", async () => {
    await withBank((first) => post(first, address, cardRequest("4242424242424242")));
    for (const line of [
      "not json",
      "{}",
      '{"kind":"repeat","reference":"unknown"}',
      '{"kind":"authorization","fingerprint":"x"}',
      '{"kind":"authorization","fingerprint":"x","authorization":{"reference":"a"}}',
      '{"kind":"capture","fingerprint":"x","response":{"reference":"c","status":"approved","requests":1,"amount":1,"authorization":"unknown"}}',
      '{"kind":"gift","fingerprint":"x","response":{"reference":"c","status":"approved","requests":1}}',
      (await readFile(file, "utf8")).trimEnd(),
    ]) {
      const size = (await stat(file)).size;
      await appendFile(file, `${line}\n`);
      await expect(createTestBank({ dataDirectory: directory })).rejects.toThrow(
        "Line 2 of the bank's ledger is unreadable",
      );
      await truncate(file, size);
    }
    expect(await withBank(ledger)).toHaveLength(1);
  });
});

/** A line in the older bank's format, which had fewer fields. */
function olderLine(text: string): string {
  const { response, refuses: _unknownThen, ...line } = JSON.parse(text);
  if (response === undefined) return text;
  const { amount_captured: _captured, amount_refunded: _refunded, canceled: _canceled, ...authorization } = response;
  return JSON.stringify({ ...line, authorization });
}
