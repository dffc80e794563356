import { createElement } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { fill } from "../../testing/fields.ts";
import { paid } from "../../testing/payment.ts";
import { closePage, showPage } from "../../testing/show-page.ts";
import { PaymentDialog } from "./payment-dialog.tsx";

const refund = () => Response.json({ id: "re_1", object: "refund", status: "succeeded" });
const refusal = (status: number, code: string, more: object = {}) =>
  Response.json({ error: { code, message: `Message of ${code}.`, ...more } }, { status });

/** The responses to the next requests. Null for a request that gets none. */
let responses: (Response | null)[];
let sent: { key: string | null; body: unknown }[];
const closed = vi.fn<() => void>();

beforeEach(() => {
  sent = [];
  closed.mockClear();
  vi.stubGlobal("fetch", async (_path: string, init: RequestInit) => {
    sent.push({ key: new Headers(init.headers).get("idempotency-key"), body: JSON.parse(String(init.body)) });
    const response = responses.shift();
    if (!response) throw new TypeError("Failed to fetch");
    return response;
  });
});
afterEach(() => sessionStorage.clear());

const dialog = () => document.querySelector("[role=dialog]")?.textContent;
const submit = () => document.querySelector<HTMLButtonElement>("[role=dialog] button[type=submit]");
const field = (label: string) =>
  [...document.querySelectorAll("input")].find((each) => each.labels?.[0]?.textContent.startsWith(label));

async function open(): Promise<void> {
  showPage(() => createElement(PaymentDialog, { payment: paid, action: "refund", onClose: closed }));
  await vi.waitFor(() => expect(submit()).not.toBeNull());
}

/** Signing in loads the page again. */
async function openAgain(): Promise<void> {
  closePage();
  await open();
}

async function send(response: Response | null): Promise<void> {
  responses = [response];
  const before = sent.length;
  submit()?.click();
  await vi.waitFor(() => expect(sent).toHaveLength(before + 1));
  await vi.waitFor(() => expect(submit()?.hasAttribute("data-loading") ?? false).toBe(false));
}

describe("a refund with an unknown outcome", () => {
  it("keeps its key if the session has ended when it's retried, so it runs once", async () => {
    await open();
    await send(null);
    await vi.waitFor(() => expect(submit()?.textContent).toBe("Retry"));
    await send(refusal(401, "sign_in_required"));
    await openAgain();
    expect(submit()?.textContent).toBe("Retry");
    expect(field("Amount")?.disabled).toBe(true);
    await send(refund());
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
    await openAgain();
    expect(submit()?.textContent).toBe("Refund €49.00");
  });

  it.each([
    ["the role has changed", refusal(403, "permission_missing")],
    ["the user was removed from the team", refusal(404, "resource_missing")],
    ["there are too many requests", refusal(429, "rate_limited")],
  ])("keeps its key if %s", async (_name, response) => {
    await open();
    await send(null);
    await send(response);
    await openAgain();
    expect(submit()?.textContent).toBe("Retry");
    await send(refund());
    expect(sent).toEqual([sent[0], sent[0], sent[0]]);
  });

  it("keeps its key if the response is a success that can't be read", async () => {
    await open();
    await send(new Response("<h1>Sign in to the network</h1>"));
    await vi.waitFor(() => expect(dialog()).toContain("Outcome unknown"));
    expect(closed).not.toHaveBeenCalled();
    await openAgain();
    expect(submit()?.textContent).toBe("Retry");
    await send(refund());
    await vi.waitFor(() => expect(closed).toHaveBeenCalledOnce());
    expect(sent).toEqual([sent[0], sent[0]]);
  });

  it("is decided by a refusal that the service made after it looked up the key", async () => {
    await open();
    await send(null);
    await send(refusal(400, "charge_not_refundable"));
    await vi.waitFor(() => expect(submit()?.textContent).toBe("Refund €49.00"));
    await send(refund());
    expect(sent[2]?.key).not.toBe(sent[0]?.key);
  });
});

it("a refund of more than is left isn't sent, and the field says what is left", async () => {
  await open();
  fill("Amount", "49.01");
  await vi.waitFor(() => expect(submit()?.textContent).toBe("Refund €49.01"));
  submit()?.click();
  await vi.waitFor(() => expect(dialog()).toContain("Enter at most €49.00."));
  expect(sent).toEqual([]);
});

it("a refund that is refused because the session has ended isn't an unknown outcome", async () => {
  await open();
  await send(refusal(401, "sign_in_required"));
  await openAgain();
  expect(submit()?.textContent).toBe("Refund €49.00");
});
