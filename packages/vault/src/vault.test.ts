/** What the vault makes of the bank's answers. Storing is tested on a real database, in `test/`. */
import { describe, expect, it } from "vitest";
import type { AReq, AReqWithoutCard } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankAnswer, type CardRange } from "./bank.ts";
import { newKeyring } from "./keyring.ts";
import { createVault } from "./vault.ts";

const request = { reference: "att_1", amount: 4900, currency: "eur", capture: true };
const of = (paymentMethodId: string) => ({ paymentMethodId, accountId: "acct_1" });
const unreachable = () => Promise.reject(new BankUnreachableError("anything", "TimeoutError"));
const ranges: CardRange[] = [
  {
    start: "4242424242424200",
    end: "4242424242424299",
    versions: [
      { version: "2.2.0", methodUrl: null },
      { version: "2.3.1", methodUrl: "https://bank.example/method" },
    ],
  },
];

/** A vault whose bank is scripted; its database is empty. */
function open(script: Partial<Bank<"test">>) {
  const clock = { now: new Date("2026-06-01T12:00:00Z") };
  const statements: string[] = [];
  const warnings: string[] = [];
  const bank: Bank<"test"> = {
    mode: "test",
    cardRanges: unreachable,
    authenticate: unreachable,
    result: unreachable,
    authorize: unreachable,
    capture: unreachable,
    cancel: unreachable,
    refund: unreachable,
    lookup: unreachable,
    ...script,
  };
  const db = {
    query: (sql: string) => {
      statements.push(sql);
      return Promise.resolve({ rows: [] });
    },
  };
  return {
    vault: createVault({
      db,
      banks: { test: bank, live: null },
      keyring: newKeyring(),
      now: () => clock.now,
      warn: (message) => void warnings.push(message),
      audit: () => {},
    }),
    statements,
    warnings,
    clock,
  };
}

describe("an authorization", () => {
  it("that the bank approved is approved, and the CVC is erased", async () => {
    const { vault, statements } = open({ authorize: () => Promise.resolve({ status: "approved" }) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({ outcome: "approved" });
    expect(statements).toEqual([expect.stringContaining("delete from vault.cvc")]);
  });

  it("that the bank declined says why", async () => {
    const { vault } = open({ authorize: () => Promise.resolve({ status: "declined", declineCode: "stolen_card" }) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({
      outcome: "declined",
      declineCode: "stolen_card",
    });
  });

  it("without an answer is unknown, and the CVC stays for the next try", async () => {
    const { vault, statements } = open({});
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({ outcome: "unknown" });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "unknown" });
    expect(statements).toEqual([]);
  });

  it("that the bank turns out to have answered has its CVC erased", async () => {
    const { vault, statements } = open({ lookup: () => Promise.resolve({ status: "approved" }) });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "approved" });
    expect(statements).toEqual([expect.stringContaining("delete from vault.cvc")]);
  });

  it("that the bank has never heard of is absent, which is not a decline", async () => {
    const { vault, statements } = open({ lookup: () => Promise.resolve(null) });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "absent" });
    expect(statements).toEqual([]);
  });

  it("with a card that is not kept does not reach the bank", async () => {
    let asked = false;
    const { vault } = open({
      authorize: () => {
        asked = true;
        return Promise.resolve({ status: "approved" });
      },
    });
    const refused = vault.test.authorize(of("pm_unknown"), request);
    await expect(refused).rejects.toMatchObject({
      name: "CardGoneError",
      message: expect.stringContaining("pm_unknown") as string,
    });
    expect(asked).toBe(false);
  });

  it("lets a bug through instead of calling it unknown", async () => {
    const { vault } = open({ authorize: () => Promise.reject(new TypeError("Bug")) });
    await expect(vault.test.authorize(of("pm_card_visa"), request)).rejects.toThrow(TypeError);
  });
});

describe("a lookup", () => {
  it("that finds a decline has the CVC erased, too", async () => {
    const { vault, statements } = open({
      lookup: () => Promise.resolve({ status: "declined", declineCode: "stolen_card" }),
    });
    const declined = { outcome: "declined", declineCode: "stolen_card" };
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual(declined);
    expect(statements).toEqual([expect.stringContaining("delete from vault.cvc")]);
  });
});

describe("a result that did not arrive", () => {
  const ask = (result: Bank["result"]) => open({ result }).vault.test.result("trans_1");

  it("is handed on unread, or silence where there was no answer", async () => {
    expect(await ask(() => Promise.resolve({ messageType: "RReq" }))).toEqual({ messageType: "RReq" });
    expect(await ask(() => Promise.resolve(null))).toBeNull();
    expect(await ask(unreachable)).toBe("silent");
    expect(await ask(() => Promise.reject(new BankUnreadableError("to it", "HTTP 500")))).toBe("silent");
  });

  it("lets a bug through instead of calling it silence", async () => {
    await expect(ask(() => Promise.reject(new TypeError("Bug")))).rejects.toThrow(TypeError);
  });
});

