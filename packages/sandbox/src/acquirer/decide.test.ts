import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { Authorization } from "@oriel/protocol/acquirer";
import { cardRequest, createTestBank, get, post } from "../../test/bank-client.ts";

let bank: FastifyInstance;
beforeEach(async () => {
  bank = await createTestBank();
});
afterEach(() => bank.close());

const good = "4242424242424242";

/** Authorizes 4900 and returns the reference. */
async function authorize(changes: Parameters<typeof cardRequest>[1] = {}, number = good): Promise<string> {
  const request = cardRequest(number, changes);
  await post(bank, "/acquirer/authorizations", request);
  return request.reference;
}
const reserve = (number = good) => authorize({ capture: false }, number);

type Kind = "capture" | "cancel" | "refund";
let count = 0;
/** Sends an operation with a new reference and returns the response. */
async function operate(kind: Kind, authorization: string, amount?: number) {
  count += 1;
  const body = { reference: `${kind}-${count}`, authorization, ...(amount === undefined ? {} : { amount }) };
  const response = await post(bank, `/acquirer/${kind}s`, body);
  expect(response.statusCode).toBe(200);
  return response.json();
}

const shown = async (reference: string): Promise<Authorization> =>
  (await get(bank, `/acquirer/authorizations/${reference}`)).json();

describe("reserved money", () => {
  test("can be captured, and the authorization shows the capture", async () => {
    const authorization = await reserve();
    const response = await operate("capture", authorization, 4900);
    const { reference } = response;
    expect(response).toEqual({
      reference,
      status: "approved",
      authorization,
      amount: 4900,
      requests: 1,
      created: expect.any(Number),
    });
    expect((await get(bank, `/acquirer/captures/${reference}`)).json()).toEqual(response);
    expect((await get(bank, "/acquirer/captures")).json()).toEqual({ captures: [response] });
    // `captured` is true only if the authorization itself captures the money.
    expect(await shown(authorization)).toMatchObject({ captured: false, amount_captured: 4900, requests: 1 });
  });

  test("can be captured in part, which releases the rest", async () => {
    const authorization = await reserve();
    expect(await operate("capture", authorization, 1000)).toMatchObject({ status: "approved" });
    expect(await operate("capture", authorization, 1)).toMatchObject({ status: "declined" });
    expect(await operate("cancel", authorization)).toMatchObject({ status: "declined" });
    expect(await shown(authorization)).toMatchObject({ amount_captured: 1000, canceled: false });
  });

  test("can be captured after a capture was declined for its amount", async () => {
    const authorization = await reserve();
    expect(await operate("capture", authorization, 4901)).toMatchObject({ status: "declined" });
    expect(await operate("capture", authorization, 4900)).toMatchObject({ status: "approved" });
  });

  test("can be released, and the authorization shows the cancellation", async () => {
    const authorization = await reserve();
    const response = await operate("cancel", authorization);
    const { reference } = response;
    expect(response).toEqual({
      reference,
      status: "approved",
      authorization,
      requests: 1,
      created: expect.any(Number),
    });
    expect((await get(bank, `/acquirer/cancels/${reference}`)).json()).toEqual(response);
    expect((await get(bank, "/acquirer/cancels")).json()).toEqual({ cancels: [response] });
    expect(await shown(authorization)).toMatchObject({ canceled: true, amount_captured: 0 });
  });
});

describe("captured money", () => {
  test.each([
    ["by an authorization", () => authorize()],
    [
      "by a capture",
      async () => {
        const reference = await reserve();
        await operate("capture", reference, 4900);
        return reference;
      },
    ],
  ])("captured %s can be refunded in parts, down to the last cent but no further", async (_how, take) => {
    const authorization = await take();
    const responses = [];
    for (const amount of [1000, 3901, 3899, 1, 1]) responses.push(await operate("refund", authorization, amount));
    expect(responses.map(({ status }) => status)).toEqual(["approved", "declined", "approved", "approved", "declined"]);
    expect(responses[0]).toEqual({
      reference: responses[0].reference,
      status: "approved",
      authorization,
      amount: 1000,
      requests: 1,
      created: expect.any(Number),
    });
    expect((await get(bank, `/acquirer/refunds/${responses[0].reference}`)).json()).toEqual(responses[0]);
    expect((await get(bank, "/acquirer/refunds")).json()).toEqual({ refunds: responses });
    expect(await shown(authorization)).toMatchObject({ amount_captured: 4900, amount_refunded: 4900 });
  });

  test("isn't refunded twice by concurrent refunds", async () => {
    const authorization = await authorize();
    const responses = await Promise.all(Array.from({ length: 20 }, () => operate("refund", authorization, 1000)));
    expect(responses.filter(({ status }) => status === "approved")).toHaveLength(4);
    expect(await shown(authorization)).toMatchObject({ amount_refunded: 4000 });
  });

  test("is either captured or canceled by concurrent requests, never both", async () => {
    for (let round = 0; round < 10; round += 1) {
      const authorization = await reserve();
      const both = [() => operate("cancel", authorization), () => operate("capture", authorization, 4900)];
      const responses = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((start) => start()));
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set(["approved", "declined"]));
    }
  });
});

