/**
 * An invitation's token, kept in this tab while its reader signs in, signs up or sets up a second factor. Signing out
 * clears it, as does the end of the tab.
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
