/** Says that a part of a page is missing, where an empty place would mean that there's nothing to report. */
import { Alert, Button, Group, Text } from "@mantine/core";
import type { UseQueryResult } from "@tanstack/react-query";

/** Shows nothing unless the query failed and has no earlier data. */
export function NotLoaded({
  query: { data, error, refetch },
  what,
}: {
  query: Pick<UseQueryResult, "data" | "error" | "refetch">;
  what: string;
}) {
  if (data !== undefined || error === null) return null;
  return (
    <Alert color="red" variant="outline" role="alert">
      <Group gap="sm">
        <Text size="sm">Couldn't load {what}.</Text>
        <Button size="xs" variant="default" onClick={() => void refetch()}>
          Try again
        </Button>
      </Group>
    </Alert>
  );
}
