import { expect, test, vi } from "vitest";
import { CheckoutError, newDiagnosticId } from "./checkout-error.ts";

const origin = "https://pay.example.com";

test("has the code, and the URL of its explanation", () => {
  const error = new CheckoutError("csp_blocked", origin, "abcdefghij");
  expect(error).toMatchObject({
    name: "CheckoutError",
    code: "csp_blocked",
    message: `Oriel: csp_blocked. ${origin}/embed/v1/help#csp_blocked`,
    docUrl: `${origin}/embed/v1/help#csp_blocked`,
    diagnosticId: "abcdefghij",
    mayHavePaid: false,
  });
  expect(error).not.toHaveProperty("cause");
});

test("has no docUrl while the service is unknown", () => {
  expect(new CheckoutError("destroyed")).toMatchObject({ docUrl: "", mayHavePaid: false });
});

test("keeps the cause", () => {
  const cause = new Error("the shop is closed");
  expect(new CheckoutError("network", origin, "abcdefghij", false, cause).cause).toBe(cause);
});

test.each([
  ["handshake_timeout", true],
  ["network", true],
  ["internal", true],
  ["script_blocked", true],
  ["session_expired", false],
  ["csp_blocked", false],
  ["frame_refused", false],
] as const)("%s has retryable %s, or false if the customer may have paid", (code, retryable) => {
  expect(new CheckoutError(code, origin)).toMatchObject({ retryable });
  expect(new CheckoutError(code, origin, "abcdefghij", true)).toMatchObject({ retryable: false, mayHavePaid: true });
});

test("a diagnostic ID has ten characters, even if the random number has few digits", () => {
  const random = vi.spyOn(Math, "random").mockReturnValue(0.5);
  expect(newDiagnosticId()).toBe("i000000000");
  random.mockReturnValue(0.123456789012345);
  expect(newDiagnosticId()).toMatch(/^[0-9a-z]{10}$/);
  random.mockRestore();
  expect(new CheckoutError("network").diagnosticId).toMatch(/^[0-9a-z]{10}$/);
});
