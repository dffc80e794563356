/**
 * Keeps the token of an invitation in this tab while the user signs in, signs up or sets up a second factor. Signing
 * out or closing the tab clears it.
 */
const place = "oriel-invitation";

export function keepInvitation(token: string): void {
  sessionStorage.setItem(place, token);
}

export function waitingInvitation(): string | null {
  return sessionStorage.getItem(place);
}

export function hasWaitingInvitation(): boolean {
  return waitingInvitation() !== null;
}

export function forgetInvitation(): void {
  sessionStorage.removeItem(place);
}
