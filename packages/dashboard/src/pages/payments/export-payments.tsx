/**
 * Exports the payments that match the filters as CSV. The page fetches the file and saves it only if it's complete,
 * because a browser would save an error page or half a file without telling anyone.
 */
import { Button, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { csvEnds, csvHeartbeat, maxCsvRows } from "@oriel/protocol/dashboard/payments";
import { RequestError } from "../../api/api-error.ts";
import { requestFile } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { saveFile } from "../../parts/save-file.ts";

export function ExportPayments({ filters }: { filters: URLSearchParams }) {
  const { data, mode } = useWorkspace();
  const exporting = useMutation({
    mutationFn: async () => {
      const query = filters.toString();
      const { content, ...read } = await readExport(
        await requestFile(`${data("payments.csv")}?${query}`, csvHeartbeat),
      );
      saveFile(`payments-${mode}-${new Date().toISOString().slice(0, 10)}.csv`, content);
      return { ...read, query };
    },
  });
  const isLimited = exporting.data?.isLimited === true && exporting.data.query === filters.toString();
  return (
    <Stack gap={2} align="center" maw={360}>
      <Button
        variant="default"
        size="sm"
        aria-describedby="csv-limit"
        loading={exporting.isPending}
        onClick={() => exporting.mutate()}
      >
        Export CSV
      </Button>
      <Text id="csv-limit" size="xs" c="dimmed">
        Newest {maxCsvRows.toLocaleString("en")} payments
      </Text>
      {isLimited && (
        <Text size="sm" role="status">
          The file doesn't contain all matching payments. To export older payments, set an earlier end date.
        </Text>
      )}
      <ErrorAlert error={exporting.error} />
    </Stack>
  );
}

/** @throws RequestError if the file broke off */
async function readExport(file: Blob): Promise<{ content: Blob; isLimited: boolean }> {
  for (const end of Object.values(csvEnds)) {
    const start = file.size - end.length;
    if (start >= 0 && (await file.slice(start).text()) === end)
      return { content: file.slice(0, start, file.type), isLimited: end === csvEnds.limited };
  }
  throw new RequestError("The export was interrupted, so the file is incomplete. Try again.", {
    code: "incomplete",
    status: 0,
  });
}
