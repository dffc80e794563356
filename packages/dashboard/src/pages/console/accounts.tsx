/**
 * Finds an account: by how its name begins, by its id, or by an owner's e-mail address. The search stands in the
 * address.
 */
import { Button, Group, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useSearchParams } from "wouter";
import type { AccountsFound } from "@oriel/protocol/dashboard-underwriting";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { AccountTags } from "./account-tags.tsx";
import { useOperatorQuery } from "./ask-operator.ts";

/** More than these the service does not answer with. */
const mostFound = 50;

export function Accounts() {
  const [params, setParams] = useSearchParams();
  const search = params.get("search") ?? "";
  return (
    <Page title="Accounts" lead={search === "" ? "The newest. Search for any other." : undefined}>
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
          description="How a name begins, a whole id, or an owner's e-mail address."
          type="search"
          maxLength={254}
          flex={1}
          maw={480}
          {...form.getInputProps("search")}
        />
        <Button type="submit">Search</Button>
        {search !== "" && (
          <Button variant="default" onClick={() => onSearch("")}>
            Show the newest
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
              search === ""
                ? "There are no accounts yet."
                : "No account is found by that. A name is found by how it begins."
            }
            columns={[
              { name: "Account", cell: ({ id, name }) => <RouteLink to={`/console/accounts/${id}`}>{name}</RouteLink> },
              { name: "State", cell: (account) => <AccountTags account={account} /> },
              { name: "Signed up", isDetail: true, cell: ({ created }) => <Moment at={created} /> },
              { name: "Id", isDetail: true, cell: ({ id }) => id },
            ]}
          />
          {data.length >= mostFound && <Text size="sm">There may be more than these {mostFound}. Search for one.</Text>}
        </>
      )}
    </Loaded>
  );
}
