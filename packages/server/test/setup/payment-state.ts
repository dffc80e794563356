/**
 * The state of a payment in the iframe from every side: what the page shows, what the merchant sees, what is stored,
 * and what the bank knows.
 */
import { expect } from "vitest";
import type { Row } from "../../src/platform/storage/tables.ts";
import type { Checkout } from "./customer.ts";
import type { Json, TestService } from "./test-service.ts";
import { until } from "./until.ts";

/** Waits until the payment is over or waits for the merchant, and returns it. */
export function settled(checkout: Checkout, id: string): Promise<Json> {
  return until("the payment to end", async () => {
    const payment = (await checkout.payment(id)).body["payment"];
    const isEnded = ["succeeded", "declined", "requires_confirmation"].includes(String(payment?.["status"]));
    return isEnded && payment !== undefined ? payment : null;
  });
}

/** @param of the merchant that owns the payment. Defaults to the service's first one */
export async function decisionOf(
  service: TestService,
  id: string,
  of: Pick<TestService, "call"> = service,
): Promise<Json> {
  return (await of.call("GET", `/api/v1/decisions/${id}`)).body;
}

export async function chargesOf(service: TestService, checkout: Checkout): Promise<Json[]> {
  const listed = await service.call("GET", `/api/v1/charges?session_id=${checkout.sessionId}`);
  return listed.body["data"] as unknown as Json[]; // a list's data is an array
}

/**
 * Everything that this payment has created so far, which only the bank may change. Leaves out what the bank sends after
 * the end, although it is stored.
 */
export async function everything(service: TestService, checkout: Checkout, id: string): Promise<object> {
  const payment = (await checkout.payment(id)).body["payment"];
  const authentications = await authenticationsOf(service, id);
  return {
    payment,
    decision: await decisionOf(service, id),
    session: await checkout.session(),
    charges: await chargesOf(service, checkout),
    authentications: authentications.map((row) => ({ ...row, late_result: null, rreq_digest: null })),
    ledger: await service.bankAuthorizations(),
  };
}

/** One authentication, or two if the issuer required another one later. */
export async function authenticationsOf({ context }: TestService, id: string): Promise<Row<"authentication">[]> {
  const ofPayment = context.db.selectFrom("authentication").selectAll().where("decision_id", "=", id);
  return await ofPayment.orderBy("is_step_up").execute();
}

/** Decodes a field of a bank's form. */
export function decode(field: unknown): Json {
  const text = String(field);
  expect(text).toMatch(/^[\w-]+$/); // base64url without padding, as the ACS expects
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Json;
}
