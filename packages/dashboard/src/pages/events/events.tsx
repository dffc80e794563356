/** The account's events, newest first. */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { EventSummary } from "@oriel/protocol/dashboard/payments";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordId } from "../../parts/record-id.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { subscribableTypes, meaningOf } from "./event-types.ts";

const types = [...subscribableTypes, "ping"];
const names = ["type", "object_id"];

export function Events() {
  const { href } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const filters = pickFilters(params, names);
  const events = useWorkspaceList<EventSummary>("events", filters);
  return (
    <Page title="Events" lead="Each event is sent to all webhook endpoints that subscribe to its type.">
      <SearchForm
        label="Events"
        values={Object.fromEntries(filters)}
        onSearch={(form) => setParams(pickFilters(form, names))}
      >
        <Group align="flex-end">
          <NativeSelect
            name="type"
            label="Type"
            data={[{ value: "", label: "Any" }, ...types.map((type) => ({ value: type, label: type }))]}
          />
          <TextInput
            name="object_id"
            label="Object ID"
            description="Full ID of a payment, refund, dispute, checkout session or endpoint"
            maxLength={100}
            flex="1 1 260px"
          />
          <Button type="submit">Search</Button>
          {filters.size > 0 && <ClearFilters onClear={() => setParams(new URLSearchParams())} />}
        </Group>
      </SearchForm>
      <PagedTable
        label="Events"
        query={events}
        rowKey={({ id }) => id}
        empty={
          filters.size > 0
            ? "No matching events. Try removing a filter."
            : "No events yet. They appear with your first payment."
        }
        columns={[
          { name: "Type", cell: ({ id, type }) => <RouteLink to={href(`events/${id}`)}>{type}</RouteLink> },
          {
            name: "Description",
            cell: ({ type }) => (
              <span className="clamped-cell">{type === "ping" ? "A test of an endpoint." : meaningOf(type)}</span>
            ),
          },
          { name: "Object ID", cell: ({ object_id }) => <RecordId id={object_id} what={`ID ${object_id}`} /> },
          { name: "Date", cell: ({ created }) => <DateTime at={created} /> },
        ]}
      />
    </Page>
  );
}
