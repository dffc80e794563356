import type { Authorization } from "@oriel/protocol/acquirer";
import type { FastifyInstance } from "fastify";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { cardRequest, createTestBank, get, post } from "../../test/bank-client.ts";

let bank: FastifyInstance;
beforeEach(async () => {
  bank = await createTestBank();
});
afterEach(() => bank.close());

const good = "4242424242424242";

/** Authorises 4900 and returns the reference. */
async function authorize(changes: Parameters<typeof cardRequest>[1] = {}, number = good): Promise<string> {
  const request = cardRequest(number, changes);
  await post(bank, "/acquirer/authorizations", request);
  return request.reference;
}
const reserve = (number = good) => authorize({ capture: false }, number);

type Kind = "capture" | "cancel" | "refund";
let count = 0;
/** Asks under a new reference, and gives what the bank says. */
async function ask(kind: Kind, authorization: string, amount?: number) {
  count += 1;
  const body = { reference: `${kind}-${count}`, authorization, ...(amount === undefined ? {} : { amount }) };
  const response = await post(bank, `/acquirer/${kind}s`, body);
  expect(response.statusCode).toBe(200);
  return response.json();
}

const shown = async (reference: string): Promise<Authorization> =>
  (await get(bank, `/acquirer/authorizations/${reference}`)).json();

describe("money that was reserved", () => {
  test("can be captured, and the authorisation shows it", async () => {
    const authorization = await reserve();
    const answer = await ask("capture", authorization, 4900);
    const { reference } = answer;
    expect(answer).toEqual({
      reference,
      status: "approved",
      authorization,
      amount: 4900,
      requests: 1,
      created: expect.any(Number),
    });
    expect((await get(bank, `/acquirer/captures/${reference}`)).json()).toEqual(answer);
    expect((await get(bank, "/acquirer/captures")).json()).toEqual({ captures: [answer] });
    // It was not taken at once, which is what `captured` says.
    expect(await shown(authorization)).toMatchObject({ captured: false, amount_captured: 4900, requests: 1 });
  });

  test("can be captured in part, and the rest is let go", async () => {
    const authorization = await reserve();
    expect(await ask("capture", authorization, 1000)).toMatchObject({ status: "approved" });
    expect(await ask("capture", authorization, 1)).toMatchObject({ status: "declined" });
    expect(await ask("cancel", authorization)).toMatchObject({ status: "declined" });
    expect(await shown(authorization)).toMatchObject({ amount_captured: 1000, canceled: false });
  });

  test("can be captured after a capture that was declined for its amount", async () => {
    const authorization = await reserve();
    expect(await ask("capture", authorization, 4901)).toMatchObject({ status: "declined" });
    expect(await ask("capture", authorization, 4900)).toMatchObject({ status: "approved" });
  });

  test("can be let go, and the authorisation shows it", async () => {
    const authorization = await reserve();
    const answer = await ask("cancel", authorization);
    const { reference } = answer;
    expect(answer).toEqual({ reference, status: "approved", authorization, requests: 1, created: expect.any(Number) });
    expect((await get(bank, `/acquirer/cancels/${reference}`)).json()).toEqual(answer);
    expect((await get(bank, "/acquirer/cancels")).json()).toEqual({ cancels: [answer] });
    expect(await shown(authorization)).toMatchObject({ canceled: true, amount_captured: 0 });
  });
});

