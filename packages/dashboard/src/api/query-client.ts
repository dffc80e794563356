/**
 * Caches responses for 30 seconds. Retries queries up to twice after network and server errors, but never retries
 * mutations.
 */
import { QueryClient } from "@tanstack/react-query";
import { requestErrorOf } from "./api-error.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => {
        const { code, status } = requestErrorOf(error);
        return failures < 2 && (code === "unreachable" || status >= 500);
      },
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
