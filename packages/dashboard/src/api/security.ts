/** What belongs to the reader's own login: sessions, passkeys, recovery codes. */
import { useQuery } from "@tanstack/react-query";
import type { Security } from "@oriel/protocol/dashboard";
import { ask } from "./ask.ts";

export const securityKey = ["security"] as const;

export function useSecurity() {
  return useQuery({ queryKey: securityKey, queryFn: ({ signal }) => ask<Security>("/auth/security", { signal }) });
}
