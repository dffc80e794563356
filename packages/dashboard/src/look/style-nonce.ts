/**
 * The nonce of this response, with which style elements may be added. Mantine is given it; what locks scrolling under a
 * dialog (react-remove-scroll, by way of `get-nonce`) looks for webpack's name of it.
 */
export function readStyleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
