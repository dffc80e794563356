/**
 * `<oriel-checkout>`: a checkout as an element, and as a field of the form around it.
 *
 * ```html
 * <oriel-checkout embed-url="EMBED_URL" required><a href="EMBED_URL">Pay on our secure page</a></oriel-checkout>
 * ```
 * Its content is the fallback: shown without JavaScript, until there is a session, and when the frame cannot run;
 * hidden while the frame lives. In an open shadow root stand the container and the slot, made by DOM calls and styled
 * through CSSOM, so a strict CSP has nothing to refuse.
 *
 * It is a form's field (`name`, `disabled`, `required`, `<fieldset disabled>`) whose value is the session's id once the
 * payment is complete. It is never invalid without `required`. The value proves nothing: the merchant's server hears
 * the outcome from the signed webhook.
 *
 * It trusts the code of the page, which sets properties. What it believes of attributes: see checkout-attributes.ts.
 */
import { attributeNames, readAttributes } from "./checkout-attributes.ts";
import { CheckoutError } from "../checkout/checkout-error.ts";
import { createElement } from "../host-document.ts";
import type { AnyCheckoutEvent, CheckoutHandle, CheckoutOptions } from "../index.ts";
import { type CheckoutKeeper, keepCheckout } from "../checkout/keep-checkout.ts";
import { tryTo } from "./try-to.ts";

type Field = Parameters<CheckoutHandle["focus"]>[0];

declare global {
  interface HTMLElementTagNameMap {
    "oriel-checkout": OrielCheckoutElement;
  }
}

const tagName = "oriel-checkout";
const propertyNames = ["appearance", "fetchEmbedUrl", "defaultValues"] as const;

/** Which origin the address in an attribute must have, see {@link readAttributes}. */
let markupOrigin: () => string | null | undefined = () => undefined;

/** Registers the element, unless this is no browser or the name is taken. */
export function defineCheckoutElement(originOfMarkup = markupOrigin): void {
  if (typeof customElements === "undefined" || customElements.get(tagName)) return;
  markupOrigin = originOfMarkup;
  customElements.define(tagName, OrielCheckoutElement);
}

/** What the browser says of any empty field that is required, in its own language. */
function missingMessage(): string {
  return Object.assign(createElement("textarea"), { required: true }).validationMessage || "Complete the payment.";
}

/** On a server there is nothing to extend, and importing this must do no harm there. */
const Base = typeof HTMLElement === "undefined" ? (Object as unknown as typeof HTMLElement) : HTMLElement;

/**
 * Events are `oriel-ready`, `oriel-complete` and so on: bubbling, composed, with the `detail` of the handle's events.
 * `oriel-redirect` can be canceled. States for CSS: `:state(ready)`, `:state(busy)`, `:state(invalid)`.
 */
export class OrielCheckoutElement extends Base {
  static readonly formAssociated = true;
  static readonly observedAttributes = [...attributeNames, "disabled", "required"];

  /** As the options of these names. They may be set before the element is known to the browser. */
  declare appearance: CheckoutOptions["appearance"];
  declare fetchEmbedUrl: CheckoutOptions["fetchEmbedUrl"];
  declare defaultValues: CheckoutOptions["defaultValues"];

  readonly #internals = this.attachInternals();
  readonly #container = createElement("div");
  readonly #slot = createElement("slot");
  readonly #keeper: CheckoutKeeper = keepCheckout(this.#container, (event) => this.#tell(event));
  #sessionId: string | null = null;
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
      // On no prototype, see install-global.ts.
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

  /** null while the element is not in the page or names no session. */
  get handle(): CheckoutHandle | null {
    this.#refresh();
    return this.#keeper.handle;
  }

  /** The session's id once it is complete. */
  get value(): string | null {
    return this.#sessionId;
  }

  /** Only for a session created with `submit_button: "merchant"`. */
  async submit(): ReturnType<CheckoutHandle["submit"]> {
    return this.handle?.submit() ?? { type: "error", error: new CheckoutError("destroyed") };
  }

  async validate(): ReturnType<CheckoutHandle["validate"]> {
    return this.handle?.validate() ?? { valid: false, errors: [] };
  }

  /** Puts the keyboard into a field; without a name into the first that needs attention. */
  override focus(field?: Field | FocusOptions): void {
    this.handle?.focus(typeof field === "string" ? field : undefined);
  }

  connectedCallback(): void {
    this.#refresh();
  }

  disconnectedCallback(): void {
    this.#keeper.stop();
  }

  attributeChangedCallback(): void {
    this.#queue();
  }

  formDisabledCallback(): void {
    this.#queue();
  }

  /** After the task, for several changes of one task are one update: the second finds nothing to do. */
  #queue(): void {
    queueMicrotask(() => this.#refresh());
  }

  #refresh(): void {
    if (!this.isConnected) return;
    tryTo(() => {
      const { appearance, ...given } = readAttributes(this, "", markupOrigin());
      this.#keeper.update({
        ...given,
        fetchEmbedUrl: this.fetchEmbedUrl,
        defaultValues: this.defaultValues,
        appearance: { ...appearance, ...this.appearance },
        disabled: this.matches(":disabled,[disabled]"),
      });
    });
    this.#show();
  }

  #tell(event: AnyCheckoutEvent): void {
    const { type, detail } = event;
    if (type === "loadstart") {
      this.#sessionId = null;
      this.#isInvalid = false;
    }
    if (type === "complete") this.#sessionId = event.detail.sessionId;
    if (type === "change") this.#isInvalid = event.detail.errors.length > 0;
    if (type === "error") console.error(detail); // whether anybody hears an element's event cannot be known
    this.#show();
    const cancelable = type === "redirect";
    const isWanted = this.dispatchEvent(
      new CustomEvent(`oriel-${type}`, { bubbles: true, composed: true, cancelable, detail }),
    );
    if (type === "redirect" && !isWanted) event.detail.preventDefault();
  }

  #show(): void {
    const state = this.#keeper.handle?.state ?? "idle";
    const isGone = state === "error" && !this.#container.querySelector("iframe");
    const hasFallback = this.childElementCount > 0;
    this.#slot.hidden = !isGone && !/idle|destroyed/.test(state);
    this.#container.hidden = isGone && hasFallback; // one way out is enough

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
        // An older browser has no set, or one that takes no such names: there is nothing to style by, and nothing else
        // is lost.
      }
    }
  }
}
