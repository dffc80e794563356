/**
 * Finds accounts by name prefix, ID or an owner's email address. The search is part of the URL.
 */
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSearchParams } from "wouter";
import type { AccountsFound } from "@oriel/protocol/dashboard-underwriting";
import { Loaded } from "../../parts/loaded.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { AccountTags } from "./account-tags.tsx";
import { useOperatorQuery } from "./operator-requests.ts";

/** The service returns at most this many. */
const mostFound = 50;

export function Accounts() {
  const [params, setParams] = useSearchParams();
  const search = params.get("search") ?? "";
  return (
    <Page title="Accounts" lead={search === "" ? "Newest accounts. Use the search to find others." : undefined}>
      <SearchForm key={search} search={search} onSearch={(search) => setParams(search === "" ? {} : { search })} />
      <Found search={search} />
    </Page>
  );
}

function SearchForm({ search, onSearch }: { search: string; onSearch: (search: string) => void }) {
  const form = useForm({ initialValues: { search } });
  return (
    <form role="search" onSubmit={form.onSubmit(({ search }) => onSearch(search.trim()))}>
      <Group align="flex-end">
        <TextInput
          label="Search"
          description="Account name prefix, ID, or owner's email"
          type="search"
          maxLength={254}
          flex={1}
          maw={480}
          {...form.getInputProps("search")}
        />
        <Button type="submit">Search</Button>
        {search !== "" && (
          <Button variant="default" onClick={() => onSearch("")}>
            Clear search
          </Button>
        )}
      </Group>
    </form>
  );
}

function Found({ search }: { search: string }) {
  const query = useOperatorQuery<AccountsFound>(`accounts?${new URLSearchParams({ search })}`);
  return (
    <Loaded query={query} lines={8}>
      {({ data }) => (
        <>
          <RecordTable
            label="Accounts"
            items={data}
            rowKey={({ id }) => id}
            empty={
              search === "" ? "No accounts yet." : "No matching accounts. Names are searched from their beginning."
            }
            columns={[
              { name: "Account", cell: ({ id, name }) => <RouteLink to={`/console/accounts/${id}`}>{name}</RouteLink> },
              { name: "Status", cell: (account) => <AccountTags account={account} /> },
              { name: "Signed up", cell: ({ created }) => <DateTime at={created} /> },
              { name: "Account ID", cell: ({ id }) => id },
            ]}
          />
          {data.length >= mostFound && (
            <Text size="sm">Only the first {mostFound} accounts are shown. Use the search to find others.</Text>
          )}
        </>
      )}
    </Loaded>
  );
}
