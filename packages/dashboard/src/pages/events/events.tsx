/** What happened in the account, newest first: what webhooks were sent about. */
import { Button, Group, NativeSelect, TextInput } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { EventSummary } from "@oriel/protocol/dashboard-payments";
import { useDesk, useDeskList } from "../../api/desk.tsx";
import { formText } from "../../parts/form-text.ts";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { askedEventTypes, meaningOf } from "./event-types.ts";

const types = [...askedEventTypes, "ping"];

export function Events() {
  const { href } = useDesk();
  const [params, setParams] = useSearchParams();
  const filters = new URLSearchParams();
  for (const name of ["type", "object_id"]) {
    const value = params.get(name)?.trim();
    if (value) filters.set(name, value);
  }
  const events = useDeskList<EventSummary>("events", filters);
  const apply = (form: FormData) => {
    const wanted = ["type", "object_id"].map((name) => [name, formText(form, name)]).filter(([, value]) => value !== "");
    setParams(new URLSearchParams(wanted));
  };
  return (
    <Page title="Events" lead="Each is sent to every webhook endpoint that asks for its type.">
      <form
        key={filters.toString()}
        role="search"
        aria-label="Events"
        onSubmit={(event) => {
          event.preventDefault();
          apply(new FormData(event.currentTarget));
        }}
      >
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
      </form>
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
          { name: "What it means", cell: ({ type }) => meaningOf(type) ?? "A test of an endpoint." },
          { name: "About", cell: ({ object_id }) => object_id },
          { name: "Date", cell: ({ created }) => <Moment at={created} /> },
        ]}
      />
    </Page>
  );
}