describe("money that was taken", () => {
  test.each([
    ["at once", () => authorize()],
    [
      "by a capture",
      async () => {
        const reference = await reserve();
        await ask("capture", reference, 4900);
        return reference;
      },
    ],
  ])("%s can be given back in parts, to the last cent and no further", async (_how, take) => {
    const authorization = await take();
    const answers = [];
    for (const amount of [1000, 3901, 3899, 1, 1]) answers.push(await ask("refund", authorization, amount));
    expect(answers.map(({ status }) => status)).toEqual(["approved", "declined", "approved", "approved", "declined"]);
    expect(answers[0]).toEqual({
      reference: answers[0].reference,
      status: "approved",
      authorization,
      amount: 1000,
      requests: 1,
      created: expect.any(Number),
    });
    expect((await get(bank, `/acquirer/refunds/${answers[0].reference}`)).json()).toEqual(answers[0]);
    expect((await get(bank, "/acquirer/refunds")).json()).toEqual({ refunds: answers });
    expect(await shown(authorization)).toMatchObject({ amount_captured: 4900, amount_refunded: 4900 });
  });

  test("is not given back twice by refunds that come at once", async () => {
    const authorization = await authorize();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask("refund", authorization, 1000)));
    expect(answers.filter(({ status }) => status === "approved")).toHaveLength(4);
    expect(await shown(authorization)).toMatchObject({ amount_refunded: 4000 });
  });

  test("is captured or let go, and never both, when both come at once", async () => {
    for (let round = 0; round < 10; round += 1) {
      const authorization = await reserve();
      const both = [() => ask("cancel", authorization), () => ask("capture", authorization, 4900)];
      const answers = await Promise.all((round % 2 === 0 ? both : both.reverse()).map((start) => start()));
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["approved", "declined"]));
    }
  });
});

describe("the bank will not", () => {
  const after = async (reference: Promise<string>, kind: Kind, amount?: number) => {
    const authorization = await reference;
    expect(await ask(kind, authorization, amount)).toMatchObject({ status: "approved" });
    return authorization;
  };
  const declined = () => authorize({ capture: false }, "4000000000000002");
  const verification = () => authorize({ capture: false, amount: 0 });

  test.each<[Kind, string, () => Promise<string>, number?]>([
    ["capture", "more than was reserved", () => reserve(), 4901],
    ["capture", "what was captured", () => after(reserve(), "capture", 4900), 4900],
    ["capture", "what was let go", () => after(reserve(), "cancel"), 4900],
    ["capture", "what was taken at once", () => authorize(), 4900],
    ["capture", "what was never reserved", declined, 4900],
    ["capture", "what only asked whether the card is good", verification, 1],
    ["cancel", "what was captured", () => after(reserve(), "capture", 4900)],
    ["cancel", "what was captured in part", () => after(reserve(), "capture", 1)],
    ["cancel", "what was let go", () => after(reserve(), "cancel")],
    ["cancel", "what was taken at once", () => authorize()],
    ["cancel", "what was never reserved", declined],
    ["cancel", "what only asked whether the card is good", verification],
    ["refund", "more than was taken", () => authorize(), 4901],
    ["refund", "more than was captured in part", () => after(reserve(), "capture", 1000), 1001],
    ["refund", "more than is left", () => after(authorize(), "refund", 4000), 901],
    ["refund", "what was only reserved", () => reserve(), 1],
    ["refund", "what was let go", () => after(reserve(), "cancel"), 1],
    ["refund", "what was never reserved", declined, 1],
    ["refund", "what only asked whether the card is good", verification, 1],
  ])(
    "%s %s, which is an answer that stands in its books and changes nothing else",
    async (kind, _what, before, amount) => {
      const authorization = await before();
      const stood = await shown(authorization);
      const answer = await ask(kind, authorization, amount);
      expect(answer).toMatchObject({ status: "declined", decline_code: "transaction_not_allowed" });
      expect((await get(bank, `/acquirer/${kind}s/${answer.reference}`)).json()).toEqual(answer);
      expect(await shown(authorization)).toEqual(stood);
    },
  );

  test("capture from, or refund to, the cards that refuse it, though all else is possible", async () => {
    const reserved = await reserve("4000000000007015");
    expect(await ask("capture", reserved, 4900)).toMatchObject({ status: "declined", decline_code: "generic_decline" });
    expect(await ask("cancel", reserved)).toMatchObject({ status: "approved" });
    const taken = await authorize({}, "4000000000005126");
    expect(await ask("refund", taken, 4901)).toMatchObject({ decline_code: "transaction_not_allowed" });
    expect(await ask("refund", taken, 4900)).toMatchObject({ status: "declined", decline_code: "generic_decline" });
    expect(await shown(taken)).toMatchObject({ amount_captured: 4900, amount_refunded: 0 });
  });
});

