/** Queries of the operator's console and their cache. */
import { useQuery } from "@tanstack/react-query";
import { cacheResponse, queryClient } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";

export function useOperatorQuery<Data>(path: string) {
  return useQuery({
    queryKey: operatorKey(path),
    queryFn: ({ signal }) => request<Data>(`/operator/${path}`, { signal }),
  });
}

export function operatorKey(path: string): readonly string[] {
  return ["operator", ...path.split("/")];
}

/**
 * Stores the response to a change in the cache, and invalidates all other data of the console.
 */
export function cacheChange(path: string, data: object): void {
  cacheResponse(operatorKey(path), data);
  void queryClient.invalidateQueries({
    queryKey: ["operator"],
    predicate: ({ queryKey }) => queryKey.join("/") !== `operator/${path}`,
  });
}
