/**
 * The `disabled` setting: the form is visible but can't be used. Pay is disabled and the fields are read-only, even if
 * the screen unlocks them meanwhile. A payment that is already in progress continues.
 *
 * Only Pay is disabled while a choice of the customer is being checked.
 */
import type { Page } from "../page/page.ts";
import type { Screen } from "../page/screen.ts";
import type { CardFields } from "./card-fields.ts";

export interface DisabledForm {
  /** The same screen, except that what it unlocks is locked again while the form is disabled. */
  screen: Screen;
  /** @param isIdle whether the form is waiting for the customer: the session is known and no payment is in progress */
  set(isDisabled: boolean, isIdle: boolean): void;
  /** @param isIdle as for `set` */
  hold(isHeld: boolean, isIdle: boolean): void;
  isHeld(): boolean;
}

export function createDisabledForm(screen: Screen, page: Page, fields: Pick<CardFields, "lock">): DisabledForm {
  let isDisabled = false;
  let isHeld = false;
  const lockAgain = () => {
    if (isDisabled) fields.lock(true);
    if (isDisabled || isHeld) page.pay.disabled = true;
  };
  return {
    screen: {
      ...screen,
      form() {
        screen.form();
        lockAgain();
      },
    },
    set(wanted, isIdle) {
      if (wanted === isDisabled) return;
      isDisabled = wanted;
      if (wanted) fields.lock(true);
      if (!isIdle) return;
      fields.lock(wanted);
      page.pay.disabled = wanted || isHeld;
    },
    hold(wanted, isIdle) {
      isHeld = wanted;
      if (isIdle) page.pay.disabled = wanted || isDisabled;
      // The field that had the focus may have disappeared while Pay couldn't take it. Until now, the total had it.
      const { activeElement } = page.document;
      if (isIdle && !wanted && !page.needsCard && activeElement === page.amount) page.moveFocus(page.pay, "");
    },
    isHeld: () => isHeld,
  };
}
