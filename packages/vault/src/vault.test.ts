/** How the vault handles the acquirer's responses. Storing cards is tested with a real database in `test/`. */
import { describe, expect, it } from "vitest";
import type { AReq, AReqWithoutCard } from "@oriel/protocol/threeds";
import { authorization } from "../test/authorization.ts";
import { directoryServerOf } from "../test/directory-server-of.ts";
import { noDetails, type Acquirer, type AcquirerReply, type AcquirerWithLookup } from "./connectors/acquirer.ts";
import type { Connector } from "./connectors/connector.ts";
import { InvalidReplyError, NoReplyError } from "./connectors/errors.ts";
import { sandboxCapabilities } from "./connectors/sandbox/acquirer.ts";
import type { DirectoryServer } from "./connectors/three-ds-server.ts";
import { newKeyring } from "./keys/keyring.ts";
import { createVault } from "./vault.ts";

const { card: _, ...sample } = authorization;
const request = { ...sample, usesCvc: true };
const of = (paymentMethodId: string) => ({ paymentMethodId, accountNo: 1 });
const unreachable = () => Promise.reject(new NoReplyError("anything", "TimeoutError"));
const approved: AcquirerReply = { status: "approved", details: noDetails };
const stolen: AcquirerReply = { status: "declined", declineCode: "stolen_card", details: noDetails };

/** What the scripted vendor does. By default, it never responds. */
type Script = Partial<Omit<Acquirer, "mode" | "capabilities" | "unknownOutcome">> &
  Partial<Omit<DirectoryServer, "kind">> & { lookup?: AcquirerWithLookup["unknownOutcome"]["lookup"] };

