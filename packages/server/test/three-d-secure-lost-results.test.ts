/**
 * Tests challenge results that the bank couldn't deliver: one process at a time requests them, and they count as if
 * they had been delivered.
 */
import { afterEach, describe, expect, it } from "vitest";
import { createBank } from "@oriel/sandbox";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { requestResults } from "../src/payments/flow/recovery.ts";
import { sweep } from "../src/worker.ts";
import { completeChallenge, goBack, type WayBack } from "./setup/at-the-bank.ts";
import { openBankProxy } from "./setup/bank-proxy.ts";
import { openCheckout, payUpToChallenge, type Checkout } from "./setup/customer.ts";
import { bankKeys, startTestService, type Json } from "./setup/test-service.ts";
import { until } from "./setup/until.ts";

let requests: string[];
// This bank sends results with a wrong key, so the service accepts none of them.
const options = {
  origin: "http://bank.localhost:4100",
  ...bankKeys,
  resultsKey: "not-the-key-we-gave-the-bank",
  resultRetryDelaysMs: [],
};
const bank = await openForTests(createBank(options));
const line = await openForTests(openBankProxy(await bank.listen({ port: 0, host: "127.0.0.1" })));
const service = await openForTests(startTestService({ role: "api", bankUrl: line.url, pages: true }));
afterEach(() => {
  line.watch = () => "pass";
});

function countStatusChecks(): void {
  requests = [];
  line.watch = (request) => {
    if (request.startsWith("GET /directory-server/results/")) requests.push(request);
    return "pass";
  };
}

/** Runs a payment up to its challenge. The customer enters the code, or does nothing if it is null. */
async function challenged(
  code: string | null,
): Promise<{ checkout: Checkout; id: string; payment: Json; wayBack: WayBack | null }> {
  const checkout = await openCheckout(service);
  const { id, payment } = await payUpToChallenge(checkout);
  const wayBack = code === null ? null : await completeChallenge(service, payment, { code });
  countStatusChecks();
  return { checkout, id, payment, wayBack };
}

async function statusOf(checkout: Checkout, id: string): Promise<string> {
  return String((await checkout.payment(id)).body["payment"]?.["status"]);
}

function settled(checkout: Checkout, id: string): Promise<string> {
  return until("the payment to end", async () => {
    const status = await statusOf(checkout, id);
    return ["succeeded", "declined"].includes(status) ? status : null;
  });
}

const now = () => service.context.now();

describe("a result that wasn't delivered", () => {
  it.each([
    ["111111", "succeeded"],
    ["222222", "declined"],
  ])("is requested by a process that starts: code %s, payment %s", async (code, status) => {
    const { checkout, id } = await challenged(code);
    expect(await statusOf(checkout, id)).toBe("challenge");
    service.moveClock(1);
    await requestResults(service.context, now());
    expect(requests).toHaveLength(1);
    expect(await settled(checkout, id)).toBe(status);
  });

  it("is requested once by any number of processes that start at the same moment", async () => {
    const { checkout, id } = await challenged("111111");
    service.moveClock(1);
    const startedAt = now();
    await Promise.all(Array.from({ length: 8 }, () => requestResults(service.context, startedAt)));
    expect(requests).toHaveLength(1);
    expect(await settled(checkout, id)).toBe("succeeded");
  });

  it("is requested every thirty seconds by a running process until the customer has finished", async () => {
    const startedAt = now();
    service.moveClock(1);
    const { checkout, id, payment } = await challenged(null);
    await requestResults(service.context, startedAt);
    expect(requests).toEqual([]); // the challenge has only just started
    service.moveClock(30_001);
    await requestResults(service.context, startedAt);
    await requestResults(service.context, startedAt);
    expect(requests).toHaveLength(1);
    expect(await statusOf(checkout, id)).toBe("challenge");

    await completeChallenge(service, payment, { code: "111111" });
    service.moveClock(30_001);
    await requestResults(service.context, startedAt);
    expect(await settled(checkout, id)).toBe("succeeded");
  });

  it("is requested two seconds after the browser returned", async () => {
    const startedAt = now();
    const { checkout, id, wayBack } = await challenged("111111");
    if (wayBack === null) throw new Error("The bank's page has no form that leads back");
    await goBack(wayBack);
    expect(await statusOf(checkout, id)).toBe("authenticating");
    service.moveClock(2_001);
    await requestResults(service.context, startedAt);
    expect(await settled(checkout, id)).toBe("succeeded");
  });

  it.each([
    ["by the sweep", () => sweep(service.context)],
    ["by the polling page", null],
  ])("is requested before the timeout, %s", async (_name, end) => {
    const { checkout, id } = await challenged("111111");
    service.moveClock(11 * 60_000);
    await end?.();
    expect(await settled(checkout, id)).toBe("succeeded");
    expect(requests).toHaveLength(1);
  });

  it("counts as timed out if the bank doesn't have it either", async () => {
    const { checkout, id } = await challenged(null);
    service.moveClock(11 * 60_000);
    expect(await settled(checkout, id)).toBe("declined");
    expect((await service.call("GET", `/api/v1/decisions/${id}`)).body["three_d_secure"]).toMatchObject({
      result: "timed_out",
    });
    expect(requests).toHaveLength(1);
  });

  it("is requested again by the next sweep if the bank was silent", async () => {
    const { checkout, id } = await challenged("111111");
    line.watch = (request) => (request.includes("/results/") ? "lose" : "pass");
    service.moveClock(1);
    const startedAt = now();
    await requestResults(service.context, startedAt);
    expect(await statusOf(checkout, id)).toBe("challenge");
    countStatusChecks();
    await requestResults(service.context, startedAt);
    expect(requests).toHaveLength(1);
    expect(await settled(checkout, id)).toBe("succeeded");
  });

  it("counts as timed out if the bank never responds", async () => {
    const { checkout, id } = await challenged("111111");
    line.watch = (request) => (request.includes("/results/") ? "lose" : "pass");
    service.moveClock(11 * 60_000);
    expect(await settled(checkout, id)).toBe("declined");
  });
});
