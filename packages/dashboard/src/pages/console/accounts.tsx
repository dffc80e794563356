/**
 * Finds accounts by name prefix, ID or an owner's email address. The search is part of the URL.
 */
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { AccountsFound } from "@oriel/protocol/dashboard/underwriting";
import { DateTime } from "../../parts/date-time.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { AccountTags } from "./account-tags.tsx";
import { useOperatorQuery } from "./operator-requests.ts";

/** The service returns at most this many. */
const maxFound = 50;

export function Accounts() {
  const [params, setParams] = useSearchParams();
  const search = params.get("search") ?? "";
  return (
    <Page title="Accounts" lead={search === "" ? "Newest accounts. Use the search to find others." : undefined}>
      <SearchForm label="Accounts" values={{ search }} onSearch={(form) => setParams(pickFilters(form, ["search"]))}>
        <Group align="flex-end">
          <TextInput
            name="search"
            label="Search"
            description="Account name prefix, ID, or owner's email"
            type="search"
            maxLength={254}
            flex={1}
            maw={480}
          />
          <Button type="submit">Search</Button>
          {search !== "" && <ClearFilters onClear={() => setParams({})}>Clear search</ClearFilters>}
        </Group>
      </SearchForm>
      <Found search={search} />
    </Page>
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
          {data.length >= maxFound && (
            <Text size="sm">Only the first {maxFound} accounts are shown. Use the search to find others.</Text>
          )}
        </>
      )}
    </Loaded>
  );
}
