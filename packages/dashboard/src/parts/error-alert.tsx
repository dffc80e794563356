/** Shows an error that isn't shown next to a form field. */
import { Alert, Button, Code, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { requestErrorOf } from "../api/api-error.ts";

export interface RefusalAlertProps {
  /** Nothing is shown for null and undefined. */
  error: unknown;
  /** Errors about these fields are already shown next to them. */
  inlineFields?: readonly string[];
  onRetry?: () => void;
}

export function ErrorAlert({ error, inlineFields = [], onRetry }: RefusalAlertProps) {
  if (error === null || error === undefined) return null;
  const { message, param, requestId, status } = requestErrorOf(error);
  if (param !== null && inlineFields.includes(param)) return null;
  return (
    <Alert color="red" variant="outline" icon={<IconAlertTriangle aria-hidden />} role="alert">
      <Text size="sm">{message}</Text>
      {status >= 500 && requestId !== null && (
        <Text size="xs" c="dimmed" mt={4}>
          Request ID: <Code>{requestId}</Code>
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
