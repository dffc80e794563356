import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { apiKey, cardRequest, createTestBank, get, post } from "../../test/bank-client.ts";
import { createManualClock, type ManualClock } from "../../test/manual-clock.ts";
import { connectRaw, type RawClient } from "../../test/raw-client.ts";
import type { Rule } from "./faults.ts";

const address = "/acquirer/authorizations";

let clock: ManualClock;
let bank: FastifyInstance;
let url: string;
let client: RawClient;
beforeEach(async () => {
  clock = createManualClock();
  bank = await createTestBank({ clock });
  url = await bank.listen({ port: 0, host: "127.0.0.1" });
  client = await connectRaw(url);
});
afterEach(async () => {
  client.close();
  await bank.close();
});

const addFault = (fault: Rule["fault"], match: Rule["match"] = {}) =>
  post(bank, "/sandbox/faults", { rules: [{ match, fault }] });

/** The first rule's number of strikes. */
const struck = async () => (await get(bank, "/sandbox/faults")).json().rules[0].struck;

/** References in the ledger. Faults don't affect the ledger's lists. */
const entered = async (kind = "authorizations"): Promise<string[]> =>
  (await get(bank, `/acquirer/${kind}`)).json()[kind].map(({ reference }: { reference: string }) => reference);

const wholeResponse = /^HTTP\/1\.1 200 OK\r\n[\s\S]*"status":"approved"[\s\S]*}$/;

/** A well-formed request for each operation, and the list in which it would appear. */
const requests: [kind: string, request: () => Promise<{ reference: string }>][] = [
  ["authorizations", async () => cardRequest("4242424242424242")],
  ["captures", async () => ({ reference: "c1", authorization: await authorized(false), amount: 1 })],
  ["cancels", async () => ({ reference: "c1", authorization: await authorized(false) })],
  ["refunds", async () => ({ reference: "r1", authorization: await authorized(true), amount: 1 })],
];
async function authorized(capture: boolean): Promise<string> {
  const request = cardRequest("4242424242424242", { capture });
  await post(bank, address, request);
  return request.reference;
}

describe.each(requests)("a fault for %s", (kind, make) => {
  test("timeout_before doesn't run the operation and never responds", async () => {
    const request = await make();
    await addFault("timeout_before");
    client.send(`/acquirer/${kind}`, request);
    await vi.waitFor(async () => expect(await struck()).toBe(1));
    expect(await entered(kind)).not.toContain(request.reference);
    await bank.close();
    expect(await client.ended).toBe("");
  });

  test("timeout_after runs the operation and never responds", async () => {
    const request = await make();
    await addFault("timeout_after");
    client.send(`/acquirer/${kind}`, request);
    await vi.waitFor(async () => expect(await entered(kind)).toContain(request.reference));
    expect((await get(bank, `/acquirer/${kind}/${request.reference}`)).json()).toMatchObject({ status: "approved" });
    await bank.close();
    expect(await client.ended).toBe("");
  });

  test.each(["error_before", "error_after"] as const)(
    "%s responds 500 without saying whether the operation ran",
    async (fault) => {
      const request = await make();
      await addFault(fault);
      client.send(`/acquirer/${kind}`, request);
      await vi.waitFor(() =>
        expect(client.received()).toMatch(/^HTTP\/1\.1 500 [\s\S]*The bank encountered an internal error[\s\S]*}}$/),
      );
      expect((await entered(kind)).includes(request.reference)).toBe(fault === "error_after");
    },
  );

  test("down closes the connection without a response and doesn't run the operation", async () => {
    const request = await make();
    await addFault("down");
    client.send(`/acquirer/${kind}`, request);
    expect(await client.ended).toBe("");
    expect(await entered(kind)).not.toContain(request.reference);
  });

  test("late runs the operation immediately and responds after the delay", async () => {
    const request = await make();
    await post(bank, "/sandbox/faults", { rules: [{ match: {}, fault: "late", ms: 700 }] });
    client.send(`/acquirer/${kind}`, request);
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
    expect(await entered(kind)).toContain(request.reference);
    clock.advance(699);
    expect([clock.pending(), client.received()]).toEqual([1, ""]);
    clock.advance(1);
    await vi.waitFor(() => expect(client.received()).toMatch(wholeResponse));
  });

  test("answer_twice responds twice on one connection and keeps it open", async () => {
    const request = await make();
    await addFault("answer_twice");
    client.send(`/acquirer/${kind}`, request);
    await vi.waitFor(() => expect(client.received().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2));
    const [first, second] = client.received().split(/(?<=})(?=HTTP)/);
    expect(first).toMatch(wholeResponse);
    expect(second).toMatch(wholeResponse);
    expect(second?.split("\r\n\r\n")[1]).toBe(first?.split("\r\n\r\n")[1]);
    expect((await get(bank, `/acquirer/${kind}/${request.reference}`)).json()).toMatchObject({ requests: 1 });
    client.send("/healthz");
    await vi.waitFor(() => expect(client.received()).toMatch(/{"status":"ok"}$/));
  });

  test("garbage runs the operation and responds 200 with invalid JSON", async () => {
    const request = await make();
    await addFault("garbage");
    client.send(`/acquirer/${kind}`, request);
    await vi.waitFor(() => expect(client.received()).toContain("\r\n\r\n{"));
    const [head, body = ""] = client.received().split("\r\n\r\n");
    expect(head).toMatch(/^HTTP\/1\.1 200 OK/);
    expect(() => JSON.parse(body)).toThrow(SyntaxError);
    expect(await entered(kind)).toContain(request.reference);
  });
});

