import { describe, expect, it, vi } from "vitest";
import { refused, unreachable } from "../../test/fake-service.ts";
import type { FrameCall } from "./frame-call.ts";
import { fetchSilenceReason } from "./timeout-reason.ts";

const call = vi.fn<FrameCall>();

describe("asking why an iframe is silent", () => {
  it("sends the session and the origin without a token, and returns only two fields", async () => {
    call.mockResolvedValue({
      kind: "answer",
      body: { session: "open", listed: true, allowed_origins: ["https://shop.example"] },
    });
    await expect(fetchSilenceReason(call, "cs_1", "https://shop.example:8443")).resolves.toEqual({
      session: "open",
      listed: true,
    });
    expect(call.mock.calls).toEqual([
      [{ method: "GET", path: "/frame/sessions/cs_1/why?origin=https%3A%2F%2Fshop.example%3A8443", timeoutMs: 5000 }],
    ]);
  });

  it.each([unreachable, refused("rate_limited", 429)])("returns null without a response: %o", async (result) => {
    call.mockResolvedValue(result);
    await expect(fetchSilenceReason(call, "cs_1", "https://shop.example")).resolves.toBeNull();
  });
});
