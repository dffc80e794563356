/** The signed-in user, cached for five minutes. */
import { useQuery } from "@tanstack/react-query";
import type { Me } from "@oriel/protocol/dashboard/sign-in";
import { request } from "./request.ts";

export const meKey = ["me"] as const;
/** The start page of users who aren't members of any team. */
export const noAccountPath = "/no-account";

export function useMe() {
  return useQuery({
    queryKey: meKey,
    queryFn: ({ signal }) => request<Me>("/auth/me", { signal }),
    staleTime: 5 * 60_000,
  });
}

/** The path of the user's start page. */
export function homeOf({ login, is_operator, memberships }: Me): string {
  if (!login.has_second_factor) return "/second-factor/set-up";
  if (is_operator) return "/console/applications";
  const [first] = memberships;
  return first === undefined ? noAccountPath : `/${first.account_id}/test/overview`;
}
