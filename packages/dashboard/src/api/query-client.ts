/**
 * Caches responses for 30 seconds. Retries queries up to twice unless the service refused them, but never retries
 * mutations.
 */
import { QueryClient, type QueryKey } from "@tanstack/react-query";
import { isChangedMeanwhile, isOutcomeUnknown } from "./api-error.ts";

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

/**
 * Caches the response to a change. What is loading at that time is loaded again, because the service may have read it
 * before the change.
 */
export function cacheResponse(queryKey: QueryKey, data: object): void {
  const isLoading = queryClient.isFetching({ queryKey, exact: true }) > 0;
  queryClient.setQueryData(queryKey, data);
  if (isLoading) void queryClient.invalidateQueries({ queryKey, exact: true });
}

/** After a request failed: loads what someone else has changed in the meantime, so that the form can show it. */
export function refetchIfChanged(queryKey: QueryKey, error: unknown): void {
  if (isChangedMeanwhile(error)) void queryClient.invalidateQueries({ queryKey });
}
