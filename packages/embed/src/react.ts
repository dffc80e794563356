"use client";
/**
 * `@oriel/embed/react`, for React 18 and 19: the checkout as a component, and as a hook for your own container.
 *
 * A server renders the empty container. In the browser, each render passes its options to keep-checkout.ts, which
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
import type { CheckoutHandle } from "./index.ts";
import { type CheckoutKeeper, keepCheckout, type KeptOptions } from "./checkout/keep-checkout.ts";
import { tryTo } from "./page/try-to.ts";

/**
 * Every option of `mountCheckout`, and attributes of the container. The container stays empty until there is an
 * `embedUrl` or `fetchEmbedUrl`.
 */
export interface CheckoutProps extends KeptOptions {
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
  return createElement("div", { ...attributes, id, className, style, ref: useKept(options, ref)[0] });
});

/**
 * The same as {@link Checkout}, in your own container.
 *
 * @returns `ref` for the container, and the checkout's handle, which is null until it's mounted
 * @example
 * const { ref, checkout } = useCheckout({ embedUrl });
 * return <section ref={ref} />;
 */
export function useCheckout(options: KeptOptions): {
  ref: RefObject<HTMLDivElement | null>;
  checkout: CheckoutHandle | null;
} {
  const [checkout, setCheckout] = useState<CheckoutHandle | null>(null);
  const [ref] = useKept(options, setCheckout);
  return { ref, checkout };
}

function useKept(
  options: KeptOptions,
  given: ForwardedRef<CheckoutHandle>,
): [container: RefObject<HTMLDivElement | null>] {
  const container = useRef<HTMLDivElement>(null);
  const kept = useRef<CheckoutKeeper>(null);
  const told = useRef<[to: unknown, handle: CheckoutHandle | null]>([null, null]);

  const tell = (to: ForwardedRef<CheckoutHandle>, handle: CheckoutHandle | null): void => {
    if (told.current[0] === to && told.current[1] === handle) return;
    told.current = [to, handle];
    if (typeof to === "function") to(handle);
    else if (to) to.current = handle;
  };

  /** Tells the last `ref` that received the handle. */
  const tellLast = (handle: CheckoutHandle | null): void =>
    tell(told.current[0] as ForwardedRef<CheckoutHandle>, handle);

  useEffect(() => {
    const node = container.current;
    if (!node) {
      kept.current?.stop();
      return tell(given, null);
    }
    const keeper = (kept.current ??= keepCheckout(node, undefined, () => tellLast(kept.current?.handle ?? null)));
    tryTo(() => keeper.update(options, node));
    tell(given, keeper.handle);
  });
  useEffect(
    () => () => {
      kept.current?.stop();
      tellLast(null);
    },
    [],
  );
  return [container];
}
