/**
 * What customers do in the iframe. A page has no idempotency keys. Instead, a session can have only one payment in
 * flight, and only one can succeed. So a page that lost its connection opens the session again, checks its state, and
 * pays again only if nothing is in flight.
 */
import { setTimeout as pause } from "node:timers/promises";
import type { Charge, CheckoutSession } from "@oriel/protocol/api";
import type { FramePayment } from "@oriel/protocol/frame";
import { completeChallenge, goBack, type WayBack } from "../../packages/server/test/setup/at-the-bank.ts";
import { cardNumbers, openCheckout, type Checkout, type Reached } from "../../packages/server/test/setup/customer.ts";
import type { ApiResponse as TestApiResponse, Json } from "../../packages/server/test/setup/test-service.ts";
import { partsOf, shippingOptionIds } from "../cart.ts";
import { money, type Sale } from "./client-records.ts";
import { chargeWith, goOn, sellOverApi, Unexpected, type Client } from "./flows.ts";
import type { ApiResponse } from "./send.ts";
import { cartsPerSale, changeCart, codes, isOffered, itemsOf, prices, replyToCode } from "./shop.ts";

const { approved, frictionless, frictionlessWithoutMethod, challenge, captureDeclined, refundDeclined } = cardNumbers;
const declining = [cardNumbers.declined, cardNumbers.insufficientFunds, cardNumbers.stolen];
const approving = [
  approved,
  approved,
  frictionless,
  frictionlessWithoutMethod,
  challenge,
  captureDeclined,
  refundDeclined,
];

/** Pays a session in the iframe, sometimes after a declined card or two. */
export async function sellInCheckout(client: Client, bankUrl: string): Promise<void> {
  const { clientRecords, chance, sender } = client;
  const sale = clientRecords.openSale("checkout");
  const isServer = chance.happens(0.3);
  sale.hasChoices = chance.happens(0.5);
  const order = {
    ...(sale.hasChoices ? withChoices(sale) : money(sale)),
    confirmation: isServer ? "server" : "automatic",
    capture_method: chance.happens(0.4) ? "manual" : "automatic",
    save_payment_method: chance.happens(0.2) && !sale.hasChoices, // a free order then needs no card
  };
  const service = reach(client, bankUrl);
  const checkout = await openCheckout(service, order);
  sale.sessionId = checkout.sessionId;
  const tries = [...(isServer || chance.happens(0.7) ? [] : [chance.pick(declining)]), chance.pick(approving)];
  const [payment] = await Promise.all([
    chooseAndPay(client, service, checkout, tries, sale),
    chance.happens(0.4) ? changeTotal(client, checkout, sale) : null,
  ]);
  if (payment.status === "requires_confirmation") {
    const { payment_method_id, decision_id } = payment;
    return await chargeWith(client, sale, { payment_method_id, decision_id });
  }
  const path = `/api/v1/charges?session_id=${checkout.sessionId}`;
  const { text } = await sender.repeat({ surface: "api", method: "GET", path, about: checkout.sessionId }, chance);
  const { data } = JSON.parse(text) as { data: Charge[] };
  const charge = data.find(({ status }) => status !== "failed");
  if (sale.amount === 0) {
    if (charge !== undefined)
      throw new Unexpected(`The free session ${checkout.sessionId} has the charge ${charge.id}`);
    sale.reported = "free";
    return;
  }
  sale.reported = "approved";
  if (charge === undefined) throw new Unexpected(`The paid session ${checkout.sessionId} has no charge`);
  await goOn(client, sale, charge);
}

function withChoices(sale: Sale) {
  const parts = partsOf(prices, itemsOf(sale), null);
  return { ...money(sale), ...parts, amount: itemsOf(sale), collect: { promotion_code: true } };
}

async function chooseAndPay(
  client: Client,
  service: Reached,
  checkout: Checkout,
  tries: string[],
  sale: Sale,
): Promise<Done> {
  if (sale.hasChoices)
    for (let left = client.chance.between(0, 4); left > 0; left--) {
      await (client.chance.happens(0.5) ? chooseShipping(client, checkout) : enterCode(client, checkout));
      await open(checkout);
    }
  return await payUntilDone(client, service, checkout, tries, sale);
}

