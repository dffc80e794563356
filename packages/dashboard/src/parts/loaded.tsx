/** Shows a skeleton while a query loads, an error with a retry button if it fails, and otherwise its data. */
import { Skeleton, Stack } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { ErrorAlert } from "./error-alert.tsx";

export interface LoadedProps<Data> {
  query: Pick<UseQueryResult<Data>, "data" | "error" | "refetch">;
  /** The height of the skeleton, in lines. */
  lines?: number;
  children: (data: Data) => ReactNode;
}

export function Loaded<Data>({ query, lines = 5, children }: LoadedProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.error !== null) return <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />;
  return <Waiting lines={lines} />;
}

export function Waiting({ lines = 5 }: { lines?: number }) {
  return (
    <Stack gap="xs" role="status" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} height={28} radius="sm" />
      ))}
    </Stack>
  );
}
