/** What really happened at the bank, from its ledger. Fetched from Node with the key that playwright.config.ts sets. */
import type { Authorization } from "@oriel/protocol/acquirer";
import { addresses, bankKey } from "../urls.ts";

/** How a test identifies its authentications. */
export interface Known {
  email: string;
  /** A threeDSServerTransID, for pages without an email field. */
  id: string | null;
}

/** The fields that tests use. */
export interface BankAuthentication {
  acsTransID: string;
  threeDSServerTransID: string;
  cardholder: { email?: string };
  threeDSCompInd: "Y" | "N" | "U";
  /** The browser that ran the 3DS Method. */
  methodUserAgent: string | null;
  /** From the ARes. Null if the response was an Erro. */
  transStatus: string | null;
  result: { transStatus: string; transStatusReason?: string; challengeCancel?: string; delivered: boolean } | null;
  /** Number of messages of each kind. */
  messages: Record<"AReq" | "CReq" | "CRes" | "Erro" | "RReq" | "RRes", number>;
}

/** All authentications at the bank with this cardholder's email or this ID, oldest first. */
export async function authenticationsOf({ email, id }: Known): Promise<BankAuthentication[]> {
  const { authentications } = await request<{ authentications: BankAuthentication[] }>(
    "/directory-server/authentications",
  );
  return authentications.filter(
    ({ cardholder, threeDSServerTransID }) => cardholder.email === email || threeDSServerTransID === id,
  );
}

/** All authorizations at the bank with exactly this amount, oldest first. */
export async function authorizationsOf(amount: number): Promise<Authorization[]> {
  const { authorizations } = await request<{ authorizations: Authorization[] }>("/acquirer/authorizations");
  return authorizations.filter((authorization) => authorization.amount === amount);
}

async function request<T>(path: string): Promise<T> {
  const headers = { authorization: `Bearer ${bankKey}` };
  const response = await fetch(addresses.bankApi + path, { headers, signal: AbortSignal.timeout(10_000) });
  if (!response.ok) throw new Error(`The bank responded ${response.status} to ${path}: ${await response.text()}`);
  return (await response.json()) as T; // from the bank
}
