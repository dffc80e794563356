/**
 * A React 19 app in StrictMode, where every effect runs twice. It has a checkout and another screen, a parent that can
 * re-render with new callbacks, and a second order.
 */
import { createElement as h, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { Checkout } from "@oriel/embed/react";
import { appContainer, receive, readPageOptions } from "./host-window.ts";

const { embedUrl, otherEmbedUrl } = readPageOptions<{ embedUrl: string; otherEmbedUrl?: string }>();
window.received = [];

function App() {
  const [renders, setRenders] = useState(0);
  const [isCheckingOut, setIsCheckingOut] = useState(true);
  const [url, setUrl] = useState(embedUrl);
  return h(
    "main",
    null,
    h("button", { onClick: () => setRenders(renders + 1) }, "Render again"),
    h("output", null, renders),
    h(
      "button",
      { onClick: () => setIsCheckingOut(!isCheckingOut) },
      isCheckingOut ? "Leave checkout" : "Back to checkout",
    ),
    h("button", { onClick: () => setUrl(otherEmbedUrl ?? embedUrl) }, "Another order"),
    isCheckingOut
      ? h(Checkout, {
          embedUrl: url,
          onReady: (detail) => receive({ type: "ready", detail }),
          onError: (detail) => receive({ type: "error", detail }),
          // The callback of the newest render must be the one that's called.
          onComplete: (detail) => receive({ type: "complete", detail: { ...detail, renders } }),
        })
      : h("p", null, "Another screen"),
  );
}

createRoot(appContainer()).render(h(StrictMode, null, h(App)));
