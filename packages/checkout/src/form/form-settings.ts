/**
 * Applies the host page's settings for the form: language, appearance, which fields are shown and their default values.
 *
 * Settings are untrusted. They are read one by one (`appearance-settings.ts`); if one can't be read or used, it is skipped and
 * its path is returned, and the others still apply. None of them reaches a card field, except for the sandbox's cards
 * in test mode. Changing settings never discards what the customer typed, the focus or the errors shown.
 */
import type { BillingDetails, FrameSession } from "@oriel/protocol/frame";
import { formReaders } from "@oriel/protocol/frame-settings";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { own } from "@oriel/protocol/readers";
import type { Page } from "../page/page.ts";
import { billingFieldName, billingDetails } from "./billing-details.ts";
import type { BillingFields, createBillingFields } from "./billing-fields.ts";

export interface FormSettings {
  /**
   * Replaces these settings, each as a whole, and keeps the others. Returns the paths of the settings it refused, such as
   * `appearance.variables.colorPrimary ("banana")`.
   */
  update(value: unknown): string[];
  current(): FrameSettings;
  /** Called with the session each time it is opened. */
  introduce(session: FrameSession["session"]): void;
  /** The billing details, as typed or given by the host page; undefined if nothing is known. */
  billing(): BillingDetails | undefined;
  /**
   * Drops a default value that the service refused for a field that isn't shown, so that the payment can continue
   * without it. Returns false if the parameter isn't such a value.
   */
  leaveOut(param: string): boolean;
  /** Paying isn't possible: the host page has disabled the form, or required fields haven't loaded yet. */
  isDisabled(): boolean;
  /** Calls `listener` whenever a setting or a field's value changes. */
  onChange(listener: () => void): void;
}

/**
 * @param dropUnreadableColors removes colors that make the form unreadable, and returns what it removed
 * @param loadBilling rejects if the billing fields can't be loaded
 */
export function createFormSettings(
  page: Page,
  dropUnreadableColors: (page: Page) => string[],
  loadBilling: () => Promise<{ createBillingFields: typeof createBillingFields }>,
): FormSettings {
  let billing: BillingFields | null = null;
  let isFetching = false;
  const listeners: (() => void)[] = [];
  let current = page.settings;
  let session: FrameSession["session"] | null = null;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  const isWaiting = () => !billing && Object.values(current.fields ?? {}).includes("required");
  const fetchFields = async () => {
    isFetching = true;
    const loaded = await loadBilling();
    billing = loaded.createBillingFields(page);
    applySettings();
    changed();
  };
  const applyAppearance = () => {
    page.document.documentElement.removeAttribute("style"); // the previous appearance's variables
    return [...page.apply(current.appearance ?? {}), ...dropUnreadableColors(page)];
  };
  const applySettings = () => {
    billing?.show(current);
    // Browsers cache a failed module load, so only a new document can retry it.
    if (isWaiting() && !isFetching)
      fetchFields().catch(() => page.showEarlyResult("unreachable", () => location.reload()));
    page.pay.hidden = current.submitButton === "merchant" && session?.submit_button === "merchant";
  };

  // The colors that `prepare-page.ts` applied haven't been checked yet. In dark mode, they are combined with other
  // default colors.
  applyAppearance();
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", applyAppearance);
  return {
    update(value) {
      const { settings, refused } = page.read(value, formReaders);
      /** Quotes a refused string, unless it may be personal data. */
      const quoted = (path: string) => {
        const given = path.split(".").reduce(own, value);
        const isQuoted = typeof given === "string" && /^(locale|appearance\.)/.test(path);
        return isQuoted ? `${path} (${JSON.stringify(given.slice(0, 40))})` : path;
      };
      // A new value replaces the old one, including all its variables, fields or values, as in the loader.
      current = { ...current, ...settings };
      if (settings.locale) void page.words.speak(settings.locale);
      if (settings.appearance) refused.push(...applyAppearance());
      applySettings();
      changed();
      return [...new Set(refused)].map(quoted);
    },
    current: () => current,
    introduce(known) {
      session = known;
      applySettings();
      changed();
    },
    billing: () => billingDetails(page.inputs, current.defaultValues),
    leaveOut(param) {
      const name = billingFieldName(param);
      if (name !== "country" && page.inputs[name]) return false;
      const { [name]: unusable, ...defaultValues } = current.defaultValues ?? {};
      current = { ...current, defaultValues };
      return unusable !== undefined;
    },
    isDisabled: () => current.disabled === true || isWaiting(),
    onChange(listener) {
      listeners.push(listener);
    },
  };
}