describe("the acquirer declines to", () => {
  const after = async (reference: Promise<string>, kind: Kind, amount?: number) => {
    const authorization = await reference;
    expect(await operate(kind, authorization, amount)).toMatchObject({ status: "approved" });
    return authorization;
  };
  const declined = () => authorize({ capture: false }, "4000000000000002");
  const verification = () => authorize({ capture: false, amount: 0 });

  test.each<[Kind, string, () => Promise<string>, number?]>([
    ["capture", "more than was reserved", () => reserve(), 4901],
    ["capture", "what was already captured", () => after(reserve(), "capture", 4900), 4900],
    ["capture", "what was canceled", () => after(reserve(), "cancel"), 4900],
    ["capture", "what the authorization captured", () => authorize(), 4900],
    ["capture", "a declined authorization", declined, 4900],
    ["capture", "a card verification", verification, 1],
    ["cancel", "what was already captured", () => after(reserve(), "capture", 4900)],
    ["cancel", "what was captured in part", () => after(reserve(), "capture", 1)],
    ["cancel", "what was already canceled", () => after(reserve(), "cancel")],
    ["cancel", "what the authorization captured", () => authorize()],
    ["cancel", "a declined authorization", declined],
    ["cancel", "a card verification", verification],
    ["refund", "more than was captured", () => authorize(), 4901],
    ["refund", "more than was captured in part", () => after(reserve(), "capture", 1000), 1001],
    ["refund", "more than is left", () => after(authorize(), "refund", 4000), 901],
    ["refund", "what was only reserved", () => reserve(), 1],
    ["refund", "what was canceled", () => after(reserve(), "cancel"), 1],
    ["refund", "a declined authorization", declined, 1],
    ["refund", "a card verification", verification, 1],
  ])("%s %s, records the decline and changes nothing else", async (kind, _what, before, amount) => {
    const authorization = await before();
    const earlier = await shown(authorization);
    const response = await operate(kind, authorization, amount);
    expect(response).toMatchObject({ status: "declined", decline_code: "transaction_not_allowed" });
    expect((await get(bank, `/acquirer/${kind}s/${response.reference}`)).json()).toEqual(response);
    expect(await shown(authorization)).toEqual(earlier);
  });

  test("capture from or refund to cards that refuse it, and allows everything else", async () => {
    const reserved = await reserve("4000000000007015");
    expect(await operate("capture", reserved, 4900)).toMatchObject({
      status: "declined",
      decline_code: "generic_decline",
    });
    expect(await operate("cancel", reserved)).toMatchObject({ status: "approved" });
    const taken = await authorize({}, "4000000000005126");
    expect(await operate("refund", taken, 4901)).toMatchObject({ decline_code: "transaction_not_allowed" });
    expect(await operate("refund", taken, 4900)).toMatchObject({ status: "declined", decline_code: "generic_decline" });
    expect(await shown(taken)).toMatchObject({ amount_captured: 4900, amount_refunded: 0 });
  });
});

