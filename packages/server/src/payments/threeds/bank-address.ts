/**
 * Whether a browser may be sent to an address that a bank gave: by https, and in test mode by http too. Nothing else is
 * an address of a page.
 */
export function isBankAddress(address: string, { livemode }: { livemode: boolean }): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol } = new URL(address);
  return protocol === "https:" || (protocol === "http:" && !livemode);
}
