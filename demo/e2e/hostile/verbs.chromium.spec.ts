/**
 * What a host page on an allowed origin can do if it holds the port itself: no more than the documented methods allow.
 * Calls of anything else get no response, and refusals reveal nothing. The page can set the appearance only by tokens,
 * and it can submit the payment only if its server allowed that.
 */
import { expect, test, type Page } from "@playwright/test";
import { cards, pressPay, typeCard } from "../checkout.ts";
import { expectSessionPaid } from "../hosts/host-checkout.ts";
import { addresses } from "../urls.ts";
import { expectUnpaid, openAttack, recordOrigins } from "./attack-page.ts";

interface Reply {
  type: "REPLY" | "silence";
  value?: unknown;
  isError?: boolean;
}

test("no path reaches anything except the methods, and the methods respond", async ({ page }) => {
  await openPort(page);
  const paths: unknown[] = [
    ["constructor"],
    ["constructor", "constructor"],
    ["__proto__", "constructor"],
    ["__proto__", "toString"],
    ["toString"],
    ["hasOwnProperty"],
    ["valueOf"],
    ["then"],
    ["update", "constructor"],
    ["update", "call"],
    ["validate", "bind"],
    ["pay"],
    ["setAmount"],
    ["event"],
    [""],
    [],
    [0],
    [null],
    "submit",
    null,
    undefined,
    { length: 1, 0: "submit" },
  ];
  const calls = paths.map((methodPath, at) => ({ id: `path ${at}`, methodPath, args: [] }));
  await page.evaluate((all) => {
    const send = Reflect.get(window, "sendRaw") as (message: object) => void; // defined in scripts/hold-port.js
    for (const one of all) send({ namespace: "penpal", channel: undefined, type: "CALL", ...one });
  }, calls);
  // Control: an existing method on the same port. Its reply would come after the replies to all earlier calls.
  expect(await call(page, ["validate"])).toMatchObject({ type: "REPLY", value: { valid: false } });
  expect(await repliesTo(page, "path ")).toEqual([]);
});

