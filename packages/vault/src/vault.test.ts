/** How the vault handles the acquirer's responses. Storing cards is tested with a real database in `test/`. */
import { describe, expect, it } from "vitest";
import type { AReq, AReqWithoutCard } from "@oriel/protocol/threeds";
import { BankUnreachableError, BankUnreadableError, type Bank, type BankAnswer, type CardRange } from "./bank.ts";
import { newKeyring } from "./keyring.ts";
import { createVault } from "./vault.ts";

const request = { reference: "att_1", amount: 4900, currency: "eur", capture: true };
const of = (paymentMethodId: string) => ({ paymentMethodId, accountNo: 1 });
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

/** A vault with a scripted acquirer and an empty database. */
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
  it("is approved for a test payment method, which has nothing to read or erase", async () => {
    const { vault, statements } = open({ authorize: () => Promise.resolve({ status: "approved" }) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({ outcome: "approved" });
    expect(statements).toEqual([]);
  });

  it("returns the decline code of a decline", async () => {
    const { vault } = open({ authorize: () => Promise.resolve({ status: "declined", declineCode: "stolen_card" }) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({
      outcome: "declined",
      declineCode: "stolen_card",
    });
  });

  it("is unknown without a response, and the CVC stays for the next attempt", async () => {
    const { vault, statements } = open({});
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({ outcome: "unknown" });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "unknown" });
    expect(statements).toEqual([]);
  });

  it("erases the CVC if a lookup finds a result", async () => {
    const { vault, statements } = open({ lookup: () => Promise.resolve({ status: "approved" }) });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "approved" });
    expect(statements).toEqual([expect.stringContaining("delete from vault.cvc")]);
  });

  it("is absent, not declined, if the acquirer never received it", async () => {
    const { vault, statements } = open({ lookup: () => Promise.resolve(null) });
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual({ outcome: "absent" });
    expect(statements).toEqual([]);
  });

  it("isn't sent to the acquirer without a stored card", async () => {
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

  it("throws on a bug instead of returning unknown", async () => {
    const { vault } = open({ authorize: () => Promise.reject(new TypeError("Bug")) });
    await expect(vault.test.authorize(of("pm_card_visa"), request)).rejects.toThrow(TypeError);
  });
});

describe("a lookup", () => {
  it("erases the CVC if it finds a decline", async () => {
    const { vault, statements } = open({
      lookup: () => Promise.resolve({ status: "declined", declineCode: "stolen_card" }),
    });
    const declined = { outcome: "declined", declineCode: "stolen_card" };
    expect(await vault.test.lookup("authorize", "att_1", "pm_card_visa")).toEqual(declined);
    expect(statements).toEqual([expect.stringContaining("delete from vault.cvc")]);
  });
});

describe("a result that didn't arrive", () => {
  const getResult = (result: Bank["result"]) => open({ result }).vault.test.result("trans_1");

  it("is returned without validation, or counts as silent if there's no readable response", async () => {
    expect(await getResult(() => Promise.resolve({ messageType: "RReq" }))).toEqual({ messageType: "RReq" });
    expect(await getResult(() => Promise.resolve(null))).toBeNull();
    expect(await getResult(unreachable)).toBe("silent");
    expect(await getResult(() => Promise.reject(new BankUnreadableError("to it", "HTTP 500")))).toBe("silent");
  });

  it("throws on a bug instead of returning silent", async () => {
    await expect(getResult(() => Promise.reject(new TypeError("Bug")))).rejects.toThrow(TypeError);
  });
});

