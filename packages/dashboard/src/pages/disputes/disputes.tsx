/** The account's disputes, newest first. Merchants respond to them in their acquirer's own tools. */
import { Button, Group, NativeSelect, Text } from "@mantine/core";
import { useSearchParams } from "wouter";
import type { Dispute } from "@oriel/protocol/api";
import { useWorkspace, useWorkspaceList } from "../../api/workspace.tsx";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Page } from "../../parts/page.tsx";
import { PagedTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ClearFilters, pickFilters, SearchForm } from "../../parts/search-form.tsx";
import { disputeAmount, DisputeStatus, disputeStatusWords, RespondBy } from "./dispute-labels.tsx";

const names = ["status"];

export function Disputes() {
  const { href } = useWorkspace();
  const [params, setParams] = useSearchParams();
  const filters = pickFilters(params, names);
  const disputes = useWorkspaceList<Dispute>("disputes", filters);
  return (
    <Page
      title="Disputes"
      lead="Payments that customers complained about at their bank. Respond to disputes at your acquirer."
    >
      <SearchForm
        label="Disputes"
        values={Object.fromEntries(filters)}
        onSearch={(form) => setParams(pickFilters(form, names))}
      >
        <Group align="flex-end">
          <NativeSelect
            name="status"
            label="Status"
            data={[
              { value: "", label: "Any" },
              ...Object.entries(disputeStatusWords).map(([value, label]) => ({ value, label })),
            ]}
          />
          <Button type="submit">Search</Button>
          {filters.size > 0 && <ClearFilters onClear={() => setParams(new URLSearchParams())} />}
        </Group>
      </SearchForm>
      <PagedTable
        label="Disputes"
        query={disputes}
        rowKey={({ id }) => id}
        empty={filters.size > 0 ? "No matching disputes. Try removing a filter." : "No disputes yet."}
        columns={[
          {
            name: "Payment",
            cell: (dispute) => (
              <>
                <RouteLink to={href(`payments/${dispute.charge_id}`)}>{disputeAmount(dispute)}</RouteLink>
                <Text size="xs" c="dimmed" component="div">
                  Opened <DateTime at={dispute.created} />
                </Text>
              </>
            ),
          },
          { name: "Status", cell: (dispute) => <DisputeStatus {...dispute} /> },
          { name: "Respond by", cell: (dispute) => <RespondBy {...dispute} /> },
          { name: "Reason code", cell: ({ reason }) => reason ?? "-" },
          {
            name: "Acquirer's ID",
            cell: ({ acquirer_id }) => <CopyLine text={acquirer_id} what={`acquirer's ID ${acquirer_id}`} />,
          },
        ]}
      />
    </Page>
  );
}