describe("a lookup", () => {
  test.each(["timeout_before", "down"] as const)("that is struck by %s gets no response", async (fault) => {
    const reference = await authorized(true);
    await addFault(fault, { kind: "lookup", last4: "4242" });
    client.send(`${address}/${reference}`);
    await vi.waitFor(async () => expect(await struck()).toBe(1));
    await bank.close();
    expect(await client.ended).toBe("");
  });

  test.each([
    ["error_before", 500],
    ["garbage", 200],
  ] as const)("that is struck by %s gets %i and no usable response", async (fault, status) => {
    const reference = await authorized(true);
    await addFault(fault, { kind: "lookup", reference });
    const response = await get(bank, `${address}/${reference}`);
    expect(response.statusCode).toBe(status);
    expect(response.body).not.toContain(reference);
  });

  test("of a capture matches rules for its authorization's card, and of an unknown reference matches none", async () => {
    const authorization = await authorized(false);
    await post(bank, "/acquirer/captures", { reference: "c1", authorization, amount: 1 });
    await addFault("error_before", { last4: "4242" });
    expect((await get(bank, "/acquirer/captures/c1")).statusCode).toBe(500);
    expect((await get(bank, "/acquirer/captures/unknown")).statusCode).toBe(404);
  });
});

test("a keep-alive client doesn't take a second response for the response to its next request", async () => {
  await addFault("answer_twice", { kind: "authorization" });
  const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json" };
  for (let round = 0; round < 10; round += 1) {
    const request = cardRequest("4242424242424242");
    const posted = await fetch(url + address, { method: "POST", headers, body: JSON.stringify(request) });
    expect(await posted.json()).toMatchObject({ reference: request.reference });
    const other = await authorized(true);
    expect(await (await fetch(`${url}${address}/${other}`, { headers })).json()).toMatchObject({ reference: other });
  }
});

test("a malformed request, or one without a key, triggers no fault", async () => {
  await addFault("down");
  expect((await post(bank, address, {})).statusCode).toBe(400);
  expect((await post(bank, address, cardRequest("4242424242424242", { currency: "xts" }))).statusCode).toBe(400);
  expect((await post(bank, address, cardRequest("4242424242424242"), "wrong")).statusCode).toBe(401);
  expect(await struck()).toBe(0);
});

describe("the card", () => {
  test("4000000000008013 never gets a response and is never charged", async () => {
    const [request, next] = [cardRequest("4000000000008013"), cardRequest("4242424242424242")];
    client.send(address, request);
    const other = await connectRaw(url);
    other.send(address, next);
    await vi.waitFor(async () => expect(await entered()).toEqual([next.reference]));
    expect((await get(bank, `${address}/${request.reference}`)).statusCode).toBe(404);
    await bank.close();
    expect(await client.ended).toBe("");
    expect(await other.ended).toContain(next.reference);
  });

  test("4000000000008021 is charged once and never gets a response, however often it is retried", async () => {
    const request = cardRequest("4000000000008021");
    const again = await connectRaw(url);
    for (const each of [client, again]) each.send(address, request);
    await vi.waitFor(async () => {
      const found = await get(bank, `${address}/${request.reference}`);
      expect(found.json()).toMatchObject({ status: "approved", amount_captured: 4900, requests: 2 });
    });
    await bank.close();
    expect([await client.ended, await again.ended]).toEqual(["", ""]);
  });

  test("4000000000008039 gets its response twelve seconds late", async () => {
    client.send(address, cardRequest("4000000000008039"));
    await vi.waitFor(() => expect(clock.pending()).toBe(1));
    clock.advance(11_999);
    expect([clock.pending(), client.received()]).toEqual([1, ""]);
    clock.advance(1);
    await vi.waitFor(() => expect(client.received()).toMatch(wholeResponse));
  });

  test("4000000000008039 uses the bank's configured delay", async () => {
    const quick = await createTestBank({ lateMs: 1 });
    expect((await post(quick, address, cardRequest("4000000000008039"))).json()).toMatchObject({ status: "approved" });
    await quick.close();
  });

  test("4000000000008047 gets 500 for each payment's first attempt, which isn't recorded, and a normal response after that", async () => {
    for (const request of [cardRequest("4000000000008047"), cardRequest("4000000000008047")]) {
      expect((await post(bank, address, request)).statusCode).toBe(500);
      expect((await get(bank, `${address}/${request.reference}`)).statusCode).toBe(404);
      expect((await post(bank, address, request)).json()).toMatchObject({ status: "approved", requests: 1 });
    }
  });

  test("with a fault can be captured, canceled and refunded like any other", async () => {
    const request = cardRequest("4000000000008047", { capture: false });
    await post(bank, address, request);
    await post(bank, address, request);
    const later = { authorization: request.reference, amount: 1 };
    expect((await post(bank, "/acquirer/captures", { ...later, reference: "c1" })).json()).toMatchObject({
      status: "approved",
    });
    expect((await post(bank, "/acquirer/refunds", { ...later, reference: "r1" })).json()).toMatchObject({
      status: "approved",
    });
  });
});

test("shutting the bank down ends delayed responses", async () => {
  client.send(address, cardRequest("4000000000008039"));
  await vi.waitFor(() => expect(clock.pending()).toBe(1));
  await bank.close();
  expect(await client.ended).toMatch(wholeResponse);
  expect(clock.pending()).toBe(0);
});
