/**
 * What was sent and had no answer yet, by the address that it was sent to: the key and what the form said. It is kept
 * in this tab, also while no dialog shows it and after a reload, so that whoever asks again asks for the same and
 * nothing is done twice. Written before anything is sent; forgotten when it is decided.
 */

export interface UndecidedAction<Values> {
  key: string;
  values: Values;
}

const nameOf = (address: string) => `oriel undecided ${address}`;

/** Undefined: none, or the browser keeps nothing. */
export function findUndecided<Values>(address: string): UndecidedAction<Values> | undefined {
  try {
    const text = sessionStorage.getItem(nameOf(address));
    return text === null ? undefined : (JSON.parse(text) as UndecidedAction<Values>); // as it was written below
  } catch {
    return undefined;
  }
}

export function keepUndecided<Values>(address: string, action: UndecidedAction<Values>): void {
  try {
    sessionStorage.setItem(nameOf(address), JSON.stringify(action));
  } catch {
    // The dialog itself still has it, for as long as it is open.
  }
}

export function forgetUndecided(address: string): void {
  try {
    sessionStorage.removeItem(nameOf(address));
  } catch {
    // Nothing was kept.
  }
}
