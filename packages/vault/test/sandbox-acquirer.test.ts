/**
 * The sandbox bank and its connector fulfill the contract, and the connector never accepts an invalid response as a
 * result.
 */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { createBank } from "@oriel/sandbox";
import type { AcquirerWithLookup, OperationKind } from "../src/connectors/acquirer.ts";
import { isOutcomeUnknown } from "../src/connectors/errors.ts";
import { connectSandbox } from "../src/connectors/sandbox/connect-sandbox.ts";
import { describeAcquirerContract, describeLookups, type AcquirerUnderTest } from "./acquirer-contract.ts";
import { authorization } from "./authorization.ts";

const apiKey = "the-key-the-bank-gave-us";
const card = (number: string) => ({ number, expMonth: 12, expYear: 2040, cvc: "737" });

interface SandboxUnderTest extends AcquirerUnderTest {
  acquirer: AcquirerWithLookup;
  /** The merchant of an authorization in the sandbox's records, or null if none was given. */
  merchantOf(reference: string): Promise<string | null>;
  addFault(kind: OperationKind | "lookup", reference: string, fault: string): Promise<void>;
  /** How many authorization requests the bank received for a reference. */
  requestsOf(reference: string): Promise<number>;
}

async function startSandbox(): Promise<SandboxUnderTest> {
  const server = await createBank({
    origin: "http://bank.localhost:5997",
    apiKey,
    resultsKey: "the-key-we-gave-the-bank",
  });
  const url = await server.listen({ port: 0, host: "127.0.0.1" });
  const addFault = async (kind: OperationKind | "lookup", reference: string, fault: string) => {
    const rule = { match: { kind: kind === "authorize" ? "authorization" : kind, reference }, fault, times: 1 };
    await callSandbox(url, "/sandbox/faults", { rules: [rule] });
  };
  const inBooks = async (reference: string) => {
    // The bank's published format.
    const ledger = (await callSandbox(url, "/acquirer/authorizations")) as { authorizations: Authorization[] };
    return ledger.authorizations.find((authorization) => authorization.reference === reference);
  };
  return {
    acquirer: connectSandbox({
      mode: "test",
      url,
      apiKey,
      moneyTimeoutMs: 1_000,
      queryTimeoutMs: 2_000,
      now: () => new Date(),
      warn: () => {},
    }).acquirer,
    approvedCard: card("4242424242424242"),
    declinedCard: card("4000000000009995"),
    declineCode: "insufficient_funds",
    async moneyOf({ reference }) {
      const found = await inBooks(reference);
      if (found === undefined) return null;
      const isReserved = found.status === "approved" && !found.canceled && found.amount_captured === 0;
      return {
        reserved: isReserved ? found.amount : 0,
        captured: found.amount_captured,
        refunded: found.amount_refunded,
      };
    },
    merchantOf: async (reference) => (await inBooks(reference))?.merchant_id ?? null,
    notified: () => Promise.reject(new Error("The sandbox decides at once")),
    requestsOf: async (reference) => (await inBooks(reference))?.requests ?? 0,
    loseResponse: (kind, reference, when) =>
      addFault(kind, reference, when === "before" ? "timeout_before" : "timeout_after"),
    addFault,
    close: () => server.close(),
  };
}

async function callSandbox(url: string, path: string, body?: object): Promise<unknown> {
  const response = await fetch(`${url}${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (response.status !== 200)
    throw new Error(`The sandbox returned ${response.status} for ${path}: ${await response.text()}`);
  return await response.json();
}

describeAcquirerContract("the sandbox", "immediate", startSandbox);
describeLookups("the sandbox", startSandbox);

describe("the merchant of an authorization", () => {
  it("is recorded, and a used reference isn't charged again for another merchant", async () => {
    const sandbox = await startSandbox();
    try {
      const reference = `att_${randomUUID()}`;
      const request = { ...authorization, reference, card: sandbox.approvedCard, merchantId: "kiln-1" };
      expect(await sandbox.acquirer.authorize(request)).toMatchObject({ status: "approved" });
      expect(await sandbox.merchantOf(reference)).toBe("kiln-1");
      await sandbox.acquirer.authorize({ ...request, merchantId: "kiln-2" });
      expect(await sandbox.merchantOf(reference)).toBe("kiln-1");
      expect(await sandbox.moneyOf({ reference })).toEqual({ reserved: 0, captured: 4900, refunded: 0 });
    } finally {
      await sandbox.close();
    }
  });
});

describe("a faulty bank", () => {
  // `late` is later than the connector's timeout.
  const silences = ["timeout_before", "timeout_after", "error_before", "error_after", "down", "late", "garbage"];
  it.each(silences)("with the fault %s leaves the outcome unknown until a retry, which charges once", async (fault) => {
    const sandbox = await startSandbox();
    try {
      const reference = `att_${randomUUID()}`;
      const request = { ...authorization, reference, card: sandbox.approvedCard };
      await sandbox.addFault("authorize", reference, fault);
      const error = await sandbox.acquirer.authorize(request).catch((thrown: unknown) => thrown);
      expect(isOutcomeUnknown(error)).toBe(true);
      expect(await sandbox.acquirer.authorize(request)).toMatchObject({ status: "approved" });
      expect(await sandbox.moneyOf({ reference })).toEqual({ reserved: 0, captured: 4900, refunded: 0 });
    } finally {
      await sandbox.close();
    }
  });

  it("that responds twice doesn't affect the next request", async () => {
    const sandbox = await startSandbox();
    try {
      const references = Array.from({ length: 5 }, () => `att_${randomUUID()}`);
      const request = { ...authorization, card: sandbox.approvedCard };
      for (const reference of references) {
        await sandbox.addFault("authorize", reference, "answer_twice");
        const response = sandbox.acquirer.authorize({ ...request, reference }).then(({ status }) => status);
        const received = await response.catch((error: unknown) => isOutcomeUnknown(error) && "silence");
        // Two responses to one request may break the connection, which makes the outcome unknown. They must never count
        // for another request.
        expect(["approved", "silence"]).toContain(received);
        expect(await sandbox.acquirer.unknownOutcome.lookup("authorize", reference)).toMatchObject({
          status: "approved",
        });
        expect(await sandbox.requestsOf(reference)).toBe(1);
      }
    } finally {
      await sandbox.close();
    }
  });

  it.each(["timeout_before", "error_before", "down", "garbage"])(
    "with the fault %s in a lookup doesn't count as having no record",
    async (fault) => {
      const sandbox = await startSandbox();
      try {
        const { lookup } = sandbox.acquirer.unknownOutcome;
        await sandbox.addFault("lookup", "att_1", fault);
        const error = await lookup("authorize", "att_1").catch((thrown: unknown) => thrown);
        expect(isOutcomeUnknown(error)).toBe(true);
        expect(await lookup("authorize", "att_1")).toBeNull();
      } finally {
        await sandbox.close();
      }
    },
    20_000,
  );
});
