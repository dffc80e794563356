"use client";
/**
 * `@oriel/embed/react`, for React 18 and 19: the checkout as a component, and as a hook for those who draw the
 * container themselves.
 *
 * Rendering does nothing, so a server renders the empty container. After that every render says what it wants and
 * keep-checkout.ts finds out what that changes: only another session makes another frame. StrictMode's second mount
 * finds the first one's frame.
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

/** Every option of `mountCheckout`. An `embedUrl` that is not there yet shows the empty container until it is. */
export interface CheckoutProps extends KeptOptions {
  id?: string | undefined;
  className?: string | undefined;
  style?: CSSProperties | undefined;
}

/**
 * `locale`, `appearance`, `title`, `defaultValues`, `fields`, `submitButton` and `disabled` may change while the form
 * stands; other options hold until the next session. `ref` is the {@link CheckoutHandle}; it is there when effects of
 * the parent run.
 *
 * @example <Checkout embedUrl={embedUrl} onComplete={({ sessionId }) => setPaid(sessionId)} ref={checkout} />
 */
export const Checkout = /* @__PURE__ */ forwardRef<CheckoutHandle, CheckoutProps>(function Checkout(
  { id, className, style, ...options },
  ref,
) {
  return createElement("div", { id, className, style, ref: useKept(options, ref)[0] });
});

/**
 * The same in a container of your own.
 *
 * @returns `ref` for the container and the checkout's handle, null until it is mounted.
 * @example const { ref, checkout } = useCheckout({ embedUrl }); return <section ref={ref} />;
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
  const kept = useRef<{ keeper: CheckoutKeeper; node: Element } | null>(null);
  const told = useRef<[to: unknown, handle: CheckoutHandle | null]>([null, null]);

  const tell = (to: ForwardedRef<CheckoutHandle>, handle: CheckoutHandle | null): void => {
    if (told.current[0] === to && told.current[1] === handle) return;
    told.current = [to, handle];
    if (typeof to === "function") to(handle);
    else if (to) to.current = handle;
  };

  useEffect(() => {
    const node = container.current;
    if (kept.current?.node !== node) {
      kept.current?.keeper.stop();
      const renew = () => tell(told.current[0] as ForwardedRef<CheckoutHandle>, kept.current?.keeper.handle ?? null);
      kept.current = node && { keeper: keepCheckout(node, undefined, renew), node };
    }
    kept.current?.keeper.update(options);
    tell(given, kept.current?.keeper.handle ?? null);
  });
  useEffect(
    () => () => {
      kept.current?.keeper.stop();
      tell(told.current[0] as ForwardedRef<CheckoutHandle>, null); // the last one that was told
    },
    [],
  );
  return [container];
}