test("arguments longer than any loader's get no response, and the form keeps working", async ({ page }) => {
  const { sessionId } = await openPort(page);
  const form = page.locator("iframe").contentFrame();
  await typeCard(form, cards.approved);
  await page.evaluate(() => {
    const send = Reflect.get(window, "sendRaw") as (message: object) => void; // defined in scripts/hold-port.js
    const cyclic: Record<string, unknown> = {};
    cyclic["self"] = cyclic;
    let deep: unknown = "x";
    for (let depth = 0; depth < 2_000; depth++) deep = { appearance: deep };
    let wide: unknown = "x";
    for (let depth = 0; depth < 60; depth++) wide = [wide, wide];
    const long: unknown[][] = [
      ["x".repeat(1_000_000)],
      [Array.from({ length: 10_000 }, () => "x")],
      [Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key${at}`, at]))],
      [cyclic],
      [deep],
      [wide],
      [new Uint8Array(1_000)],
      [1, 2, 3],
    ];
    for (const [at, args] of long.entries())
      for (const verb of ["room", "update", "focus", "validate"])
        send({
          namespace: "penpal",
          channel: undefined,
          type: "CALL",
          id: `long ${at} ${verb}`,
          methodPath: [verb],
          args,
        });
  });
  expect(await call(page, ["update"], {})).toMatchObject({ type: "REPLY", value: [] });
  expect(await repliesTo(page, "long ")).toEqual([]);
  await expectHeld(page, form, sessionId);
});

test("arguments that no loader would pass are refused and break nothing", async ({ page }) => {
  const { sessionId } = await openPort(page);
  const form = page.locator("iframe").contentFrame();
  await typeCard(form, cards.approved);
  const calls: string[] = [];
  page.on("request", (request) => calls.push(request.url()));
  const replies = await page.evaluate(async () => {
    const hostile: unknown[] = [
      null,
      undefined,
      true,
      Number.NaN,
      10n,
      "",
      "x".repeat(9_000),
      [],
      JSON.parse('{"__proto__":{"disabled":true},"constructor":{"prototype":{}}}') as unknown,
      new Map([["disabled", true]]),
      new Date(0),
      /x/,
      new Error("a stack of the host's"),
      { width: -1, height: Number.POSITIVE_INFINITY, full: "all" },
      { width: 1e9, height: 1e9, full: 1e9 },
      { number: "4242424242424242", amount: 1, return_url: "javascript:alert(1)" },
    ];
    const verbs = ["room", "update", "focus", "blur", "validate", "report"];
    // defined in scripts/hold-port.js
    const call = Reflect.get(window, "call") as (path: string[], argument: unknown) => Promise<unknown>;
    const all: { request: string; reply: string }[] = [];
    for (const verb of verbs) {
      for (const [at, argument] of hostile.entries()) {
        all.push({ request: `${verb} with argument ${at}`, reply: JSON.stringify(await call([verb], argument)) });
        await new Promise((resolve) => setTimeout(resolve, 60)); // stays below the rate limit for calls
      }
    }
    return all;
  });
  for (const { request, reply } of replies) {
    expect(reply, request).not.toContain('"silence"');
    expect(reply, request).not.toMatch(/at \w+ \(|https?:|\.ts|\.js|\d{13,}/); // no stack, URL or number
    expect(reply.length, request).toBeLessThan(20_000);
  }
  await expectHeld(page, form, sessionId);
  expect(calls).toEqual([]);
});

test("the appearance takes only tokens, and refuses values that could load resources", async ({ page }) => {
  const origins = recordOrigins(page);
  await openPort(page);
  const evil = [
    `url(${addresses.other}/pixel)`,
    `red; background: url(${addresses.other}/pixel)`,
    `#fff}body{background:url(${addresses.other}/pixel)}`,
    `image-set("${addresses.other}/pixel" 1x)`,
    "javascript:alert(1)",
    "expression(alert(1))",
    "var(--evil)",
    "attr(value)",
    "</style><script>alert(1)</script>",
    "\\75 rl(x)",
  ];
  const tokens = [
    "colorPrimary",
    "colorBackground",
    "colorText",
    "colorDanger",
    "fontFamily",
    "fontSizeBase",
    "borderRadius",
    "spacingUnit",
  ];
  for (const value of evil) {
    const variables = Object.fromEntries(tokens.map((token) => [token, value]));
    const paths = tokens.map((token) => `appearance.variables.${token}`);
    const { value: refused } = await call(page, ["update"], { appearance: { variables } });
    expect((refused as string[]).map(pathOf).toSorted()).toEqual(paths.toSorted());
  }
  const others = {
    locale: "<b>",
    amount: 1,
    currency: "eur",
    return_url: "https://evil.example",
    rules: {},
    fonts: [],
    merchant_name: "Evil",
  };
  const { value: unknown } = await call(page, ["update"], others);
  expect((unknown as string[]).map(pathOf).toSorted()).toEqual(Object.keys(others).toSorted());
  expect([...origins].sort()).toEqual([addresses.hosts, addresses.checkout].sort());

  // The control: valid tokens are applied.
  const reply = await call(page, ["update"], { appearance: { variables: { colorPrimary: "rgb(12 92 76)" } } });
  expect(reply.value).toEqual([]);
  const payButton = page.locator("iframe").contentFrame().getByTestId("oriel-pay");
  await expect
    .poll(() => payButton.evaluate((button) => getComputedStyle(button).backgroundColor))
    .toBe("rgb(12, 92, 76)");
});

test("default values never fill a card field and are shown as text", async ({ page }) => {
  await openPort(page);
  const form = page.locator("iframe").contentFrame();
  const markup = '<img src=x onerror="alert(1)">';
  const card = { number: "4242424242424242", expiry: "12/30", cvc: "123", "cc-number": "4242424242424242" };
  const { value: refused } = await call(page, ["update"], {
    fields: { name: "required" },
    defaultValues: { ...card, name: markup },
  });
  expect((refused as string[]).toSorted()).toEqual(
    Object.keys(card)
      .map((name) => `defaultValues.${name}`)
      .toSorted(),
  );
  for (const field of ["oriel-number", "oriel-expiry", "oriel-cvc"])
    await expect(form.getByTestId(field)).toHaveValue("");
  await expect(form.getByTestId("oriel-name")).toHaveValue(markup);
});

test("focus accepts only field names", async ({ page }) => {
  await openPort(page);
  const form = page.locator("iframe").contentFrame();
  for (const field of [{}, [], 1, "pay", "__proto__", "constructor", "body", "#cvc", "input[name=cvc]"]) {
    await call(page, ["focus"], field);
    await expect(form.getByTestId("oriel-cvc")).not.toBeFocused();
  }
  expect(await call(page, ["focus"], "cvc")).toMatchObject({ type: "REPLY" });
  await expect(form.getByTestId("oriel-cvc")).toBeFocused();
});

for (const mayPay of [false, true]) {
  test(`submit ${mayPay ? "pays if the session allows it" : "is refused if the session doesn't allow it"}`, async ({
    page,
  }) => {
    const { sessionId } = await openPort(page, mayPay ? { submit_button: "merchant" } : {});
    const form = page.locator("iframe").contentFrame();
    // A page can't allow it with an update.
    if (!mayPay) await call(page, ["update"], { submitButton: "merchant" });
    await typeCard(form, cards.approved);
    const payments: string[] = [];
    page.on("request", (request) => {
      if (request.url().includes("/frame/payments")) payments.push(request.url());
    });
    const reply = await call(page, ["submit"]);
    if (mayPay) {
      expect(reply.value).toMatchObject({ type: "complete" });
      return await expectSessionPaid(sessionId);
    }
    expect(reply.value).toEqual({ type: "refused" });
    expect(payments).toEqual([]);
    await expectHeld(page, form, sessionId);
  });
}

test("a flood of port messages freezes nothing, and the customer can type and pay", async ({ page }) => {
  const { sessionId } = await openPort(page);
  const form = page.locator("iframe").contentFrame();
  await page.evaluate(() => {
    const send = Reflect.get(window, "sendRaw") as (message: object) => void; // defined in scripts/hold-port.js
    for (let at = 0; at < 50_000; at++)
      send({
        namespace: "penpal",
        channel: undefined,
        type: "CALL",
        id: `f${at}`,
        methodPath: ["update"],
        args: [{ locale: "en" }],
      });
  });
  await typeCard(form, cards.approved);
  await pressPay(form);
  await expectSessionPaid(sessionId);
});

// --- helpers

async function openPort(page: Page, session = {}): Promise<{ sessionId: string }> {
  const opened = await openAttack(page, "holds-the-port", { attack: true, session });
  await expect.poll(() => page.evaluate(() => Reflect.get(window, "connected") as boolean)).toBe(true);
  return opened;
}

/** The path of a refused setting, without the value or the reason that follows it. */
function pathOf(refusal: string): string {
  return refusal.replace(/ .*/s, "");
}

async function call(page: Page, path: unknown, argument?: unknown): Promise<Reply> {
  return await page.evaluate(
    async ([methodPath, value]) => {
      // defined in scripts/hold-port.js
      const speak = Reflect.get(window, "call") as (path: unknown, argument: unknown) => Promise<Reply>;
      return await speak(methodPath, value);
    },
    [path, argument] as const,
  );
}

/** The replies to calls whose ID starts with the prefix. */
async function repliesTo(page: Page, prefix: string): Promise<unknown[]> {
  return await page.evaluate((begin) => {
    const said = Reflect.get(window, "said") as { callId?: string }[]; // from scripts/hold-port.js
    return said.filter(({ callId }) => callId?.startsWith(begin));
  }, prefix);
}

/** Expects that the form still contains the card, Pay can be pressed and nothing was paid. */
async function expectHeld(
  page: Page,
  form: ReturnType<ReturnType<Page["locator"]>["contentFrame"]>,
  sessionId: string,
): Promise<void> {
  await expect(form.getByTestId("oriel-number")).not.toHaveValue("");
  await expect(form.getByTestId("oriel-pay")).toBeEnabled();
  expect(await page.evaluate(() => Reflect.get(window, "wrong") as unknown)).toEqual([]);
  await expectUnpaid(sessionId);
}
