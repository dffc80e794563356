/**
 * What really happened at the bank, by its own books. Asked for in Node, with the key that Playwright's configuration
 * gave the bank.
 */
import type { Authorization } from "@oriel/protocol/acquirer";
import { addresses, bankKey } from "../addresses.ts";

/** By what a test knows its authentications. */
export interface Known {
  email: string;
  /** A threeDSServerTransID, where the page asks for no address. */
  id: string | null;
}

/** As far as the tests look at it. */
export interface BankAuthentication {
  acsTransID: string;
  threeDSServerTransID: string;
  cardholder: { email?: string };
  threeDSCompInd: "Y" | "N" | "U";
  /** The browser that the 3DS Method met. */
  methodUserAgent: string | null;
  /** Of the ARes; null where an Erro was the answer. */
  transStatus: string | null;
  result: { transStatus: string; transStatusReason?: string; challengeCancel?: string; delivered: boolean } | null;
  /** How many of each kind there were. */
  messages: Record<"AReq" | "CReq" | "CRes" | "Erro" | "RReq" | "RRes", number>;
}

/** Every authentication that the bank was asked for, for a cardholder of this address or by this id, oldest first. */
export async function authenticationsOf({ email, id }: Known): Promise<BankAuthentication[]> {
  const { authentications } = await ask<{ authentications: BankAuthentication[] }>("/directory-server/authentications");
  return authentications.filter(
    ({ cardholder, threeDSServerTransID }) => cardholder.email === email || threeDSServerTransID === id,
  );
}

/** Every time that the bank was asked for exactly this amount, oldest first. */
export async function authorizationsOf(amount: number): Promise<Authorization[]> {
  const { authorizations } = await ask<{ authorizations: Authorization[] }>("/acquirer/authorizations");
  return authorizations.filter((authorization) => authorization.amount === amount);
}

async function ask<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${bankKey}` };
  const response = await fetch(addresses.bankApi + path, { headers, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`The bank answered ${response.status} to ${path}: ${await response.text()}`);
  return (await response.json()) as T; // the bank's own answer
}