/** If the session has changed meanwhile, the customer looks at the total again first. */
async function chooseShipping({ clientRecords, chance }: Client, checkout: Checkout): Promise<void> {
  const { status, body, text } = await checkout.chooseShipping(chance.pick(shippingOptionIds));
  if (status === 200) clientRecords.shippingChoices++;
  else if (body["error"]?.["code"] !== ("session_changed" as unknown))
    throw new Unexpected(`A shipping choice got ${status} ${text}`);
}

/** Enters a code. The page reports it to the shop most of the time, and the webhook always does. */
async function enterCode(client: Client, checkout: Checkout): Promise<void> {
  const { clientRecords, chance } = client;
  const { status, body, text } = await checkout.enterCode(chance.pick(codes));
  if (status !== 200) {
    if (body["error"]?.["code"] === ("session_changed" as unknown)) return;
    throw new Unexpected(`A promotion code got ${status} ${text}`);
  }
  clientRecords.codes++;
  if (chance.happens(0.7)) await replyToCode(client, checkout.sessionId);
  else await pause(chance.between(0, 1_000));
}

/** The shop changes the total while the customer pays. */
async function changeTotal(client: Client, { sessionId }: Checkout, sale: Sale): Promise<void> {
  const { clientRecords, sender } = client;
  const random = client.chance.stream(sessionId);
  for (let more = 1; more < cartsPerSale; more++) {
    await pause(random.between(0, 300));
    if (sale.hasChoices) {
      await changeCart(client, sessionId, itemsOf(sale) + more);
      continue;
    }
    const path = `/api/v1/checkout_sessions/${sessionId}`;
    const request = {
      surface: "api",
      method: "PATCH",
      path,
      body: { amount: sale.firstAmount + more },
      about: sessionId,
    } as const;
    const { status, text } = await sender.repeat(request, random);
    if (status === 200) clientRecords.changed++;
    else if (!/"session_(payment_in_progress|closed)"/.test(text))
      throw new Unexpected(`A change of a session got ${status} ${text}`);
  }
}

/** Saves a card in a session and then charges it over the API. */
export async function saveAndSell(client: Client, bankUrl: string): Promise<void> {
  const service = reach(client, bankUrl);
  const checkout = await openCheckout(service, { mode: "setup", amount: undefined, currency: undefined });
  const setup = { sessionId: checkout.sessionId, isDone: false };
  client.clientRecords.setups.push(setup);
  // To save a card without paying, a new customer must pass a challenge.
  await payUntilDone(client, service, checkout, [challenge]);
  setup.isDone = true;
  const session = (await checkout.session()) as unknown as CheckoutSession; // the API contract documents this type
  if (session.payment_method_id === null) throw new Unexpected(`${session.id} is complete but has no saved card`);
  await sellOverApi(client, session.payment_method_id);
}

/**
 * Retries the last card until it's approved, because something like 3-D Secure may fail while the bank is unreachable.
 */
async function payUntilDone(
  client: Client,
  service: Reached,
  checkout: Checkout,
  tries: string[],
  sale?: Sale,
): Promise<Done> {
  for (let i = 0; i < 5; i++) {
    const card = tries[Math.min(i, tries.length - 1)] ?? approved;
    const done = await follow(client, service, checkout, await pay(client, checkout, card, sale));
    if (done !== "declined") return done;
  }
  throw new Unexpected(`Five attempts with ${tries.join(", ")} were declined in the session ${checkout.sessionId}`);
}

type Done = Extract<FramePayment, { status: "succeeded" | "requires_confirmation" }>;

/** The longest time that a customer takes to press Pay. The total may change in that time. */
const typesForMs = 200;

/**
 * Repeats the request until the service has received the payment. Returns "declined" if the only trace of the payment
 * is that the session has fewer attempts left.
 */
