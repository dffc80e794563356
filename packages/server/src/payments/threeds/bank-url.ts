/** Whether the browser may be sent to a URL from a 3-D Secure message: https, or http in test mode. */
export function isBankUrl(url: string, { livemode }: { livemode: boolean }): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol } = new URL(url);
  return protocol === "https:" || (protocol === "http:" && !livemode);
}
