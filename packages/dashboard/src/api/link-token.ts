/**
 * Reads the token of an emailed link from the URL's fragment, which browsers don't send to servers. Removes it from the
 * URL immediately, so that it doesn't stay in the browser's history.
 */
import { useState } from "react";

/** @returns the token, or an empty string without one */
export function useLinkToken(): string {
  const [token] = useState(takeToken);
  return token;
}

function takeToken(): string {
  const { hash, pathname, search } = globalThis.location;
  if (hash.length <= 1) return "";
  history.replaceState(null, "", pathname + search);
  return hash.slice(1);
}
