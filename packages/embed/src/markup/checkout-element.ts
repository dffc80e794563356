/**
 * `<oriel-checkout>`: a checkout as a custom element that can be part of a form.
 *
 * ```html
 * <oriel-checkout embed-url="EMBED_URL" required><a href="EMBED_URL">Pay on our secure page</a></oriel-checkout>
 * ```
 * Its content is the fallback, which is shown without JavaScript, until there is a session, and if the iframe can't
 * run. Its open shadow root contains the container and the slot. They are created with DOM calls and styled through
 * CSSOM, which even a strict CSP allows.
 *
 * It's a form field (`name`, `disabled`, `required`, `<fieldset disabled>`) whose value is the session's ID once the
 * payment is complete, unless it's declined later. Without `required`, it's always valid. The value doesn't prove a
 * payment; the merchant's server learns the outcome from the signed webhook.
 *
 * It trusts properties, which the page's code sets. For attributes, see checkout-attributes.ts.
 */
import { CheckoutError } from "../api/checkout-error.ts";
import type { AnyCheckoutEvent } from "../api/checkout-events.ts";
import type { CheckoutHandle } from "../api/checkout-handle.ts";
import type { CheckoutOptions } from "../api/checkout-options.ts";
import { type CheckoutSync, syncCheckout } from "../checkout/sync-checkout.ts";
import { createElement } from "../page/host-document.ts";
import { tryTo } from "../page/try-to.ts";
import { attributeNames, readAttributes } from "./checkout-attributes.ts";

type Field = Parameters<CheckoutHandle["focus"]>[0];

declare global {
  interface HTMLElementTagNameMap {
    "oriel-checkout": OrielCheckoutElement;
  }
}

const tagName = "oriel-checkout";
const propertyNames = ["appearance", "fetchEmbedUrl", "defaultValues"] as const;

/** The required origin of the URL in an attribute, see {@link readAttributes}. */
let markupOrigin: () => string | null | undefined = () => undefined;

/** Registers the element, unless the name is taken or there is no browser. */
export const defineCheckoutElement = (originOfMarkup = markupOrigin): void => {
  if (typeof customElements === "undefined" || customElements.get(tagName)) return;
  markupOrigin = originOfMarkup;
  customElements.define(tagName, OrielCheckoutElement);
};

/** The browser's own message for an empty required field, in its language. */
const missingMessage = (): string =>
  Object.assign(createElement("textarea"), { required: true }).validationMessage || "Complete the payment.";

/** On a server there is no HTMLElement to extend, but importing this must still work. */
const Base = typeof HTMLElement === "undefined" ? (Object as unknown as typeof HTMLElement) : HTMLElement;

/**
 * Its events are `oriel-ready`, `oriel-complete` and so on. They bubble, are composed and have the `detail` of the
 * handle's events. `oriel-redirect` can be canceled. CSS states are `:state(ready)`, `:state(busy)` and
 * `:state(invalid)`.
 */
export class OrielCheckoutElement extends Base {
  static readonly formAssociated = true;
  static readonly observedAttributes = [...attributeNames, "disabled", "required"];

  /** The options with these names. You can set them before the element is registered. */
  declare appearance: CheckoutOptions["appearance"];
  declare fetchEmbedUrl: CheckoutOptions["fetchEmbedUrl"];
  declare defaultValues: CheckoutOptions["defaultValues"];

  readonly #internals = this.attachInternals();
  readonly #container = createElement("div");
  readonly #slot = createElement("slot");
  readonly #sync: CheckoutSync = syncCheckout(this.#container, (event) => this.#dispatch(event));
  #sessionId: string | null = null;
  /** Whether the last `complete` had the status `processing`. */
  #isProcessing = false;
  #isInvalid = false;

