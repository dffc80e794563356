/** The testing kit: the mock, the test IDs and cards, and the helpers on a simulated page. */
import type { Page } from "@playwright/test";
import { afterEach, expect, expectTypeOf, test, vi } from "vitest";
import { outcomeOf, threeDSecureOf } from "../../sandbox/src/cards.ts";
import * as real from "./index.ts";
import type { CheckoutHandle, CheckoutOptions } from "./index.ts";
import * as kit from "./testing.ts";
import {
  completeChallenge,
  cypress,
  fillCard,
  mockCheckout,
  type PageLike,
  pay,
  resultText,
  testCard,
  testCards,
  testIds,
} from "./testing.ts";

const embedUrl = "https://pay.example.com/c/cs_one#secret-of-one";
const complete = { sessionId: "cs_one", status: "complete", returnUrl: null } as const;

afterEach(() => {
  kit.forgetMocks();
  vi.useRealTimers();
});

// --- the mock

test("a mock replaces mountCheckout and emits what the test wants", async () => {
  const mock = mockCheckout();
  const onComplete = vi.fn();
  const startPayment = (mount: (target: string, options: CheckoutOptions) => CheckoutHandle) =>
    mount("#checkout", { embedUrl, onComplete });
  const checkout = startPayment(mock.mountCheckout);
  expect(checkout.state).toBe("loading");
  mock.ready();
  await expect(checkout.ready).resolves.toBeUndefined();
  expect(checkout.state).toBe("ready");
  mock.emit("submit", {});
  expect(checkout.state).toBe("submitting");
  mock.fail("network");
  expect(checkout.isPaymentPending).toBe(true);
  mock.ready();
  expect(checkout.isPaymentPending).toBe(false);
  mock.ready({ isPaymentPending: true });
  expect(checkout.isPaymentPending).toBe(true);
  mock.emit("complete", complete);
  expect(checkout.state).toBe("complete");
  expect(checkout.isPaymentPending).toBe(false);
  expect(onComplete).toHaveBeenCalledExactlyOnceWith(complete);
  expect(mock.options.embedUrl).toBe(embedUrl);
});

test("the mock has the real types of event details", () => {
  const mock = mockCheckout();
  // @ts-expect-error unknown status
  mock.emit("complete", { ...complete, status: "paid" });
  // @ts-expect-error unknown event
  mock.emit("paid", {});
  // @ts-expect-error an event with fields needs them
  mock.emit("resize");
  mock.emit("challengeend", { outcome: "failed" });
  expect(mock.handle.state).toBe("submitting");
});

test("records calls and returns the results that the test sets", async () => {
  const mock = mockCheckout();
  const checkout = mock.mountCheckout("#checkout", { embedUrl });
  mock.submitResult = { type: "decline", code: "declined", message: "No.", retryable: true };
  await checkout.update({ locale: "fr" });
  checkout.focus("cvc");
  await expect(checkout.submit()).resolves.toMatchObject({ type: "decline" });
  await expect(checkout.validate()).resolves.toEqual({ valid: true, errors: [] });
  await checkout.refresh();
  await expect(checkout.runServerUpdate(async () => 5900)).resolves.toBe(5900);
  checkout.cancelChallenge();
  expect(mock.calls).toEqual([
    ["mount", "#checkout"],
    ["update", { locale: "fr" }],
    ["focus", "cvc"],
    ["submit"],
    ["validate"],
    ["refresh"],
    ["refresh"],
    ["cancelChallenge"],
  ]);
});

test("a failure rejects ready, and nothing is emitted after destroy", async () => {
  const mock = mockCheckout();
  const received = vi.fn();
  const checkout = mock.createCheckout({ embedUrl });
  const stop = checkout.on("error", received);
  mock.fail("network");
  await expect(checkout.ready).rejects.toMatchObject({ name: "CheckoutError", code: "network", retryable: true });
  expect(received).toHaveBeenCalledOnce();
  stop();
  checkout.destroy();
  mock.emit("complete", complete);
  expect(checkout.state).toBe("destroyed");
  await expect(checkout.submit()).resolves.toMatchObject({ error: { code: "destroyed" } });
});

