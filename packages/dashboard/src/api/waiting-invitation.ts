/**
 * Keeps the token of an invitation in this tab while the user signs in, signs up or sets up a second factor. Signing
 * out or closing the tab clears it. Users who continue in another tab find their invitations on the start page.
 */
import { useQuery } from "@tanstack/react-query";
import type { LinkedInvitation } from "@oriel/protocol/dashboard/setup";
import { requestErrorOf } from "./api-error.ts";
import { request } from "./request.ts";

const place = "oriel-invitation";

export function storeInvitation(token: string): void {
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

/** Queries the invitation of a link. Forgets it if the link is invalid. @param token null sends no request */
export function useLinkedInvitation(token: string | null) {
  return useQuery({
    queryKey: ["invitation", token],
    queryFn: ({ signal }) => readInvitation(token, signal),
    enabled: token !== null,
  });
}

async function readInvitation(token: string | null, signal: AbortSignal): Promise<LinkedInvitation> {
  const options = { method: "POST", body: { token }, signal, isAboutSigningIn: true } as const;
  return await request<LinkedInvitation>("/auth/invitations/read", options).catch((error: unknown) => {
    if (requestErrorOf(error).code === "link_invalid" && waitingInvitation() === token) forgetInvitation();
    throw error;
  });
}
