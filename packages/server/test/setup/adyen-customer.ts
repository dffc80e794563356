/**
 * A merchant with an account at the simulator of Adyen, and a customer who authenticates there. All requests to the
 * simulator go through a proxy, so that a test can count them and lose responses. No process runs in the background.
 */
import { threeDSecureCards, type ThreeDSecureScenario } from "@oriel/protocol/test-cards";
import type { Row } from "../../src/platform/storage/tables.ts";
import { startAdyen, type AdyenBank } from "./adyen.ts";
import { completeChallenge, goBack, runMethod, type ChallengeInput, type WayBack } from "./at-the-bank.ts";
import { openBankProxy, type BankProxy, type ProxyAction } from "./bank-proxy.ts";
import type { Checkout } from "./customer.ts";
import { newMerchant, type Merchant } from "./merchant.ts";
import { authenticationsOf, settled } from "./payment-state.ts";
import { startTestService, type Json, type TestService, type TestServiceOptions } from "./test-service.ts";

/** The requests of an authentication, in their order. */
export type AuthenticationStep = "begin" | "after the method" | "result";

export interface Challenged {
  checkout: Checkout;
  id: string;
  /** The payment as the customer's page sees it. */
  payment: Json;
}

export interface AdyenCustomer {
  adyen: AdyenBank;
  service: TestService;
  merchant: Merchant;
  /** The requests of authentications so far, without their repetitions. */
  steps: AuthenticationStep[];
  /** Sets what happens to a request of an authentication, until {@link restore}. */
  fail(step: AuthenticationStep, action: (count: number) => Promise<ProxyAction> | ProxyAction): void;
  restore(): void;
  /** Pays with a card of this scenario, up to what the page gets first. */
  pay(scenario: ThreeDSecureScenario, more?: object): Promise<Challenged>;
  /** Runs the 3DS Method of a payment that waits for it, unless told otherwise, and continues. */
  continue(started: Challenged, options?: { withMethod: boolean }): Promise<Challenged>;
  /** Pays, up to the challenge. */
  challenged(scenario?: ThreeDSecureScenario, more?: object): Promise<Challenged>;
  /** Completes the challenge. The browser doesn't return yet. */
  complete(challenged: Challenged, input: ChallengeInput): Promise<WayBack>;
  /** Completes the challenge, returns, and waits for the end of the payment. */
  finish(challenged: Challenged, input: ChallengeInput): Promise<Json>;
  /** The authentication, or the second one of a step-up. */
  authentication(id: string): Promise<Row<"authentication">>;
  close(): Promise<void>;
}

export async function startAdyenCustomer(options: TestServiceOptions = {}): Promise<AdyenCustomer> {
  const adyen = await startAdyen();
  const line: BankProxy = await openBankProxy(adyen.bankUrl);
  const service = await startTestService({ bankUrl: adyen.bankUrl, role: "api", pages: true, ...options });
  const merchant = await newMerchant(service);
  adyen.entered.settings = { merchant_account: "KilnAndClay", api_url: `${line.url}/adyen/v71` };
  await adyen.connect(service, merchant.tenant);
  const actions = new Map<AuthenticationStep, (count: number) => Promise<ProxyAction> | ProxyAction>();
  const counts = new Map<string, number>();
  line.watch = (request, body) => {
    const step = stepOf(request, body);
    if (step === null) return "pass";
    const count = (counts.get(body) ?? 0) + 1;
    counts.set(body, count);
    if (count === 1) customer.steps.push(step);
    return actions.get(step)?.(count) ?? "pass";
  };

  const customer: AdyenCustomer = {
    adyen,
    service,
    merchant,
    steps: [],
    fail: (step, action) => void actions.set(step, action),
    restore: () => actions.clear(),
    async pay(scenario, more) {
      const checkout = await merchant.checkout(more);
      const payment = (await checkout.pay(threeDSecureCards[scenario][0])).body["payment"] ?? {};
      return { checkout, id: String(payment["id"]), payment };
    },
    async continue({ checkout, id, payment }, { withMethod } = { withMethod: true }) {
      if (withMethod) await runMethod(service, payment);
      return { checkout, id, payment: (await checkout.authenticate(id)).body["payment"] ?? {} };
    },
    async challenged(scenario = "challenge", more) {
      const challenged = await customer.continue(await customer.pay(scenario, more));
      if (String(challenged.payment["status"]) !== "challenge") throw new Error("The issuer requires no challenge");
      return challenged;
    },
    async complete({ payment }, input) {
      const wayBack = await completeChallenge(service, payment, input);
      if (wayBack === null) throw new Error("The bank's page has no form that leads back");
      return wayBack;
    },
    async finish(challenged, input) {
      await goBack(await customer.complete(challenged, input));
      return await settled(challenged.checkout, challenged.id);
    },
    async authentication(id) {
      const row = (await authenticationsOf(service, id)).at(-1);
      if (row === undefined) throw new Error("The payment has no authentication");
      return row;
    },
    async close() {
      await service.close();
      await line.close();
      await adyen.close();
    },
  };
  return customer;
}

function stepOf(request: string, body: string): AuthenticationStep | null {
  if (request.endsWith("/payments/details"))
    return body.includes("threeds2.fingerprint") ? "after the method" : "result";
  return request.endsWith("/payments") && body.includes('"authenticationOnly":true') ? "begin" : null;
}
