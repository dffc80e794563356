/** Cards of the sandbox bank, by what each of them does there. Their numbers are public; a live session knows none of them. */
export const testCards = {
  approved: "4242424242424242",
  declined: "4000000000000002",
  insufficient_funds: "4000000000009995",
  frictionless: "4000000032200000",
  challenge: "4000002760003184",
} as const;

export type TestScenario = keyof typeof testCards;

export function isTestScenario(name: string): name is TestScenario {
  return Object.hasOwn(testCards, name);
}

/** An expiry date that any sandbox card has: December, three years from now. */
export function testExpiry(nowMs: number): string {
  return `12 / ${String((new Date(nowMs).getUTCFullYear() + 3) % 100).padStart(2, "0")}`;
}

export const testCvc = "123";
