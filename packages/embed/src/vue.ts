/**
 * `@oriel/embed/vue`, for Vue 3.3 and later: `<OrielCheckout :embed-url="embedUrl" @complete="..." ref="checkout" />`.
 *
 * A server renders the empty container. Only a new session creates a new iframe; see sync-checkout.ts. Under
 * `<KeepAlive>`, the checkout continues while its container is out of the page. When the container returns, the browser
 * reloads the iframe, so the form is empty and `ready` is emitted again.
 */
import { defineComponent, getCurrentInstance, h, onBeforeUnmount, onMounted, shallowRef, watch } from "vue";
import { checkoutEventNames } from "./api/checkout-events.ts";
import { type CheckoutSync, syncCheckout, type ComponentOptions } from "./checkout/sync-checkout.ts";
import type { AnyCheckoutEvent, CheckoutError, CheckoutEvents, CheckoutHandle, CheckoutOptions } from "./index.ts";
import { tryTo } from "./page/try-to.ts";

/** Every option of `mountCheckout` except callbacks, which are events in Vue: `onComplete` is `@complete`. */
export type OrielCheckoutProps = Omit<ComponentOptions, Extract<keyof CheckoutOptions, `on${string}`>>;

type Emits = { [K in keyof CheckoutEvents]: (detail: CheckoutEvents[K]) => void };

const anything = null;
const props = {
  embedUrl: anything,
  fetchEmbedUrl: anything,
  presentation: anything,
  fallback: anything,
  redirect: anything,
  locale: anything,
  appearance: anything,
  submitButton: anything,
  fields: anything,
  defaultValues: anything,
  disabled: Boolean,
  threeDS: anything,
  loader: anything,
  title: anything,
  timeout: anything,
  signal: anything,
  debug: Boolean,
  testScenario: anything,
} satisfies Record<keyof OrielCheckoutProps, unknown>;

/**
 * The checkout as a component. `locale`, `appearance`, `title`, `defaultValues`, `fields`, `submitButton` and
 * `disabled` can change while the form is open. Other changes apply to the next session. Invalid props are logged. A
 * template ref has the {@link CheckoutHandle} as `handle`, which is null until it's mounted.
 *
 * @example <OrielCheckout :embed-url="embedUrl" @complete="({ sessionId }) => (paid = sessionId)" />
 */
export const OrielCheckout = /* @__PURE__ */ defineComponent(
  (given: OrielCheckoutProps, { emit, expose }) => {
    const container = shallowRef<Element | null>(null);
    const handle = shallowRef<CheckoutHandle | null>(null);
    const instance = getCurrentInstance();
    let sync: CheckoutSync | null = null;

    const onEvent = ({ type, detail }: AnyCheckoutEvent): void => {
      emit(type as "error", detail as CheckoutError); // the detail matches the event type
      // Log errors that the page doesn't listen to.
      if (type === "error" && !instance?.vnode.props?.["onError"]) console.error(detail);
    };
    const setHandle = (): void => {
      handle.value = sync?.handle ?? null;
    };
    const update = (): void => {
      tryTo(() => sync?.update({ ...given }));
      setHandle();
    };
    onMounted(() => {
      sync = container.value && syncCheckout(container.value, onEvent, setHandle);
      update();
    });
    watch(() => ({ ...given }), update, { deep: true });
    onBeforeUnmount(() => sync?.stop());
    expose({ handle });
    return () => h("div", { ref: container });
  },
  {
    name: "OrielCheckout",
    props: props as never, // Boolean makes `<OrielCheckout disabled>` true; the types come from the setup function
    emits: Object.fromEntries(checkoutEventNames.map((name) => [name, null])) as unknown as Emits, // null: no validation
  },
);
