/** Who is signed in, asked once and kept while the pages go by. */
import { useQuery } from "@tanstack/react-query";
import type { Me } from "@oriel/protocol/dashboard";
import { ask } from "./ask.ts";

export const meKey = ["me"] as const;

export function useMe() {
  return useQuery({ queryKey: meKey, queryFn: ({ signal }) => ask<Me>("/auth/me", { signal }), staleTime: 5 * 60_000 });
}

/** Where somebody belongs who came to no page in particular. */
export function homeOf({ login, is_operator, memberships }: Me): string {
  if (!login.has_second_factor) return "/second-factor/set-up";
  if (is_operator) return "/console/applications";
  const [first] = memberships;
  return first === undefined ? "/no-account" : `/${first.account_id}/test/overview`;
}

/** Everything that this page knows of the reader goes with it. */
export async function signOut(): Promise<void> {
  await ask("/auth/sign-out", { method: "POST", isAboutSigningIn: true });
  globalThis.location.assign("/sign-in");
}
