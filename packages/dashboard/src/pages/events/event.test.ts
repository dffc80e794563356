import { describe, expect, it, vi } from "vitest";
import type { Event as SentEvent } from "@oriel/protocol/api";
import type { EventDetail } from "@oriel/protocol/dashboard/payments";
import { session } from "../../testing/payment.ts";
import { showPage } from "../../testing/show-page.ts";
import { Event } from "./event.tsx";

async function factsOf(about: Partial<typeof session>): Promise<string> {
  const event: SentEvent = {
    id: "evt_1",
    object: "event",
    type: "checkout_session.completed",
    created: 1_800_000_000,
    api_version: "2026-11-20",
    livemode: false,
    object_sequence: 1,
    data: { object: { ...session, ...about } },
    request: { id: null, idempotency_key: null },
  };
  vi.stubGlobal("fetch", async () => Response.json({ event, deliveries: [] } satisfies EventDetail));
  showPage(Event, { path: "events/evt_1", at: "events/:id" });
  return await vi.waitFor(() => {
    const facts = document.querySelector('section[aria-label="Details"] dl')?.textContent;
    expect(facts).toBeDefined();
    return facts ?? "";
  });
}

describe("an event of a checkout session", () => {
  it("says that no payment was required", async () => {
    const facts = await factsOf({ amount: 0, payment_status: "no_payment_required" });
    expect(facts).toContain("SessionCompletePaymentNo payment requiredTotal€0.00");
  });

  it("has no total if the session only saves a card", async () => {
    const facts = await factsOf({ mode: "setup", payment_status: "none" });
    expect(facts).toContain("SessionCompleteSequence number1");
  });
});
