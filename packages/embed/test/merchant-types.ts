/**
 * A merchant's code, as the compiler sees it: what must compile, and, under each `@ts-expect-error`, what must not. An
 * expectation that finds no error is itself an error. It is compiled against the sources by `npm run types`, and
 * against the packed tarball by scripts/pack-embed.test.ts. Nothing runs it.
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
// ------------------------------------------------------------------------------------------------------------------------

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

// @ts-expect-error an option that does not exist
mountCheckout(container, { embedUrl, clientSecret: "x" });
// @ts-expect-error a value that is not one of the words
mountCheckout(container, { embedUrl, presentation: "popup" });
// @ts-expect-error no such fallback
mountCheckout(container, { embedUrl, fallback: "none" });
// @ts-expect-error a callback that does not exist
mountCheckout(container, { embedUrl, onSuccess: () => {} });
// @ts-expect-error rules of CSS are not part of it
mountCheckout(container, { embedUrl, appearance: { rules: { ".Input": { color: "red" } } } });
// @ts-expect-error no such token
mountCheckout(container, { embedUrl, appearance: { variables: { colorAccent: "red" } } });
// @ts-expect-error card data is never a default
mountCheckout(container, { embedUrl, defaultValues: { number: "4242" } });
// @ts-expect-error where to?
mountCheckout({ embedUrl });

// --- events
// -------------------------------------------------------------------------------------------------------------------------

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
    // @ts-expect-error a card waits for the merchant's server in that case only
    return event.paymentMethodId;
  },
});

// @ts-expect-error a decline has no digits
mountCheckout("#checkout", { embedUrl, onDecline: ({ last4 }) => last4 });
// @ts-expect-error seconds are a number
mountCheckout("#checkout", { embedUrl, onExpiring: ({ secondsLeft }) => secondsLeft satisfies string });

// --- the handle
// ---------------------------------------------------------------------------------------------------------------------

const checkout: CheckoutHandle = createCheckout(options).mount(container);
const stop: () => void = checkout.on("change", ({ brand }) => brand satisfies string | null, { once: true });
checkout.on("*", ({ type, detail }) => [type satisfies string, detail]);
checkout.on("error", (error: CheckoutError) => error.retryable satisfies boolean);
// @ts-expect-error no such event
checkout.on("success", () => {});
// @ts-expect-error a resize has no session
checkout.on("resize", ({ sessionId }) => sessionId);
// @ts-expect-error the state is read only
checkout.state = "ready";
// @ts-expect-error a session cannot be changed in place
void checkout.update({ embedUrl });
// @ts-expect-error no such field
checkout.focus("iban");

export async function pay(): Promise<string> {
  stop();
  await checkout.ready;
  await checkout.update({ locale: "fr", appearance: { theme: "dark" } });
  const { valid, errors } = await checkout.validate();
  if (!valid) return errors.map(({ message }) => message).join(" ");
  const result: SubmitResult = await checkout.submit();
  // @ts-expect-error a result has a session only where there is one
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
      return "";
    case "error":
      return result.error.docUrl;
  }
}

// --- the full page
// ------------------------------------------------------------------------------------------------------------------

redirectToCheckout({ embedUrl });
// @ts-expect-error the address has no default
redirectToCheckout({});
const back: { sessionId: string } | null = parseReturn(location.href);
// @ts-expect-error the return address says nothing about the payment
back?.status satisfies string;
