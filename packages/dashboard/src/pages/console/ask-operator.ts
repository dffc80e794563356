/** Questions of the operator's console, and how their answers are kept. */
import { useQuery } from "@tanstack/react-query";
import { ask } from "../../api/ask.ts";
import { queryClient } from "../../api/query-client.ts";

export function useOperatorQuery<Answer>(path: string) {
  return useQuery({
    queryKey: operatorKey(path),
    queryFn: ({ signal }) => ask<Answer>(`/operator/${path}`, { signal }),
  });
}

export function operatorKey(path: string): readonly string[] {
  return ["operator", ...path.split("/")];
}

/**
 * After a change: what came back stands in its place, and everything else of the console is asked again when it is next
 * looked at.
 */
export function keepChanged(path: string, answer: object): void {
  queryClient.setQueryData(operatorKey(path), answer);
  void queryClient.invalidateQueries({
    queryKey: ["operator"],
    predicate: ({ queryKey }) => queryKey.join("/") !== `operator/${path}`,
  });
}
