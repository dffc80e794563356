/** The user's own security settings: sessions, passkeys, authenticator app, recovery codes. */
import { useQuery } from "@tanstack/react-query";
import type { Security } from "@oriel/protocol/dashboard/sign-in";
import { request } from "./request.ts";

export const securityKey = ["security"] as const;

export function useSecurity(options: { enabled?: boolean } = {}) {
  return useQuery({
    queryKey: securityKey,
    queryFn: ({ signal }) => request<Security>("/auth/security", { signal }),
    ...options,
  });
}
