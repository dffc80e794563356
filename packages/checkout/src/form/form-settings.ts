/**
 * What the host page chose about the form, put into effect: language, looks, which fields there are and what stands in
 * them already.
 *
 * It trusts nothing it is given: it is read piece by piece (`frame-looks.ts`), a piece that cannot be read or used is
 * left out and named in the answer, and the rest holds. Nothing here reaches a card field, but for the sandbox's cards
 * in test mode. No change of settings takes away what the customer typed, where the keyboard is, or what is marked as
 * wrong.
 */
import type { BillingDetails, FrameSession } from "@oriel/protocol/frame";
import type { FrameAppearance } from "@oriel/protocol/frame-looks";
import { formReaders } from "@oriel/protocol/frame-settings";
import type { FrameSettings } from "@oriel/protocol/frame-settings";
import { besideCard, billingDetails } from "./billing-details.ts";
import type { BillingFields, createBillingFields } from "./billing-fields.ts";
import type { Page } from "../page/page.ts";

export interface FormSettings {
  /**
   * Merges these into what holds. Answers with the paths of what was refused, such as
   * `appearance.variables.colorPrimary`.
   */
  update(value: unknown): string[];
  current(): FrameSettings;
  /** The session is known, or known anew. */
  introduce(session: FrameSession["session"]): void;
  /** Who pays, as typed or as given by the host page; undefined if nothing is known. */
  billing(): BillingDetails | undefined;
  /**
   * The service refused this of what the host page gave for a field that is not asked for: the payment goes without.
   * False: it is none of those.
   */
  leaveOut(param: string): boolean;
  /** Fields are asked for that have not come yet: nobody may pay without them. */
  isWaiting(): boolean;
  /** Calls `listener` after every change of what holds or of what stands in the fields. */
  onChange(listener: () => void): void;
}

/**
 * @param dropUnreadable takes back what can't be worn together, and answers with what that was
 * @param loadBilling rejects where the fields beside the card cannot be had
 */
export function createFormSettings(
  page: Page,
  dropUnreadable: (page: Page) => string[],
  loadBilling: () => Promise<{ createBillingFields: typeof createBillingFields }>,
): FormSettings {
  let billing: BillingFields | null = null;
  let isFetching = false;
  const listeners: (() => void)[] = [];
  let held = page.settings;
  let session: FrameSession["session"] | null = null;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  const isWaiting = () => !billing && Object.values(held.fields ?? {}).includes("required");
  const fetchFields = async () => {
    isFetching = true;
    const loaded = await loadBilling();
    billing = loaded.createBillingFields(page);
    obey();
    changed();
  };
  const wear = () => [...page.wear(held.appearance ?? {}), ...dropUnreadable(page)];
  const obey = () => {
    billing?.ask(held);
    // Only a new document asks again for code that could not be had.
    if (isWaiting() && !isFetching)
      fetchFields().catch(() => page.showEarlyResult("unreachable", () => location.reload()));
    page.pay.hidden = held.submitButton === "merchant" && session?.submit_button === "merchant";
  };

  // What the first script wore, nobody has looked at; and in the dark other colors of ours are worn beside it.
  wear();
  matchMedia("(prefers-color-scheme:dark)").addEventListener("change", wear);
  return {
    update(value) {
      const { settings, refused } = page.read(value, formReaders);
      held = merged(held, settings);
      if (settings.locale) void page.words.speak(settings.locale);
      if (settings.appearance) refused.push(...wear());
      obey();
      changed();
      return [...new Set(refused)];
    },
    current: () => held,
    introduce(known) {
      session = known;
      obey();
      changed();
    },
    billing: () => billingDetails(page.inputs, held.defaultValues),
    leaveOut(param) {
      const name = besideCard(param);
      if (name !== "country" && page.inputs[name]) return false;
      const { [name]: unusable, ...defaultValues } = held.defaultValues ?? {};
      held = { ...held, defaultValues };
      return unusable !== undefined;
    },
    isWaiting,
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

function merged(held: FrameSettings, settings: FrameSettings): FrameSettings {
  const both = { ...held, ...settings };
  if (held.appearance && settings.appearance) both.appearance = mergedLooks(held.appearance, settings.appearance);
  if (held.fields && settings.fields) both.fields = { ...held.fields, ...settings.fields };
  if (held.defaultValues && settings.defaultValues)
    both.defaultValues = { ...held.defaultValues, ...settings.defaultValues };
  return both;
}

/**
 * Theme and style are one choice of the merchant's (`light`, `flat`, ...): a theme that comes without a style takes the
 * old one away.
 */
function mergedLooks(held: FrameAppearance, looks: FrameAppearance): FrameAppearance {
  const { style: _style, ...plain } = held;
  const variables = { ...held.variables, ...looks.variables };
  return { ...(looks.theme ? plain : held), ...looks, variables };
}
