import { expect, test, vi } from "vitest";
import { CheckoutError, newDiagnosticId } from "./checkout-error.ts";

const origin = "https://pay.example.com";

test("an error names its code and where to read what to do", () => {
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

test("while no service is known there is no page to read", () => {
  expect(new CheckoutError("destroyed")).toMatchObject({ docUrl: "", mayHavePaid: false });
});

test("an error keeps what caused it", () => {
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
] as const)("%s: mounting again may help: %s; never once Pay was pressed", (code, retryable) => {
  expect(new CheckoutError(code, origin)).toMatchObject({ retryable });
  expect(new CheckoutError(code, origin, "abcdefghij", true)).toMatchObject({ retryable: false, mayHavePaid: true });
});

test("a diagnostic ID has ten characters, also when chance gives few digits", () => {
  const chance = vi.spyOn(Math, "random").mockReturnValue(0.5);
  expect(newDiagnosticId()).toBe("i000000000");
  chance.mockReturnValue(0.123456789012345);
  expect(newDiagnosticId()).toMatch(/^[0-9a-z]{10}$/);
  chance.mockRestore();
  expect(new CheckoutError("network").diagnosticId).toMatch(/^[0-9a-z]{10}$/);
});
