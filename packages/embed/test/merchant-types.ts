/**
 * Type tests of a merchant's code: what must compile and, below each `@ts-expect-error`, what must not. `npm run types`
 * compiles it against the sources, and scripts/pack/embed.test.ts against the packed tarball. It never runs.
 */
import {
  type Appearance,
  type CheckoutError,
  type CheckoutErrorCode,
  type CheckoutHandle,
  type CheckoutOptions,
  createCheckout,
  mountCheckout,
  parseReturn,
  redirectToCheckout,
  type SubmitResult,
} from "@oriel/embed";

declare const embedUrl: string;
declare const container: HTMLElement;
declare const fetchSession: (reason: "initial" | "expired" | "retry", signal: AbortSignal) => Promise<string>;

// --- options

const appearance: Appearance = {
  theme: "auto",
  inherit: true,
  variables: { colorPrimary: "#0a5", borderRadius: "4px" },
  labels: "floating",
  disableAnimations: true,
};
const options: CheckoutOptions = {
  embedUrl,
  fetchEmbedUrl: ({ reason, signal }) => fetchSession(reason, signal),
  presentation: "modal",
  fallback: "redirect",
  redirect: "if_required",
  locale: "de-CH",
  appearance,
  submitButton: "merchant",
  fields: { name: "required", email: "never", postalCode: "auto" },
  defaultValues: { name: "A. Customer", email: "a@example.com", postalCode: "8001", country: "CH" },
  disabled: false,
  threeDS: { presentation: "overlay" },
  loader: "never",
  title: "Card payment",
  signal: new AbortController().signal,
  timeout: 10_000,
  debug: true,
  testScenario: "challenge",
};

// @ts-expect-error unknown option
mountCheckout(container, { embedUrl, clientSecret: "x" });
// @ts-expect-error invalid value
mountCheckout(container, { embedUrl, presentation: "popup" });
// @ts-expect-error invalid fallback
mountCheckout(container, { embedUrl, fallback: "none" });
// @ts-expect-error unknown callback
mountCheckout(container, { embedUrl, onSuccess: () => {} });
// @ts-expect-error CSS rules aren't supported
mountCheckout(container, { embedUrl, appearance: { rules: { ".Input": { color: "red" } } } });
// @ts-expect-error unknown token
mountCheckout(container, { embedUrl, appearance: { variables: { colorAccent: "red" } } });
// @ts-expect-error card data can't have default values
mountCheckout(container, { embedUrl, defaultValues: { number: "4242" } });
// @ts-expect-error missing target
mountCheckout({ embedUrl });

// --- events

mountCheckout("#checkout", {
  embedUrl,
  onReady: ({ sessionId, livemode, expiresAt, protocol }) =>
    [sessionId, livemode, expiresAt, protocol] satisfies [string, boolean, string, string],
  onChange: ({ complete, empty, errors }) => [
    complete satisfies boolean,
    empty satisfies boolean,
    errors.map(({ field, message }) => [field, message]),
  ],
  onDecline: ({ code, retryable }) => [code satisfies string, retryable satisfies boolean],
  onExpiring: ({ secondsLeft }) => secondsLeft.toFixed(),
  onRedirect: (event) => event.preventDefault(),
  onError: (error) => [error satisfies Error, error.code satisfies CheckoutErrorCode, error.docUrl satisfies string],
  onComplete: (event) => {
    if (event.status === "requires_confirmation") return event.paymentMethodId satisfies string;
    // @ts-expect-error only requires_confirmation has a payment method
    return event.paymentMethodId;
  },
});

// @ts-expect-error a decline contains no card digits
mountCheckout("#checkout", { embedUrl, onDecline: ({ last4 }) => last4 });
// @ts-expect-error secondsLeft is a number
mountCheckout("#checkout", { embedUrl, onExpiring: ({ secondsLeft }) => secondsLeft satisfies string });

// --- the handle

const checkout: CheckoutHandle = createCheckout(options).mount(container);
const stop: () => void = checkout.on("change", ({ brand }) => brand satisfies string | null, { once: true });
checkout.on("*", ({ type, detail }) => [type satisfies string, detail]);
checkout.on("error", (error: CheckoutError) => error.retryable satisfies boolean);
// @ts-expect-error unknown event
checkout.on("success", () => {});
// @ts-expect-error a resize has no session
checkout.on("resize", ({ sessionId }) => sessionId);
// @ts-expect-error the state is read-only
checkout.state = "ready";
// @ts-expect-error the session can't be updated
void checkout.update({ embedUrl });
// @ts-expect-error unknown field
checkout.focus("iban");

export async function pay(): Promise<string> {
  stop();
  await checkout.ready;
  await checkout.update({ locale: "fr", appearance: { theme: "dark" } });
  const { valid, errors } = await checkout.validate();
  if (!valid) return errors.map(({ message }) => message).join(" ");
  const result: SubmitResult = await checkout.submit();
  // @ts-expect-error not every result has a session
  result.sessionId satisfies string;
  switch (result.type) {
    case "complete":
    case "processing":
    case "requires_confirmation":
      return result.sessionId;
    case "decline":
      return result.message;
    case "validation":
      return result.errors.map(({ field }) => field).join();
    case "canceled":
    case "session_changed":
      return "";
    case "error":
      return result.error.docUrl;
  }
}

// --- the full page

redirectToCheckout({ embedUrl });
// @ts-expect-error embedUrl is required
redirectToCheckout({});
const back: { sessionId: string } | null = parseReturn(location.href);
// @ts-expect-error the return URL doesn't contain the outcome
back?.status satisfies string;
