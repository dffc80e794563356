/**
 * The secret of a mail's link. It stands in the fragment, which no server is sent, and leaves the address at once:
 * nobody finds it in the browser's history.
 */
import { useState } from "react";

/** Empty where there is none. */
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