  constructor() {
    super();
    const style = new CSSStyleSheet();
    style.replaceSync(":host(:not([hidden])){display:block}");
    const root = this.attachShadow({ mode: "open", delegatesFocus: true });
    root.adoptedStyleSheets = [style];
    root.append(this.#container, this.#slot);
    for (const name of propertyNames) {
      let value: unknown = Object.hasOwn(this, name) ? this[name] : undefined;
      // Without a prototype, see install-global.ts.
      Object.defineProperty(this, name, {
        __proto__: null,
        get: () => value,
        set: (next: unknown) => {
          value = next;
          this.#queue();
        },
      } as PropertyDescriptor);
    }
  }

  /** Null while the element isn't in the document or has no session. */
  get handle(): CheckoutHandle | null {
    this.#refresh();
    return this.#sync.handle;
  }

  /** The session's ID if the payment is complete, otherwise null. */
  get value(): string | null {
    return this.#sessionId;
  }

  /** Pays. Only for sessions created with `submit_button: "merchant"`. */
  async submit(): ReturnType<CheckoutHandle["submit"]> {
    return this.handle?.submit() ?? { type: "error", error: new CheckoutError("destroyed") };
  }

  async validate(): ReturnType<CheckoutHandle["validate"]> {
    return this.handle?.validate() ?? { valid: false, errors: [] };
  }

  /** Focuses a field. Without a name, focuses the first one that needs attention. */
  override focus(field?: Field | FocusOptions): void {
    this.handle?.focus(typeof field === "string" ? field : undefined);
  }

  connectedCallback(): void {
    this.#refresh();
  }

  disconnectedCallback(): void {
    this.#sync.stop();
  }

  attributeChangedCallback(): void {
    this.#queue();
  }

  formDisabledCallback(): void {
    this.#queue();
  }

  /** Waits for a microtask, so that several changes cause one update. */
  #queue(): void {
    queueMicrotask(() => this.#refresh());
  }

  #refresh(): void {
    if (!this.isConnected) return;
    tryTo(() => {
      const { appearance, ...given } = readAttributes(this, "", markupOrigin());
      this.#sync.update({
        ...given,
        fetchEmbedUrl: this.fetchEmbedUrl,
        defaultValues: this.defaultValues,
        appearance: { ...appearance, ...this.appearance },
        disabled: this.matches(":disabled,[disabled]"),
      });
    });
    this.#show();
  }

  #dispatch(event: AnyCheckoutEvent): void {
    const { type, detail } = event;
    if (type === "loadstart") this.#isInvalid = false;
    if (type === "complete") {
      this.#sessionId = event.detail.sessionId;
      this.#isProcessing = event.detail.status === "processing";
    }
    // A payment whose outcome was unknown has failed, or there is another session.
    const mayHaveFailed = this.#isProcessing && /^(ready|error)$/.test(type);
    if ((mayHaveFailed || /^(loadstart|decline|expire)$/.test(type)) && !this.#sync.handle?.isPaymentPending) {
      this.#sessionId = null;
    }
    if (type === "change") this.#isInvalid = event.detail.errors.length > 0;
    if (type === "error") console.error(detail); // an element can't know whether its event has a listener
    this.#show();
    const cancelable = type === "redirect";
    const isWanted = this.dispatchEvent(
      new CustomEvent(`oriel-${type}`, { bubbles: true, composed: true, cancelable, detail }),
    );
    if (type === "redirect" && !isWanted) event.detail.preventDefault();
  }

  #show(): void {
    const state = this.#sync.handle?.state ?? "idle";
    const isGone = state === "error" && !this.#container.querySelector("iframe");
    const hasFallback = this.childElementCount > 0;
    this.#slot.hidden = !isGone && !/idle|destroyed/.test(state);
    this.#container.hidden = isGone && hasFallback; // don't show both the fallback and the link

    const isMissing = this.hasAttribute("required") && this.#sessionId === null;
    this.#internals.setFormValue(this.#sessionId);
    this.#internals.setValidity({ valueMissing: isMissing }, isMissing ? missingMessage() : "", this.#container);
    const states = {
      ready: state === "ready",
      busy: /loading|submitting|challenge/.test(state),
      invalid: this.#isInvalid,
    };
    for (const [name, holds] of Object.entries(states)) {
      try {
        this.#internals.states[holds ? "add" : "delete"](name);
      } catch {
        // Older browsers lack custom states or require different names. Only the CSS states are missing there.
      }
    }
  }
}
