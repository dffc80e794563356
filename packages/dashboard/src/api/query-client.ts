/**
 * Caches responses for 30 seconds. Retries queries up to twice unless the service refused them, but never retries
 * mutations.
 */
import { QueryClient } from "@tanstack/react-query";
import { isOutcomeUnknown } from "./api-error.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => failures < 2 && isOutcomeUnknown(error),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