describe("a capture, a cancellation and a refund", () => {
  const made = { reference: "att_2", authorization: "att_1", amount: 4900 };
  it.each(["capture", "cancel", "refund"] as const)(
    "to %s needs no card, touches no code, and is unknown without an answer",
    async (kind) => {
      let answer: BankAnswer | null = { status: "approved" };
      const sent: unknown[] = [];
      const { vault, statements } = open({
        [kind]: (request: unknown) => {
          sent.push(request);
          return answer === null ? unreachable() : Promise.resolve(answer);
        },
        lookup: (...asked: unknown[]) => {
          sent.push(asked);
          return Promise.resolve(answer);
        },
      });
      expect(await vault.test[kind](made)).toEqual({ outcome: "approved" });
      expect(await vault.test.lookup(kind, "att_2", "pm_gone")).toEqual({ outcome: "approved" });
      answer = { status: "declined", declineCode: "transaction_not_allowed" };
      expect(await vault.test[kind](made)).toEqual({ outcome: "declined", declineCode: "transaction_not_allowed" });
      answer = null;
      expect(await vault.test[kind](made)).toEqual({ outcome: "unknown" });
      expect(await vault.test.lookup(kind, "att_2", "pm_gone")).toEqual({ outcome: "absent" });
      expect(sent).toEqual([made, [kind, "att_2"], made, made, [kind, "att_2"]]);
      expect(statements).toEqual([]);
    },
  );
});

describe("the card ranges", () => {
  it("are asked for once an hour", async () => {
    let asked = 0;
    const { vault, clock } = open({ cardRanges: () => Promise.resolve((asked++, ranges)) });
    expect(await vault.test.cardRange(of("pm_card_visa"))).toEqual({
      version: "2.3.1",
      methodUrl: "https://bank.example/method",
    });
    const start = clock.now.getTime();
    const hourMs = 60 * 60 * 1000;
    for (const later of [0, hourMs - 1]) {
      clock.now = new Date(start + later);
      await vault.test.cardRange(of("pm_card_visa"));
    }
    expect(asked).toBe(1);
    clock.now = new Date(start + hourMs);
    await vault.test.cardRange(of("pm_card_visa"));
    expect(asked).toBe(2);
    clock.now = new Date(start); // a clock that was corrected
    await vault.test.cardRange(of("pm_card_visa"));
    expect(asked).toBe(3);
  });

  it("hold the first and the last card that they name, in the only version they have", async () => {
    const visa = "4242424242424242";
    const versions: CardRange["versions"] = [{ version: "2.2.0", methodUrl: null }];
    const { vault } = open({ cardRanges: () => Promise.resolve([{ start: visa, end: visa, versions }]) });
    expect(await vault.test.cardRange(of("pm_card_visa"))).toEqual(versions[0]);
  });

  it("let a bug through instead of warning of the bank", async () => {
    const { vault, warnings } = open({ cardRanges: () => Promise.reject(new TypeError("Bug")) });
    await expect(vault.test.cardRange(of("pm_card_visa"))).rejects.toThrow(TypeError);
    expect(warnings).toEqual([]);
  });

  it("hold a card only between their ends and of their length", async () => {
    const { vault } = open({ cardRanges: () => Promise.resolve(ranges) });
    expect(await vault.test.cardRange(of("pm_card_mastercard"))).toBeNull();
    const longer = ranges.map((range) => ({ ...range, start: "4", end: "5" }));
    const { vault: other } = open({ cardRanges: () => Promise.resolve(longer) });
    expect(await other.test.cardRange(of("pm_card_visa"))).toBeNull();
  });

  it("that cannot be renewed stay in use; without any, nobody knows who takes part, and the operator is told", async () => {
    let answer: () => Promise<CardRange[]> = unreachable;
    const { vault, clock, warnings } = open({ cardRanges: () => answer() });
    expect(await vault.test.cardRange(of("pm_card_visa"))).toBe("unknown");
    expect(warnings).toHaveLength(1);
    answer = () => Promise.resolve(ranges);
    for (const later of [0, 29_999]) {
      clock.now = new Date(clock.now.getTime() + later);
      expect(await vault.test.cardRange(of("pm_card_visa"))).toBe("unknown"); // the bank is left alone for a while
    }
    clock.now = new Date(clock.now.getTime() + 1);
    expect(await vault.test.cardRange(of("pm_card_visa"))).toMatchObject({ version: "2.3.1" });
    answer = unreachable;
    clock.now = new Date(clock.now.getTime() + 2 * 60 * 60 * 1000);
    expect(await vault.test.cardRange(of("pm_card_visa"))).toMatchObject({ version: "2.3.1" });
    expect(warnings).toHaveLength(2);
  });

  it("are asked for once, however many want to know at the same moment", async () => {
    let asked = 0;
    const { vault } = open({ cardRanges: () => Promise.resolve((asked++, ranges)) });
    await Promise.all(Array.from({ length: 10 }, () => vault.test.cardRange(of("pm_card_visa"))));
    expect(asked).toBe(1);
  });
});

describe("an authentication request", () => {
  it("gets the card put in by the vault, and no answer is silence", async () => {
    let sent: AReq | undefined;
    const { vault } = open({
      authenticate(areq) {
        sent = areq;
        return unreachable();
      },
    });
    const areq = { messageType: "AReq", purchaseAmount: "4900" } as AReqWithoutCard; // the rest is the service's business
    expect(await vault.test.authenticate(of("pm_card_visa"), areq)).toBe("silent");
    expect(sent).toEqual({ ...areq, acctNumber: "4242424242424242", cardExpiryDate: "2912" });
  });

  it("whose answer cannot be read is not taken for silence", async () => {
    const { vault, warnings } = open({
      authenticate: () => Promise.reject(new BankUnreadableError("to it", "neither ARes nor Erro")),
    });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the rest is the service's business
    expect(await vault.test.authenticate(of("pm_card_visa"), areq)).toBe("unreadable");
    expect(warnings).toHaveLength(1);
  });

  it("lets a bug through instead of calling it an answer", async () => {
    const { vault } = open({ authenticate: () => Promise.reject(new TypeError("Bug")) });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the rest is the service's business
    await expect(vault.test.authenticate(of("pm_card_visa"), areq)).rejects.toThrow(TypeError);
  });
});