describe("an operation on an authorization", () => {
  const made = { reference: "att_2", authorization: "att_1", amount: 4900 };
  it.each(["capture", "cancel", "refund"] as const)(
    "(%s) needs no card, leaves the CVC alone, and is unknown if there's no response",
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

describe("the cached card ranges", () => {
  it("are requested once an hour", async () => {
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
    clock.now = new Date(start); // the clock was corrected
    await vault.test.cardRange(of("pm_card_visa"));
    expect(asked).toBe(3);
  });

  it("include the first and the last card number of a range", async () => {
    const visa = "4242424242424242";
    const versions: CardRange["versions"] = [{ version: "2.2.0", methodUrl: null }];
    const { vault } = open({ cardRanges: () => Promise.resolve([{ start: visa, end: visa, versions }]) });
    expect(await vault.test.cardRange(of("pm_card_visa"))).toEqual(versions[0]);
  });

  it("throw on a bug instead of warning about the acquirer", async () => {
    const { vault, warnings } = open({ cardRanges: () => Promise.reject(new TypeError("Bug")) });
    await expect(vault.test.cardRange(of("pm_card_visa"))).rejects.toThrow(TypeError);
    expect(warnings).toEqual([]);
  });

  it("exclude cards outside a range or of another length", async () => {
    const { vault } = open({ cardRanges: () => Promise.resolve(ranges) });
    expect(await vault.test.cardRange(of("pm_card_mastercard"))).toBeNull();
    const longer = ranges.map((range) => ({ ...range, start: "4", end: "5" }));
    const { vault: other } = open({ cardRanges: () => Promise.resolve(longer) });
    expect(await other.test.cardRange(of("pm_card_visa"))).toBeNull();
  });

  it("stay in use if a refresh fails, and are unknown with a warning if there were none", async () => {
    let answer: () => Promise<CardRange[]> = unreachable;
    const { vault, clock, warnings } = open({ cardRanges: () => answer() });
    expect(await vault.test.cardRange(of("pm_card_visa"))).toBe("unknown");
    expect(warnings).toHaveLength(1);
    answer = () => Promise.resolve(ranges);
    for (const later of [0, 29_999]) {
      clock.now = new Date(clock.now.getTime() + later);
      expect(await vault.test.cardRange(of("pm_card_visa"))).toBe("unknown"); // no new request for 30 seconds
    }
    clock.now = new Date(clock.now.getTime() + 1);
    expect(await vault.test.cardRange(of("pm_card_visa"))).toMatchObject({ version: "2.3.1" });
    answer = unreachable;
    clock.now = new Date(clock.now.getTime() + 2 * 60 * 60 * 1000);
    expect(await vault.test.cardRange(of("pm_card_visa"))).toMatchObject({ version: "2.3.1" });
    expect(warnings).toHaveLength(2);
  });

  it("are requested once for concurrent callers", async () => {
    let asked = 0;
    const { vault } = open({ cardRanges: () => Promise.resolve((asked++, ranges)) });
    await Promise.all(Array.from({ length: 10 }, () => vault.test.cardRange(of("pm_card_visa"))));
    expect(asked).toBe(1);
  });
});

describe("an authentication request", () => {
  it("contains the card, and is silent without a response", async () => {
    let sent: AReq | undefined;
    const { vault } = open({
      authenticate(areq) {
        sent = areq;
        return unreachable();
      },
    });
    // The vault doesn't use the other fields.
    const areq = { messageType: "AReq", purchaseAmount: "4900" } as AReqWithoutCard;
    expect(await vault.test.authenticate(of("pm_card_visa"), areq)).toBe("silent");
    expect(sent).toEqual({ ...areq, acctNumber: "4242424242424242", cardExpiryDate: "2912" });
  });

  it("is unreadable, not silent, with an invalid response", async () => {
    const { vault, warnings } = open({
      authenticate: () => Promise.reject(new BankUnreadableError("to it", "it's neither an ARes nor an Erro")),
    });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the vault doesn't use the other fields
    expect(await vault.test.authenticate(of("pm_card_visa"), areq)).toBe("unreadable");
    expect(warnings).toHaveLength(1);
  });

  it("throws on a bug instead of returning a result", async () => {
    const { vault } = open({ authenticate: () => Promise.reject(new TypeError("Bug")) });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the vault doesn't use the other fields
    await expect(vault.test.authenticate(of("pm_card_visa"), areq)).rejects.toThrow(TypeError);
  });
});
