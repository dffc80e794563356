/** What the service said no to, where it is no field's own fault. */
import { Alert, Button, Code, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { refusalOf } from "../api/refusal.ts";

export interface RefusalAlertProps {
  /** Null shows nothing. */
  error: unknown;
  /** Refusals about these stand beside their fields already. */
  besideFields?: readonly string[];
  onRetry?: () => void;
}

export function RefusalAlert({ error, besideFields = [], onRetry }: RefusalAlertProps) {
  if (error === null || error === undefined) return null;
  const { message, param, requestId, status } = refusalOf(error);
  if (param !== null && besideFields.includes(param)) return null;
  return (
    <Alert color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Text size="sm">{message}</Text>
      {status >= 500 && requestId !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          Request <Code>{requestId}</Code>
        </Text>
      )}
      {onRetry !== undefined && (
        <Button mt="sm" size="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
    </Alert>
  );
}
