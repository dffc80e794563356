/**
 * A Vue 3 app with a checkout and another screen, with or without keep-alive, a parent that can re-render with new
 * callbacks, and a second order.
 */
import { createApp, defineComponent, h, KeepAlive, ref } from "vue";
import { OrielCheckout } from "@oriel/embed/vue";
import { appContainer, receive, readPageOptions } from "./host-window.ts";

const { embedUrl, otherEmbedUrl, keepAlive } = readPageOptions<{
  embedUrl: string;
  otherEmbedUrl?: string;
  keepAlive?: boolean;
}>();
window.received = [];
const renders = ref(0);
const isCheckingOut = ref(true);
const url = ref(embedUrl);

const CheckoutForm = defineComponent(() => () => {
  const now = renders.value;
  return h(OrielCheckout, {
    embedUrl: url.value,
    onReady: (detail) => receive({ type: "ready", detail }),
    onError: (detail) => receive({ type: "error", detail }),
    onComplete: (detail) => receive({ type: "complete", detail: { ...detail, renders: now } }),
  });
});
const Other = defineComponent(() => () => h("p", "Another screen"));

const App = defineComponent(() => () => {
  const screen = h(isCheckingOut.value ? CheckoutForm : Other);
  return h("main", [
    h("button", { onClick: () => renders.value++ }, "Render again"),
    h("output", renders.value),
    h(
      "button",
      { onClick: () => (isCheckingOut.value = !isCheckingOut.value) },
      isCheckingOut.value ? "Leave checkout" : "Back to checkout",
    ),
    h("button", { onClick: () => (url.value = otherEmbedUrl ?? embedUrl) }, "Another order"),
    keepAlive ? h(KeepAlive, () => screen) : screen,
  ]);
});

createApp(App).mount(appContainer());