async function pay(
  { clientRecords, chance }: Client,
  checkout: Checkout,
  card: string,
  sale?: Sale,
): Promise<FramePayment | "declined"> {
  const before = await open(checkout);
  let shown = before.session;
  for (;;) {
    await pause(chance.between(0, typesForMs));
    if (sale !== undefined && shown.amount !== null) {
      if (!isOffered(sale, shown.amount))
        throw new Unexpected(`The form of ${checkout.sessionId} shows ${shown.amount}, for which the shop never asked`);
      sale.amount = shown.amount;
      sale.pressed.set(shown.version, shown.amount);
    }
    const response = await (shown.amount === 0 ? checkout.complete() : checkout.pay(card).catch(lost));
    // The API contract documents this type.
    if (response?.status === 200) return response.body["payment"] as unknown as FramePayment;
    if (response?.body["error"]?.["code"] === ("session_changed" as unknown)) clientRecords.refused++;
    const now = await open(checkout);
    if (now.payment !== null) return now.payment;
    if (now.session.attempts_left < before.session.attempts_left) return "declined";
    shown = now.session;
    await pause(300);
  }
}

interface Opened {
  session: { attempts_left: number; amount: number | null; version: number };
  payment: FramePayment | null;
}

async function open(checkout: Checkout): Promise<Opened> {
  const { status, body } = await checkout.reopen();
  if (status !== 200) throw new Unexpected(`A checkout page got ${status}`);
  return body as unknown as Opened;
}

/** How long a customer waits for a page that doesn't change during 3-D Secure. */
const timeoutMs = 20_000;

async function follow(
  { clientRecords }: Client,
  service: Reached,
  checkout: Checkout,
  started: FramePayment | "declined",
): Promise<Done | "declined"> {
  let payment = started;
  let isChallenged = false;
  const startedAt = Date.now();
  for (;;) {
    if (payment === "declined" || payment.status === "declined") return "declined";
    if (payment.status === "succeeded" || payment.status === "requires_confirmation") return payment;
    const { id } = payment;
    const isTooSlow = payment.status !== "processing" && Date.now() - startedAt > timeoutMs;
    if (isTooSlow) clientRecords.gaveUp += 1;
    if (payment.status === "challenge" && !isChallenged) {
      isChallenged = true;
      // If a page reaches the bank too late, it shows an error, and the customer gives up after a while.
      const wayBack = await completeChallenge(service, payment as unknown as Json, { code: "111111" }).catch(
        () => null,
      );
      if (wayBack !== null) await comeBack(wayBack);
    }
    if (payment.status !== "three_ds") await pause(300);
    const response = isTooSlow
      ? await checkout.cancel(id)
      : payment.status === "three_ds"
        ? await checkout.authenticate(id)
        : await checkout.payment(id);
    if (response.status !== 200)
      throw new Unexpected(`A payment in the iframe got ${response.status} ${response.text}`);
    payment = response.body["payment"] as unknown as FramePayment;
  }
}

/** The browser goes back to the process that it came from. While that's down, the customer reloads the page. */
async function comeBack(wayBack: WayBack): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    const page = await goBack(wayBack).catch(() => null);
    if (page !== null) return;
    await pause(500);
  }
}

/**
 * The connection to the service that `customer.ts` needs. Retries requests that are safe to repeat, but never a
 * payment.
 */
function reach({ sender, chance }: Client, bankUrl: string): Reached {
  // Each customer has an address, as behind a proxy.
  const ip = `100.64.${chance.between(0, 255)}.${chance.between(1, 254)}`;
  return {
    bankUrl,
    async call(method, path, body) {
      if (method === "POST") return asTest(await sender.send(path, body ?? {}, chance));
      return asTest(await sender.repeat({ surface: "api", method, path, about: path }, chance));
    },
    async frame(method, path, body, token) {
      const headers = { "x-forwarded-for": ip, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
      const about = /cs_[0-9a-z]+/.exec(token ?? path)?.[0] ?? path;
      const request = { surface: "checkout", method, path, body, headers, about } as const;
      if (path !== "/frame/payments") return asTest(await sender.repeat(request, chance));
      const response = await sender.once(request, chance);
      if (response === null || response.status >= 500) throw new Lost();
      return asTest(response);
    },
  };
}

class Lost extends Error {
  override readonly name = "Lost";
}

function lost(error: unknown): null {
  if (error instanceof Lost) return null;
  throw error;
}

function asTest({ status, text, headers }: ApiResponse): TestApiResponse {
  return { status, text, body: JSON.parse(text) as Json, headers: Object.fromEntries(headers) };
}
