/**
 * What the host page chose about the form, put into effect: language, looks, which fields there are and what stands in them already.
 *
 * It trusts nothing it is given: `readSettings` reads piece by piece, a piece that cannot be read or used is left out and named in the answer,
 * and the rest holds. Nothing here reaches a card field, but for the sandbox's cards in test mode. No change of settings takes away what the
 * customer typed, where the keyboard is, or what is marked as wrong.
 */
import type { BillingDetails, FrameSession } from "@oriel/protocol/frame";
import type { FrameAppearance, FrameSettings } from "@oriel/protocol/frame-settings";
import { createBillingFields } from "./billing-fields.ts";
import type { CardFields } from "./card-fields.ts";
import type { Page } from "./page.ts";
import { isTestScenario, testCards, testCvc, testExpiry } from "./test-cards.ts";

export interface FormSettings {
  /** Merges these into what holds. Answers with the paths of what was refused, such as `appearance.variables.colorPrimary`. */
  update(value: unknown): string[];
  current(): FrameSettings;
  /** The session is known, or known anew. */
  introduce(session: FrameSession["session"]): void;
  /** Who pays, as typed or as given by the host page; undefined if nothing is known. */
  billing(): BillingDetails | undefined;
  /** Calls `listener` after every change of what holds or of what stands in the fields. */
  onChange(listener: () => void): void;
}

export function createFormSettings(page: Page, fields: CardFields, now: () => number): FormSettings {
  const billing = createBillingFields(page);
  const listeners: (() => void)[] = [];
  let held = page.settings;
  let session: FrameSession["session"] | null = null;
  let isFilledIn = false;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  const obey = () => {
    billing.ask(held);
    page.pay.hidden = held.submitButton === "merchant" && session?.submit_button === "merchant";
    const { testScenario } = held;
    // Once, so that a customer who emptied the form is not filled in again; and never over something that stands there.
    if (isFilledIn || !session || session.livemode || session.status !== "open" || !testScenario) return;
    if (!isTestScenario(testScenario) || page.number.value !== "" || page.number.readOnly) return;
    isFilledIn = true;
    fields.fill(testCards[testScenario], testExpiry(now()), testCvc);
  };

  return {
    update(value) {
      const { settings, refused } = page.read(value);
      held = merged(held, settings);
      if (settings.locale) void page.words.speak(page.speech.choose(settings.locale));
      if (settings.appearance) refused.push(...page.wear(held.appearance ?? {}));
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
    billing: () => billing.details(),
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

function merged(held: FrameSettings, settings: FrameSettings): FrameSettings {
  const both = { ...held, ...settings };
  if (held.appearance && settings.appearance) both.appearance = mergedLooks(held.appearance, settings.appearance);
  if (held.fields && settings.fields) both.fields = { ...held.fields, ...settings.fields };
  if (held.defaultValues && settings.defaultValues) both.defaultValues = { ...held.defaultValues, ...settings.defaultValues };
  return both;
}

/** Theme and style are one choice of the merchant's (`light`, `flat`, ...): a theme that comes without a style takes the old one away. */
function mergedLooks(held: FrameAppearance, looks: FrameAppearance): FrameAppearance {
  const { style: _style, ...plain } = held;
  const variables = { ...held.variables, ...looks.variables };
  return { ...(looks.theme ? plain : held), ...looks, variables };
}
