import { createElement } from "react";
import { beforeEach, expect, it, vi } from "vitest";
import { Router } from "wouter";
import { navigate, useBrowserLocation } from "wouter/use-browser-location";
import { request } from "../api/request.ts";
import { showPage } from "../testing/show-page.ts";
import { StepUpDialog } from "./step-up-dialog.tsx";

const security = { has_authenticator: true, recovery_codes_left: 10, passkeys: [], sessions: [] };
let hasSession: boolean;

beforeEach(() => {
  hasSession = true;
  history.replaceState(null, "", "/acct_1/test/keys");
  vi.stubGlobal("fetch", async (path: string) => {
    const refusal = (status: number, code: string) =>
      Response.json({ error: { code, message: `Message of ${code}.` } }, { status });
    if (!hasSession) return refusal(401, "sign_in_required");
    return path === "/reveal" ? refusal(403, "step_up_required") : Response.json(security);
  });
});

const dialog = () => document.querySelector("[role=dialog]");

/** Asks for something that needs a confirmed identity. */
async function open(): Promise<{ pending: Promise<unknown> }> {
  showPage(() => createElement(Router, { hook: useBrowserLocation, children: createElement(StepUpDialog) }));
  const pending = request("/reveal", { method: "POST" }).catch((error: unknown) => error);
  await vi.waitFor(() => expect(dialog()?.textContent).toContain("Confirm it's you"));
  return { pending };
}

it("the step-up dialog closes when the session has ended and the sign-in page is shown", async () => {
  const { pending } = await open();
  hasSession = false;
  await request("/auth/security").catch(() => {}); // as any request of the page
  expect(location.pathname).toBe("/sign-in");
  await vi.waitFor(() => expect(dialog()).toBeNull());
  expect(await pending).toMatchObject({ code: "step_up_required" });
});

it("the step-up dialog closes when the user goes to another page", async () => {
  const { pending } = await open();
  navigate("/acct_1/test/payments");
  await vi.waitFor(() => expect(dialog()).toBeNull());
  expect(await pending).toMatchObject({ code: "step_up_required" });
});