describe("a reference", () => {
  const kinds = ["capture", "cancel", "refund"] as const;
  const bodyFor = async (kind: Kind) => {
    const authorization = kind === "refund" ? await authorize() : await reserve();
    return { reference: `${kind}-again`, authorization, ...(kind === "cancel" ? {} : { amount: 1000 }) };
  };

  test.each(kinds)("of a %s that fifty requests bring at once moves money once", async (kind) => {
    const body = await bodyFor(kind);
    const answers = await Promise.all(Array.from({ length: 50 }, () => post(bank, `/acquirer/${kind}s`, body)));
    expect(answers.every((answer) => answer.json().status === "approved")).toBe(true);
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toMatchObject({ [`${kind}s`]: [{ requests: 50 }] });
    expect(await shown(body.authorization)).toMatchObject(
      { capture: { amount_captured: 1000 }, cancel: { canceled: true }, refund: { amount_refunded: 1000 } }[kind],
    );
  });

  test.each(kinds)("of a %s that was declined stays declined, and is counted", async (kind) => {
    const authorization = kind === "cancel" ? await authorize() : await reserve();
    const body = { reference: "declined", authorization, ...(kind === "cancel" ? {} : { amount: 4901 }) };
    const first = (await post(bank, `/acquirer/${kind}s`, body)).json();
    expect(first).toMatchObject({ status: "declined", requests: 1 });
    expect((await post(bank, `/acquirer/${kind}s`, body)).json()).toEqual({ ...first, requests: 2 });
  });

  test("of a refund that was too early stays declined when the money has been taken", async () => {
    const authorization = await reserve();
    const body = { reference: "early", authorization, amount: 1000 };
    const first = (await post(bank, "/acquirer/refunds", body)).json();
    await ask("capture", authorization, 4900);
    expect((await post(bank, "/acquirer/refunds", body)).json()).toEqual({ ...first, requests: 2 });
    expect(await shown(authorization)).toMatchObject({ amount_refunded: 0 });
  });

  test.each(kinds)("of a %s that comes with another body is refused with 409 and changes nothing", async (kind) => {
    const body = await bodyFor(kind);
    const first = (await post(bank, `/acquirer/${kind}s`, body)).json();
    const stood = await shown(body.authorization);
    const others = [
      { ...body, authorization: await reserve() },
      { ...body, authorization: "unknown" },
    ];
    for (const other of kind === "cancel" ? others : [...others, { ...body, amount: 999 }]) {
      expect((await post(bank, `/acquirer/${kind}s`, other)).statusCode).toBe(409);
    }
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toEqual({ [`${kind}s`]: [first] });
    expect(await shown(body.authorization)).toEqual(stood);
  });

  test("of one kind of operation is refused with 409 for every other, and found under its own alone", async () => {
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

  test.each(kinds)("of a %s on no authorisation is refused with 422, and stays free", async (kind) => {
    const body = await bodyFor(kind);
    const capture = await ask("capture", await reserve(), 1);
    for (const authorization of ["never-sent", capture.reference]) {
      const response = await post(bank, `/acquirer/${kind}s`, { ...body, authorization });
      expect(response.statusCode).toBe(422);
      expect(response.json()).toEqual({ error: { message: expect.stringContaining("authorization") } });
      expect((await get(bank, `/acquirer/${kind}s/${body.reference}`)).statusCode).toBe(404);
    }
    expect((await post(bank, `/acquirer/${kind}s`, body)).json()).toMatchObject({ status: "approved" });
  });
});

describe("a request is refused", () => {
  const kinds = ["capture", "cancel", "refund"] as const;

  test.each(kinds)("for a %s without a key, before it is read", async (kind) => {
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
  ])("for a %s with %o, and nothing is entered", async (kind, change) => {
    const authorization = kind === "refund" ? await authorize() : await reserve();
    const response = await post(bank, `/acquirer/${kind}s`, { reference: "bad", authorization, amount: 1, ...change });
    expect(response.statusCode).toBe(400);
    expect(response.json()).toEqual({ error: { message: expect.any(String) } });
    expect((await get(bank, `/acquirer/${kind}s`)).json()).toEqual({ [`${kind}s`]: [] });
  });
});