describe("an operation's reference", () => {
  const kinds = ["capture", "cancel", "refund"] as const;
  const bodyFor = async (kind: Kind) => {
    const authorization = kind === "refund" ? await authorize() : await reserve();
    return { reference: `${kind}-again`, authorization, ...(kind === "cancel" ? {} : { amount: 1000 }) };
  };

  test.each(kinds)("used for a %s in fifty concurrent requests moves money once", async (kind) => {
    const body = await bodyFor(kind);
    const responses = await Promise.all(Array.from({ length: 50 }, () => post(bank, `/acquirer/${kind}s`, body)));
    expect(responses.every((response) => response.json().status === "approved")).toBe(true);
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toMatchObject({ [`${kind}s`]: [{ requests: 50 }] });
    expect(await shown(body.authorization)).toMatchObject(
      { capture: { amount_captured: 1000 }, cancel: { canceled: true }, refund: { amount_refunded: 1000 } }[kind],
    );
  });

  test.each(kinds)("used for a declined %s stays declined and counts repeats", async (kind) => {
    const authorization = kind === "cancel" ? await authorize() : await reserve();
    const body = { reference: "declined", authorization, ...(kind === "cancel" ? {} : { amount: 4901 }) };
    const first = (await post(bank, `/acquirer/${kind}s`, body)).json();
    expect(first).toMatchObject({ status: "declined", requests: 1 });
    expect((await post(bank, `/acquirer/${kind}s`, body)).json()).toEqual({ ...first, requests: 2 });
  });

  test("used for a refund sent too early stays declined after the capture", async () => {
    const authorization = await reserve();
    const body = { reference: "early", authorization, amount: 1000 };
    const first = (await post(bank, "/acquirer/refunds", body)).json();
    await operate("capture", authorization, 4900);
    expect((await post(bank, "/acquirer/refunds", body)).json()).toEqual({ ...first, requests: 2 });
    expect(await shown(authorization)).toMatchObject({ amount_refunded: 0 });
  });

  test.each(kinds)("used for a %s gets 409 with a different body and changes nothing", async (kind) => {
    const body = await bodyFor(kind);
    const first = (await post(bank, `/acquirer/${kind}s`, body)).json();
    const earlier = await shown(body.authorization);
    const others = [
      { ...body, authorization: await reserve() },
      { ...body, authorization: "unknown" },
    ];
    for (const other of kind === "cancel" ? others : [...others, { ...body, amount: 999 }]) {
      expect((await post(bank, `/acquirer/${kind}s`, other)).statusCode).toBe(409);
    }
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toEqual({ [`${kind}s`]: [first] });
    expect(await shown(body.authorization)).toEqual(earlier);
  });

  test("used for one kind of operation gets 409 for every other kind and is found only under its own", async () => {
    const { reference, authorization } = await bodyFor("capture");
    await post(bank, "/acquirer/captures", { reference, authorization, amount: 1000 });
    const bodies = {
      authorization: (used: string) => cardRequest(good, { reference: used }),
      capture: (used: string) => ({ reference: used, authorization, amount: 1000 }),
      cancel: (used: string) => ({ reference: used, authorization }),
      refund: (used: string) => ({ reference: used, authorization, amount: 1000 }),
    };
    for (const [kind, body] of Object.entries(bodies)) {
      const used = kind === "capture" ? authorization : reference;
      const response = await post(bank, `/acquirer/${kind}s`, body(used));
      expect([kind, response.statusCode]).toEqual([kind, 409]);
      expect((await get(bank, `/acquirer/${kind}s/${used}`)).statusCode).toBe(404);
    }
  });

  test.each(kinds)("used for a %s without an authorization gets 422 and can be used again", async (kind) => {
    const body = await bodyFor(kind);
    const capture = await operate("capture", await reserve(), 1);
    for (const authorization of ["never-sent", capture.reference]) {
      const response = await post(bank, `/acquirer/${kind}s`, { ...body, authorization });
      expect(response.statusCode).toBe(422);
      expect(response.json()).toEqual({ error: { message: expect.stringContaining("authorization") } });
      expect((await get(bank, `/acquirer/${kind}s/${body.reference}`)).statusCode).toBe(404);
    }
    expect((await post(bank, `/acquirer/${kind}s`, body)).json()).toMatchObject({ status: "approved" });
  });
});

describe("the acquirer refuses", () => {
  const kinds = ["capture", "cancel", "refund"] as const;

  test.each(kinds)("a %s without a key before reading its body", async (kind) => {
    for (const response of [
      await post(bank, `/acquirer/${kind}s`, "{ not json", null),
      await get(bank, `/acquirer/${kind}s`, null),
      await get(bank, `/acquirer/${kind}s/any`, null),
    ]) {
      expect(response.statusCode).toBe(401);
    }
  });

  test.each<[Kind, object]>([
    ["capture", { amount: 0 }],
    ["capture", { amount: "1" }],
    ["capture", { amount: 1.5 }],
    ["capture", { amount: undefined }],
    ["capture", { amount: 1_000_000_000_000 }],
    ["capture", { currency: "eur" }],
    ["capture", { authorization: undefined }],
    ["capture", { reference: "a/b" }],
    ["cancel", { amount: 1 }],
    ["cancel", { authorization: null, amount: undefined }],
    ["refund", { amount: 0 }],
    ["refund", { amount: -1 }],
    ["refund", { reason: "fraud" }],
    ["refund", { authorization: "a b" }],
  ])("a %s with %o and records nothing", async (kind, change) => {
    const authorization = kind === "refund" ? await authorize() : await reserve();
    const response = await post(bank, `/acquirer/${kind}s`, { reference: "bad", authorization, amount: 1, ...change });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: { message: expect.any(String) } });
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toEqual({ [`${kind}s`]: [] });
  });
});
