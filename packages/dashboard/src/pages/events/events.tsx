/** What happened in the account, newest first: what webhooks were sent about. */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { EventSummary } from "@oriel/protocol/dashboard-payments";
import { useDesk, useDeskList } from "../../api/desk.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { askedEventTypes, meaningOf } from "./event-types.ts";

const types = [...askedEventTypes, "ping"];
const names = ["type", "object_id"];

export function Events() {
  const { href } = useDesk();
  const [params, setParams] = useSearchParams();
  const filters = pickFilters(params, names);
  const events = useDeskList<EventSummary>("events", filters);
  return (
    <Page title="Events" lead="Each is sent to every webhook endpoint that asks for its type.">
      <SearchForm key={filters.toString()} label="Events" onSearch={(form) => setParams(pickFilters(form, names))}>
        <Group align="flex-end">
          <NativeSelect
            name="type"
            label="Type"
            defaultValue={filters.get("type") ?? ""}
            data={[{ value: "", label: "Any" }, ...types.map((type) => ({ value: type, label: type }))]}
          />
          <TextInput
            name="object_id"
            label="About"
            description="A whole id of a payment, a refund, a session or an endpoint."
            defaultValue={filters.get("object_id") ?? ""}
            maxLength={100}
            flex="1 1 260px"
          />
          <Button type="submit">Search</Button>
          {filters.size > 0 && (
            <Button variant="subtle" onClick={() => setParams(new URLSearchParams())}>
              Clear
            </Button>
          )}
        </Group>
      </SearchForm>
      <PagedTable
        label="Events"
        query={events}
        rowKey={({ id }) => id}
        empty={
          filters.size > 0
            ? "No event fits. Take a filter away."
            : "Nothing has happened yet. Events come with the first payment."
        }
        columns={[
          { name: "Type", cell: ({ id, type }) => <RouteLink to={href(`events/${id}`)}>{type}</RouteLink> },
          { name: "What it means", isDetail: true, cell: ({ type }) => meaningOf(type) ?? "A test of an endpoint." },
          { name: "About", isDetail: true, cell: ({ object_id }) => object_id },
          { name: "Date", cell: ({ created }) => <Moment at={created} /> },
        ]}
      />
    </Page>
  );
}
