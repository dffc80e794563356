/**
 * Keeps the session open while a person uses the dashboard, and notices when it has ended. The service ends a session
 * 15 minutes after the last report of activity. Other requests don't extend it, because pages also send requests while
 * nobody is there.
 *
 * Activity is what only a person causes: typing, clicking, tapping and scrolling. Moving the pointer isn't, because
 * browsers report a move when the page changes under a resting pointer. It is reported at once, at most once a minute,
 * so a session ends 14 to 15 minutes after the last activity in any tab.
 *
 * A page that nobody uses asks once a minute whether the session is still open, and when it becomes visible again. If
 * it isn't, `request` goes to the sign-in page.
 */
import { meKey } from "./me.ts";
import { queryClient } from "./query-client.ts";
import { request } from "./request.ts";

const everyMs = 60_000;
const inputs = ["keydown", "input", "pointerdown", "wheel", "touchmove"] as const;

/** Call it once per page. @returns a function that stops it */
export function watchActivity(): () => void {
  const controller = new AbortController();
  const options = { capture: true, passive: true, signal: controller.signal };
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = ({ isTrusted }: Event) => {
    const now = Date.now();
    if (!isTrusted || !isSignedIn() || Math.abs(now - reportedAt) < everyMs) return;
    reportedAt = now;
    // If it fails, the next activity after a minute is reported.
    void request("/auth/activity", { method: "POST" }).catch(() => {});
  };
  for (const input of inputs) globalThis.addEventListener(input, report, options);
  const timer = setInterval(checkSession, everyMs);
  document.addEventListener("visibilitychange", checkSession, options);
  return () => {
    clearInterval(timer);
    controller.abort();
  };
}

function checkSession(): void {
  if (document.visibilityState === "visible" && isSignedIn()) void queryClient.refetchQueries({ queryKey: meKey });
}

/** Whether the page belongs to a signed-in user. */
function isSignedIn(): boolean {
  const query = queryClient.getQueryCache().find({ queryKey: meKey });
  return query?.isActive() === true && query.state.data !== undefined;
}
