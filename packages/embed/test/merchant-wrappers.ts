/**
 * The same as merchant-types.ts for the other entries: what must compile and, below each `@ts-expect-error`, what must
 * not.
 */
import { createElement, createRef } from "react";
import { h } from "vue";
import type { CheckoutHandle } from "@oriel/embed";
import { OrielCheckoutElement } from "@oriel/embed/element";
import { loadOriel } from "@oriel/embed/loader";
import { Checkout, useCheckout } from "@oriel/embed/react";
import { checkout as checkoutAction } from "@oriel/embed/svelte";
import { completeChallenge, fillCard, mockCheckout, testIds } from "@oriel/embed/testing";
import { OrielCheckout } from "@oriel/embed/vue";

declare const embedUrl: string;
declare const container: HTMLElement;

// --- React

createElement(Checkout, {
  embedUrl,
  className: "checkout",
  ref: createRef<CheckoutHandle>(),
  onComplete: ({ sessionId }) => sessionId satisfies string,
});
createElement(Checkout, { embedUrl: undefined, locale: null });
// @ts-expect-error unknown property
createElement(Checkout, { embedUrl, clientSecret: "x" });
// @ts-expect-error the ref is the handle, not the element
createElement(Checkout, { embedUrl, ref: createRef<HTMLDivElement>() });
export function OwnContainer(): unknown {
  const { ref, checkout } = useCheckout({ embedUrl });
  // @ts-expect-error null until it's mounted
  void checkout.submit();
  return createElement("section", { children: createElement("div", { ref }), onClick: () => checkout?.submit() });
}

// --- Vue

h(OrielCheckout, { embedUrl, locale: "fr", onComplete: ({ sessionId }) => sessionId satisfies string });
// @ts-expect-error invalid value
h(OrielCheckout, { embedUrl, presentation: "popup" });

// --- Svelte

const action = checkoutAction(container, { embedUrl, onHandle: (handle) => handle satisfies CheckoutHandle | null });
action.update({ embedUrl, locale: "fr" });
action.destroy();
// @ts-expect-error the action's options are required
checkoutAction(container);

// --- the element and the script

const element = new OrielCheckoutElement();
element satisfies HTMLElement;
export const submitted = element.submit();
// @ts-expect-error the value is read-only
element.value = "paid";

export async function remote(): Promise<CheckoutHandle | null> {
  const oriel = await loadOriel({
    origin: "https://pay.example.com",
    version: "1.2.0",
    integrity: "sha384-x",
    timeout: 5_000,
    retries: 0,
  });
  // @ts-expect-error null on a server
  oriel.load();
  return oriel?.mountCheckout("#checkout", { embedUrl }) ?? null;
}
// @ts-expect-error missing origin
void loadOriel({});

// --- tests

export async function playwright(page: Parameters<typeof fillCard>[0]): Promise<void> {
  await fillCard(page, "authentication_required");
  await completeChallenge(page, "approve");
  // @ts-expect-error unknown card
  await fillCard(page, "stolen");
}
mockCheckout();
testIds.number satisfies string;
