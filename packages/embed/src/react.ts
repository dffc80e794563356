"use client";
/**
 * `@oriel/embed/react`, for React 18 and 19: the checkout as a component, and as a hook for your own container.
 *
 * A server renders the empty container. In the browser, each render passes its options to sync-checkout.ts, which
 * applies the differences: only a new session creates a new iframe. StrictMode's double mount reuses the iframe.
 */
import {
  createElement,
  type CSSProperties,
  type ForwardedRef,
  forwardRef,
  type RefObject,
  useEffect,
  useRef,
  useState,
} from "react";
import { type CheckoutSync, syncCheckout, type ComponentOptions } from "./checkout/sync-checkout.ts";
import type { CheckoutHandle } from "./index.ts";
import { tryTo } from "./page/try-to.ts";

/**
 * Every option of `mountCheckout`, and attributes of the container. The container stays empty until there is an
 * `embedUrl` or `fetchEmbedUrl`.
 */
export interface CheckoutProps extends ComponentOptions {
  [attribute: `aria-${string}` | `data-${string}`]: unknown;
  id?: string | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
}

/**
 * The checkout as a component. `locale`, `appearance`, `title`, `defaultValues`, `fields`, `submitButton` and
 * `disabled` can change while the form is open. Other changes apply to the next session. Inline callbacks and options
 * are safe, and invalid ones are logged. `ref` receives the {@link CheckoutHandle} before the parent's effects run.
 *
 * @example <Checkout embedUrl={embedUrl} onComplete={({ sessionId }) => setPaid(sessionId)} ref={checkout} />
 */
export const Checkout = /* @__PURE__ */ forwardRef<CheckoutHandle, CheckoutProps>(function Checkout(
  { id, className, style, ...rest },
  ref,
) {
  const options: Record<string, unknown> = {};
  const attributes: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(rest)) (/^(aria|data)-/.test(name) ? attributes : options)[name] = value;
  return createElement("div", { ...attributes, id, className, style, ref: useSync(options, ref)[0] });
});

/**
 * The same as {@link Checkout}, in your own container.
 *
 * @returns `ref` for the container, and the checkout's handle, which is null until it's mounted
 * @example
 * const { ref, checkout } = useCheckout({ embedUrl });
 * return <section ref={ref} />;
 */
export function useCheckout(options: ComponentOptions): {
  ref: RefObject<HTMLDivElement | null>;
  checkout: CheckoutHandle | null;
} {
  const [checkout, setCheckout] = useState<CheckoutHandle | null>(null);
  const [ref] = useSync(options, setCheckout);
  return { ref, checkout };
}

function useSync(
  options: ComponentOptions,
  given: ForwardedRef<CheckoutHandle>,
): [container: RefObject<HTMLDivElement | null>] {
  const container = useRef<HTMLDivElement>(null);
  const sync = useRef<CheckoutSync>(null);
  const last = useRef<[to: unknown, handle: CheckoutHandle | null]>([null, null]);

  const setRef = (to: ForwardedRef<CheckoutHandle>, handle: CheckoutHandle | null): void => {
    if (last.current[0] === to && last.current[1] === handle) return;
    last.current = [to, handle];
    if (typeof to === "function") to(handle);
    else if (to) to.current = handle;
  };

  /** Updates the last `ref` that received the handle. */
  const setLastRef = (handle: CheckoutHandle | null): void =>
    setRef(last.current[0] as ForwardedRef<CheckoutHandle>, handle);

  useEffect(() => {
    const node = container.current;
    if (!node) {
      sync.current?.stop();
      return setRef(given, null);
    }
    const current = (sync.current ??= syncCheckout(node, undefined, () => setLastRef(sync.current?.handle ?? null)));
    tryTo(() => current.update(options, node));
    setRef(given, current.handle);
  });
  useEffect(
    () => () => {
      sync.current?.stop();
      setLastRef(null);
    },
    [],
  );
  return [container];
}
