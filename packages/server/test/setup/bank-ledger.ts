/** The sandbox bank's own records and its fault settings, neither of which the service sees. */
import type { Authorization, Cancel, Capture, Refund } from "@oriel/protocol/acquirer";
import { bankKeys, type TestService } from "./test-service.ts";

export interface Ledger {
  authorizations: Authorization[];
  captures: Capture[];
  cancels: Cancel[];
  refunds: Refund[];
}

/** All records, oldest first. */
export async function readLedger(service: Pick<TestService, "bankUrl">): Promise<Ledger> {
  const [{ authorizations }, { captures }, { cancels }, { refunds }] = (await Promise.all(
    (["authorizations", "captures", "cancels", "refunds"] as const).map((kind) =>
      request(service, "GET", `/acquirer/${kind}`),
    ),
  )) as [Ledger, Ledger, Ledger, Ledger]; // one list from each request
  return { authorizations, captures, cancels, refunds };
}

/** The records about one decision: its authorization, and the captures, cancellations and refunds that followed. */
export async function ledgerOf(service: TestService, decisionId: string): Promise<Ledger> {
  const attempts = await service.context.db
    .selectFrom("attempt")
    .select("id")
    .where("decision_id", "=", decisionId)
    .where("kind", "in", ["authorize", "verify"])
    .execute();
  const ids = attempts.map(({ id }) => id);
  const isAbout = ({ authorization }: { authorization: string }) => ids.includes(authorization);
  const { authorizations, captures, cancels, refunds } = await readLedger(service);
  return {
    authorizations: authorizations.filter(({ reference }) => ids.includes(reference)),
    captures: captures.filter(isAbout),
    cancels: cancels.filter(isAbout),
    refunds: refunds.filter(isAbout),
  };
}

/** The names in the bank's documentation. The fault occurs `before` or `after` the bank has done the work. */
export type FaultName =
  | "timeout_before"
  | "timeout_after"
  | "error_before"
  | "error_after"
  | "down"
  | "late"
  | "answer_twice"
  | "garbage";

export interface FaultRule {
  match?: { kind?: "authorization" | "capture" | "cancel" | "refund" | "lookup"; reference?: string; last4?: string };
  fault: FaultName;
  times?: number;
  ms?: number;
}

export async function addFaults(service: Pick<TestService, "bankUrl">, ...rules: FaultRule[]): Promise<void> {
  await request(service, "POST", "/sandbox/faults", { rules: rules.map((rule) => ({ match: {}, ...rule })) });
}

export async function clearFaults(service: Pick<TestService, "bankUrl">): Promise<void> {
  await request(service, "DELETE", "/sandbox/faults");
}

/** How many faults have occurred since they were last cleared. */
export async function countFaults(service: Pick<TestService, "bankUrl">): Promise<number> {
  const { rules } = (await request(service, "GET", "/sandbox/faults")) as { rules: { struck: number }[] };
  return rules.reduce((sum, { struck }) => sum + struck, 0);
}

async function request(
  { bankUrl }: Pick<TestService, "bankUrl">,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  const response = await fetch(`${bankUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${bankKeys.apiKey}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  if (!response.ok)
    throw new Error(`The bank returned ${response.status} to ${method} ${path}: ${await response.text()}`);
  return await response.json();
}