test.each([
  ["an unknown option", { embedUrl, colour: "red" }],
  ["no session", {}],
  ["an invalid value", { embedUrl, fallback: "nothing" }],
])("the mock refuses %s like the real checkout", (_what, options) => {
  expect(() => mockCheckout().mountCheckout("#checkout", options as CheckoutOptions)).toThrow(TypeError);
});

test("the mock refuses unknown events and updates", async () => {
  const checkout = mockCheckout().mountCheckout("#checkout", { embedUrl });
  // @ts-expect-error there is no such event
  expect(() => checkout.on("paid", () => {})).toThrow('unknown event "paid"');
  await expect(checkout.update({ disabled: "yes" as unknown as boolean })).rejects.toThrow("disabled must be");
});

test("exports everything that @oriel/embed does, so that it can be aliased, and lists the mocks", () => {
  expect(Object.keys(kit)).toEqual(expect.arrayContaining(Object.keys(real)));
  const checkout: CheckoutHandle = kit.mountCheckout("#checkout", { embedUrl });
  expect(kit.mountedMocks().map(({ handle }) => handle)).toEqual([checkout]);
  kit.forgetMocks();
  expect(checkout.state).toBe("destroyed");
  expect(kit.mountedMocks()).toEqual([]);
});

// --- cards and test IDs

const nowMs = Date.UTC(2026, 10, 20);
const bankCard = (number: string) => ({ number, exp_month: 12, exp_year: 2029 });

test("every card behaves at the sandbox bank as its name says", () => {
  for (const [name, number] of Object.entries(testCards)) {
    const threeDSecure = /_3ds_(\w+)$/.exec(name)?.[1] ?? "none";
    const isGood = /^(visa|mastercard)/.test(name);
    expect([name, outcomeOf(bankCard(number), "nothing", nowMs)]).toEqual([name, isGood ? "approved" : name]);
    const says = threeDSecureOf(number)?.decision.says;
    const ways = new Map([
      [undefined, "none"],
      ["Y", "frictionless"],
      ["C", "challenge"],
    ]);
    expect([name, ways.get(says)]).toEqual([name, threeDSecure]);
  }
});

test("a card is always valid for three more years", () => {
  expect(testCard("visa", nowMs)).toEqual({ number: "4242424242424242", expiry: "1229", cvc: "123" });
  expect(testCard("visa", Date.UTC(2098, 0, 1)).expiry).toBe("1201");
  expect(() => testCard("toString" as "visa")).toThrow("unknown test card");
});

test("the test IDs don't change", () => {
  expect(testIds).toEqual({
    number: "oriel-number",
    expiry: "oriel-expiry",
    cvc: "oriel-cvc",
    name: "oriel-name",
    email: "oriel-email",
    postalCode: "oriel-postal-code",
    pay: "oriel-pay",
    result: "oriel-result",
  });
});

// --- Playwright

/** A page that records actions. `shown` decides what is visible, by the path of iframes and the selector. */
function playedPage(shown: (path: string) => boolean): { page: PageLike; done: string[] } {
  const done: string[] = [];
  const at = (path: string): PageLike => ({
    locator(selector) {
      const here = path ? `${path} > ${selector}` : selector;
      const locator: ReturnType<PageLike["locator"]> = {
        locator: (inner) => at(here).locator(inner),
        last: () => locator,
        contentFrame: () => at(here),
        waitFor: () => (shown(here) ? Promise.resolve() : Promise.reject(new Error("Timeout"))),
        fill: async (text) => void done.push(`fill ${here} ${text}`.trimEnd()),
        pressSequentially: async (text) => void done.push(`type ${here} ${text}`),
        click: async () => void done.push(`click ${here}`),
        press: async (key) => void done.push(`press ${here} ${key}`),
        innerText: () => Promise.resolve("Paid"),
      };
      return locator;
    },
  });
  return { page: at(""), done };
}

