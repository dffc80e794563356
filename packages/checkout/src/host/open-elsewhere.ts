/** Opens the session in a window of its own. */
import { wholeAddress } from "../service/client-secret.ts";

/** The window is opened empty and sent on, because a browser prints the address of a window that a sandbox blocks, and ours has the secret in it. */
export function openElsewhere(window: Window): void {
  const address = wholeAddress(window.location, window.history);
  const opened = address && window.open("", "_blank");
  if (!opened) return;
  opened.opener = null;
  opened.location.replace(address);
}
