/**
 * Where a payment of the frame stands, from every side: what the page is shown, what the merchant sees, what is written
 * down, what the bank knows.
 */
import { expect } from "vitest";
import type { Row } from "../../src/platform/storage/tables.ts";
import type { Checkout } from "./customer.ts";
import type { Json, TestService } from "./test-service.ts";
import { until } from "./until.ts";

/** The payment once it is over, or waits for the merchant. */
export function settled(checkout: Checkout, id: string): Promise<Json> {
  return until("the payment's end", async () => {
    const payment = (await checkout.payment(id)).body["payment"];
    const isOver = ["succeeded", "declined", "requires_confirmation"].includes(String(payment?.["status"]));
    return isOver && payment !== undefined ? payment : null;
  });
}

/** @param of the merchant whose it is; without it the service's first */
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
 * What nobody but the bank may change: everything that this payment has made so far. What the bank says after the end
 * is written down, and no part of it.
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
    books: await service.bankBooks(),
  };
}

/** One, or two where the bank wanted the customer after all. */
export async function authenticationsOf({ context }: TestService, id: string): Promise<Row<"authentication">[]> {
  const ofPayment = context.db.selectFrom("authentication").selectAll().where("decision_id", "=", id);
  return await ofPayment.orderBy("is_step_up").execute();
}

/** A field of a bank's form, read. */
export function decode(field: unknown): Json {
  const text = String(field);
  expect(text).toMatch(/^[\w-]+$/); // base64url without padding, as the ACS wants it
  return JSON.parse(Buffer.from(text, "base64url").toString()) as Json;
}
