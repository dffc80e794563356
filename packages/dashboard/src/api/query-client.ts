/**
 * What is kept of answers: by account and mode, for half a minute. A question is tried twice where no answer came, a
 * change never.
 */
import { QueryClient } from "@tanstack/react-query";
import { refusalOf } from "./refusal.ts";

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      retry: (failures, error) => {
        const { code, status } = refusalOf(error);
        return failures < 2 && (code === "unreachable" || status >= 500);
      },
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});