/** A vault with a scripted acquirer and an empty database. */
function open({ lookup = unreachable, ...script }: Script) {
  const clock = { now: new Date("2026-06-01T12:00:00Z") };
  const statements: string[] = [];
  const warnings: string[] = [];
  const silent = {
    authorize: unreachable,
    capture: unreachable,
    cancel: unreachable,
    refund: unreachable,
    cancelOrRefund: unreachable,
  };
  const connector: Connector<"test"> = {
    acquirer: {
      mode: "test",
      capabilities: sandboxCapabilities,
      unknownOutcome: { by: "reference", lookup },
      ...silent,
      ...script,
    },
    threeDSServer: {
      kind: "directory_server",
      enrollment: unreachable,
      authenticate: unreachable,
      result: unreachable,
      ...script,
    },
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
      connectors: { test: connector, live: null },
      connections: { returnUrl: "https://pay.example" },
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
    const { vault, statements } = open({ authorize: () => Promise.resolve(approved) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({
      outcome: "approved",
      details: noDetails,
    });
    expect(statements).toEqual([]);
  });

  it("returns the decline code of a decline", async () => {
    const { vault } = open({ authorize: () => Promise.resolve(stolen) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({
      outcome: "declined",
      declineCode: "stolen_card",
      details: noDetails,
    });
  });

  it("is pending while the acquirer hasn't decided", async () => {
    const { vault, statements } = open({ authorize: () => Promise.resolve({ status: "pending", details: noDetails }) });
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toEqual({ outcome: "pending", details: noDetails });
    expect(statements).toEqual([]);
  });

  it("is unknown without a response", async () => {
    const { vault, statements } = open({});
    expect(await vault.test.authorize(of("pm_card_visa"), request)).toMatchObject({ outcome: "unknown" });
    expect(await vault.test.lookup("authorize", "att_1")).toMatchObject({ outcome: "unknown" });
    expect(statements).toEqual([]);
  });

  it("is absent, not declined, if the acquirer never received it", async () => {
    const { vault, statements } = open({ lookup: () => Promise.resolve(null) });
    expect(await vault.test.lookup("authorize", "att_1")).toEqual({ outcome: "absent" });
    expect(statements).toEqual([]);
  });

  it("isn't sent to the acquirer without a stored card", async () => {
    let isCalled = false;
    const { vault } = open({
      authorize: () => {
        isCalled = true;
        return Promise.resolve(approved);
      },
    });
    const refused = vault.test.authorize(of("pm_unknown"), request);
    await expect(refused).rejects.toMatchObject({
      name: "CardGoneError",
      message: expect.stringContaining("pm_unknown") as string,
    });
    expect(isCalled).toBe(false);
  });

  it("throws on a bug instead of returning unknown", async () => {
    const { vault } = open({ authorize: () => Promise.reject(new TypeError("Bug")) });
    await expect(vault.test.authorize(of("pm_card_visa"), request)).rejects.toThrow(TypeError);
  });
});

describe("a result that didn't arrive", () => {
  const getResult = (result: DirectoryServer["result"]) =>
    directoryServerOf(open({ result }).vault.test).result("trans_1");

  it("is returned without validation, or counts as silent if there's no readable response", async () => {
    expect(await getResult(() => Promise.resolve({ messageType: "RReq" }))).toEqual({ messageType: "RReq" });
    expect(await getResult(() => Promise.resolve(null))).toBeNull();
    expect(await getResult(unreachable)).toBe("silent");
    expect(await getResult(() => Promise.reject(new InvalidReplyError("it", "HTTP 500")))).toBe("silent");
  });

  it("throws on a bug instead of returning silent", async () => {
    await expect(getResult(() => Promise.reject(new TypeError("Bug")))).rejects.toThrow(TypeError);
  });
});

describe("an operation on an authorization", () => {
  const authorization = { reference: "att_1", acquirerId: "bank_1" };
  const made = { reference: "att_2", isRepeated: false, authorization, amount: 4900, currency: "eur" };
  it.each(["capture", "cancel", "refund"] as const)(
    "(%s) needs no card, and is unknown if there's no response",
    async (kind) => {
      let reply: AcquirerReply | null = approved;
      const sent: unknown[] = [];
      const { vault, statements } = open({
        [kind]: (request: unknown) => {
          sent.push(request);
          return reply === null ? unreachable() : Promise.resolve(reply);
        },
        lookup: (...query: unknown[]) => {
          sent.push(query);
          return Promise.resolve(reply);
        },
      });
      expect(await vault.test[kind](made)).toEqual({ outcome: "approved", details: noDetails });
      expect(await vault.test.lookup(kind, "att_2")).toEqual({ outcome: "approved", details: noDetails });
      reply = stolen;
      expect(await vault.test[kind](made)).toEqual({
        outcome: "declined",
        declineCode: "stolen_card",
        details: noDetails,
      });
      reply = null;
      expect(await vault.test[kind](made)).toMatchObject({ outcome: "unknown" });
      expect(await vault.test.lookup(kind, "att_2")).toEqual({ outcome: "absent" });
      expect(sent).toEqual([made, [kind, "att_2"], made, made, [kind, "att_2"]]);
      expect(statements).toEqual([]);
    },
  );
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
    expect(await directoryServerOf(vault.test).authenticate(of("pm_card_visa"), areq)).toBe("silent");
    expect(sent).toEqual({ ...areq, acctNumber: "4242424242424242", cardExpiryDate: "2912" });
  });

  it("is unreadable, not silent, with an invalid response", async () => {
    const { vault, warnings } = open({
      authenticate: () => Promise.reject(new InvalidReplyError("it", "it's neither an ARes nor an Erro")),
    });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the vault doesn't use the other fields
    expect(await directoryServerOf(vault.test).authenticate(of("pm_card_visa"), areq)).toBe("unreadable");
    expect(warnings).toHaveLength(1);
  });

  it("throws on a bug instead of returning a result", async () => {
    const { vault } = open({ authenticate: () => Promise.reject(new TypeError("Bug")) });
    const areq = { messageType: "AReq" } as AReqWithoutCard; // the vault doesn't use the other fields
    await expect(directoryServerOf(vault.test).authenticate(of("pm_card_visa"), areq)).rejects.toThrow(TypeError);
  });
});
