/**
 * The form's `data-testid` attributes. They only change in a major version. `pay` is the built-in button, and `result`
 * is the page that replaces the form at the end.
 */
export const testIds = {
  number: "oriel-number",
  expiry: "oriel-expiry",
  cvc: "oriel-cvc",
  name: "oriel-name",
  email: "oriel-email",
  postalCode: "oriel-postal-code",
  pay: "oriel-pay",
  result: "oriel-result",
} as const;

/** Returns the selector for a test ID. */
export function byTestId(name: keyof typeof testIds): string {
  return `[data-testid="${testIds[name]}"]`;
}

/**
 * Selectors of the nested iframes: the checkout in the shop's page, the runner in the checkout, the bank in the runner.
 */
export const frames = {
  checkout: 'iframe[src*="/c/cs_"]',
  runner: 'iframe[src*="/3ds/run/"]',
  bank: "iframe",
} as const;