const frame = 'iframe[src*="/c/cs_"]';
const bank = 'iframe[src*="/3ds/run/"] > iframe';

expectTypeOf<Page>().toExtend<PageLike>(); // checked by the compiler with `npm run types`

test.each([
  ["in an iframe", `${frame} > `],
  ["in the whole window", ""],
])("Playwright types a card field by field and pays %s", async (_what, place) => {
  const { page, done } = playedPage((path) => path.startsWith("iframe") === (place !== ""));
  await fillCard(page, { number: "4242424242424242", expiry: "1229", cvc: "123", email: "a@example.com" });
  await pay(page);
  const at = (name: keyof typeof testIds) => `${place}[data-testid="${testIds[name]}"]`;
  expect(done).toEqual([
    `fill ${at("number")}`,
    `type ${at("number")} 4242424242424242`,
    `fill ${at("expiry")}`,
    `type ${at("expiry")} 1229`,
    `fill ${at("cvc")}`,
    `type ${at("cvc")} 123`,
    `fill ${at("email")}`,
    `type ${at("email")} a@example.com`,
    `press ${at("pay")}:enabled Enter`,
  ]);
  await expect(resultText(page)).resolves.toBe("Paid");
});

test.each([
  ["approve", [`fill ${frame} > ${bank} > #code 111111`, `click ${frame} > ${bank} > button[value="submit"]`]],
  ["reject", [`fill ${frame} > ${bank} > #code 222222`, `click ${frame} > ${bank} > button[value="submit"]`]],
  ["cancel", [`fill ${frame} > ${bank} > #code 333333`, `click ${frame} > ${bank} > button[value="submit"]`]],
] as const)("completes the bank's challenge with %s", async (answer, steps) => {
  const { page, done } = playedPage((path) => path.startsWith(frame));
  await completeChallenge(page, answer);
  expect(done).toEqual(steps);
});

test("throws if no form is shown, and for an unknown card", async () => {
  const { page, done } = playedPage(() => false);
  await expect(fillCard(page, "visa", { timeout: 50 })).rejects.toThrow("was shown within 50 ms");
  await expect(fillCard(page, "gold" as "visa")).rejects.toThrow('unknown test card "gold"');
  expect(done).toEqual([]);
});

// --- Cypress

test("Cypress types a card without logging it, pays and completes the challenge across iframes", () => {
  const done: string[] = [];
  const chain = (path: string): cypress.ChainLike => ({
    its: (name) => chain(`${path}.${name}`),
    should: () => chain(path),
    // oxlint-disable-next-line unicorn/no-thenable -- Cypress calls it so
    then: (next) => (next(path), chain(`${path} body`)),
    find: (selector) => chain(`${path} ${selector}`),
    last: () => chain(path),
    clear: () => chain(path),
    type: (text, options) => (done.push(`type ${path} ${text} ${options?.log}`), chain(path)),
    click: () => (done.push(`click ${path}`), chain(path)),
    invoke: (method) => chain(`${path}.${method}()`),
  });
  const cy: cypress.CyLike = { get: (selector) => chain(selector), wrap: () => chain("wrapped") };
  cypress.fillCard(cy, "visa_3ds_challenge");
  cypress.pay(cy);
  cypress.completeChallenge(cy, "approve");
  expect(done).toEqual([
    expect.stringMatching(/oriel-number"\] 4000002760003184 false$/),
    expect.stringMatching(/oriel-expiry"\] 12\d\d false$/),
    expect.stringMatching(/oriel-cvc"\] 123 false$/),
    expect.stringMatching(/^click .*oriel-pay"\]$/),
    expect.stringMatching(/^type .*run.* iframe.* #code 111111/),
    expect.stringMatching(/^click .*run.* iframe.* button\[value="submit"\]$/),
  ]);
});
