/**
 * The `data-testid` of what a test needs to find in the form. They are a contract: they change only with the major
 * version. `pay` is the built-in button; `result` is the page that stands in the form's place at the end.
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

/** The selector of one of them. */
export function byTestId(name: keyof typeof testIds): string {
  return `[data-testid="${testIds[name]}"]`;
}

/** Where the pages stand: Oriel's frame in the shop's page, the runner in Oriel's, and in that the bank's. */
export const frames = {
  checkout: 'iframe[src*="/c/cs_"]',
  runner: 'iframe[src*="/3ds/run/"]',
  bank: "iframe",
} as const;
