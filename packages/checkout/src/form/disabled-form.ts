/**
 * The setting `disabled`: the form is seen and held. Pay is disabled and the fields are read-only, whatever the screen
 * makes of them meanwhile. What is under way when the setting comes goes on to its end.
 */
import type { CardFields } from "./card-fields.ts";
import type { Page } from "../page/page.ts";
import type { Screen } from "../page/screen.ts";

export interface DisabledForm {
  /** The same screen; what it unlocks is locked again while the form is disabled. */
  screen: Screen;
  /** @param isIdle the form waits for the customer: no payment is under way, and the session is known */
  set(isDisabled: boolean, isIdle: boolean): void;
}

export function createDisabledForm(screen: Screen, page: Page, fields: Pick<CardFields, "lock">): DisabledForm {
  let isDisabled = false;
  const hold = () => {
    if (!isDisabled) return;
    fields.lock(true);
    page.pay.disabled = true;
  };
  return {
    screen: {
      ...screen,
      form() {
        screen.form();
        hold();
      },
    },
    set(wanted, isIdle) {
      if (wanted === isDisabled) return;
      isDisabled = wanted;
      if (wanted) fields.lock(true);
      if (!isIdle) return;
      fields.lock(wanted);
      page.pay.disabled = wanted;
    },
  };
}
