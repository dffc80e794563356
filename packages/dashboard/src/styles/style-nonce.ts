/**
 * Reads the nonce that lets this page add style elements. Mantine receives it as an option. react-remove-scroll, which
 * locks scrolling under dialogs, reads it through `get-nonce` from webpack's global variable.
 */
export function readStyleNonce(): string {
  const nonce = document.querySelector<HTMLMetaElement>('meta[property="csp-nonce"]')?.nonce ?? "";
  Object.assign(globalThis, { __webpack_nonce__: nonce });
  return nonce;
}
