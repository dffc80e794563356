/**
 * `@oriel/embed/vue`, for Vue 3.3 and later: `<OrielCheckout :embed-url="embedUrl" @complete="..." ref="checkout" />`.
 *
 * A server renders the empty container. Only another session makes another frame; see keep-checkout.ts. Under
 * `<KeepAlive>` the checkout lives on while its container is out of the page; when it is back the browser loads the
 * frame anew: the form is empty and `ready` is told again.
 */
import { defineComponent, getCurrentInstance, h, onBeforeUnmount, onMounted, shallowRef, watch } from "vue";
import { checkoutEventNames } from "./checkout/checkout-events.ts";
import type { AnyCheckoutEvent, CheckoutError, CheckoutEvents, CheckoutHandle, CheckoutOptions } from "./index.ts";
import { type CheckoutKeeper, keepCheckout, type KeptOptions } from "./checkout/keep-checkout.ts";

/** Every option of `mountCheckout` but the callbacks, which are events here: `onComplete` is `@complete`. */
export type OrielCheckoutProps = Omit<KeptOptions, Extract<keyof CheckoutOptions, `on${string}`>>;

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
 * `locale`, `appearance`, `title`, `defaultValues`, `fields`, `submitButton` and `disabled` may change while the form
 * stands; other options hold until the next session. A template ref has the {@link CheckoutHandle} as `handle`, null
 * until it is mounted.
 *
 * @example <OrielCheckout :embed-url="embedUrl" @complete="({ sessionId }) => (paid = sessionId)" />
 */
export const OrielCheckout = /* @__PURE__ */ defineComponent(
  (given: OrielCheckoutProps, { emit, expose }) => {
    const container = shallowRef<Element | null>(null);
    const handle = shallowRef<CheckoutHandle | null>(null);
    const instance = getCurrentInstance();
    let keeper: CheckoutKeeper | null = null;

    const hear = ({ type, detail }: AnyCheckoutEvent): void => {
      emit(type as "error", detail as CheckoutError); // the event of this name, and its detail
      // An error that the page listens to nowhere is told to its developer.
      if (type === "error" && !instance?.vnode.props?.["onError"]) console.error(detail);
    };
    const tell = (): void => {
      handle.value = keeper?.handle ?? null;
    };
    const update = (): void => {
      keeper?.update({ ...given });
      tell();
    };
    onMounted(() => {
      keeper = container.value && keepCheckout(container.value, hear, tell);
      update();
    });
    watch(() => ({ ...given }), update, { deep: true });
    onBeforeUnmount(() => keeper?.stop());
    expose({ handle });
    return () => h("div", { ref: container });
  },
  {
    name: "OrielCheckout",
    props: props as never, // names and, for the two flags, what makes `<OrielCheckout disabled>` true; the types are the setup's
    emits: Object.fromEntries(checkoutEventNames.map((name) => [name, null])) as unknown as Emits, // null: any detail will do
  },
);
