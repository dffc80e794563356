/**
 * The log of the account's API requests, newest first. The filters are in the URL, so that searches can be shared.
 */
import { Button, Group, NativeSelect, Text, TextInput } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { LoggedRequest } from "@oriel/protocol/dashboard/log";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { Tag, type Tone } from "../../parts/tag.tsx";

const choices = {
  status: [
    { value: "", label: "Any" },
    { value: "2xx", label: "2xx: succeeded" },
    { value: "4xx", label: "4xx: request error" },
    { value: "5xx", label: "5xx: server error" },
  ],
  method: [{ value: "", label: "Any" }, "GET", "POST", "PATCH", "DELETE"],
};

export function Requests() {
  const workspace = useWorkspace();
  const [params] = useSearchParams();
  const filters = readFilters(params);
  const query = useWorkspaceList<LoggedRequest>("requests", filters);
  return (
    <Page
      title="Request log"
      lead={`API requests of the last 30 days, made with this account's ${workspace.mode} keys. Bodies, headers and query strings aren't stored.`}
      actions={
        <Button
          variant="default"
          loading={query.isRefetching && !query.isFetchingNextPage}
          onClick={() => void query.refetch()}
        >
          Refresh
        </Button>
      }
    >
      <Filters filters={filters} />
      <PagedTable
        label="Request log"
        query={query}
        rowKey={({ id }) => id}
        empty={
          filters.size > 0 ? (
            "No matching requests. Try removing a filter."
          ) : (
            <>
              No requests yet. <RouteLink to={workspace.href("integrate")}>Make your first request</RouteLink>
            </>
          )
        }
        columns={[
          { name: "Time", cell: ({ created }) => <DateTime at={created} /> },
          { name: "Status", cell: ({ status }) => <Tag tone={toneOf(status)}>{String(status)}</Tag> },
          {
            name: "Request",
            cell: ({ method, path, id }) => (
              <>
                <Text size="sm" ff="monospace">
                  {method} {path}
                </Text>
                <CopyLine text={id} what={`request ID ${id}`} />
              </>
            ),
          },
          { name: "Error", cell: (request) => <Failure request={request} /> },
          { name: "Duration", isAmount: true, cell: ({ duration_ms }) => `${duration_ms} ms` },
          { name: "Idempotency key", cell: ({ idempotency_key }) => idempotency_key ?? "-" },
          {
            name: "Secret key",
            cell: ({ api_key_id }) => <RouteLink to={workspace.href("keys")}>{api_key_id}</RouteLink>,
          },
        ]}
      />
    </Page>
  );
}

function Failure({ request: { error_code, differing_fields } }: { request: LoggedRequest }) {
  if (error_code === null) return "-";
  return (
    <>
      <Text size="sm" ff="monospace">
        {error_code}
      </Text>
      {differing_fields !== null && (
        <Text size="xs" c="dimmed">
          {differing_fields.length === 0
            ? "Key was first used for a different request"
            : `Differs from the first request in: ${differing_fields.join(", ")}`}
        </Text>
      )}
    </>
  );
}

function Filters({ filters }: { filters: URLSearchParams }) {
  const [, setParams] = useSearchParams();
  return (
    <SearchForm
      label="Request log"
      values={Object.fromEntries(filters)}
      onSearch={(form) => setParams(readFilters(form))}
    >
      <Group align="flex-end">
        <NativeSelect label="Status" name="status" data={choices.status} />
        <NativeSelect label="Method" name="method" data={choices.method} />
        <TextInput
          label="Request ID"
          name="request_id"
          placeholder="req_..."
          maxLength={100}
          autoComplete="off"
          spellCheck={false}
        />
        <Button type="submit" variant="default">
          Search
        </Button>
        {filters.size > 0 && <ClearFilters onClear={() => setParams(new URLSearchParams())} />}
      </Group>
    </SearchForm>
  );
}

/** Leaves out values that aren't choices. */
function readFilters(source: URLSearchParams | FormData): URLSearchParams {
  const filters = pickFilters(source, ["status", "method", "request_id"]);
  for (const name of ["status", "method"] as const) {
    const value = filters.get(name);
    if (!choices[name].some((choice) => choice === value || Object(choice).value === value)) filters.delete(name);
  }
  return filters;
}

function toneOf(status: number): Tone {
  if (status >= 500) return "bad";
  return status >= 400 ? "waiting" : "good";
}
