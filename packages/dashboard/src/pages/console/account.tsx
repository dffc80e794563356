/** One account in the console: status, acquirers, members and applications. */
import { useParams } from "wouter";
import type { OperatorAccount } from "@oriel/protocol/dashboard/underwriting";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationTag } from "../application/application-status.tsx";
import { AccountSwitch } from "./account-switch.tsx";
import { AccountTags } from "./account-tags.tsx";
import { AcquirerAccountsSection } from "./acquirer-accounts-section.tsx";
import { AcquirerDialog } from "./acquirer-dialog.tsx";
import { MemberTable } from "./member-table.tsx";
import { useOperatorQuery } from "./operator-requests.ts";

export function Account() {
  const { id } = useParams<{ id: string }>();
  const query = useOperatorQuery<OperatorAccount>(`accounts/${id}`);
  return (
    <Page title={query.data?.name ?? "Account"}>
      <Loaded query={query} lines={10}>
        {(account) => (
          <>
            <Section title="Status" actions={<AccountSwitch account={account} />}>
              <DescriptionList
                facts={[
                  { name: "Status", value: <AccountTags account={account} /> },
                  { name: "Account ID", value: <CopyLine text={account.id} what="account ID" /> },
                  { name: "Signed up", value: <DateTime at={account.created} /> },
                ]}
              />
            </Section>
            <AcquirerAccountsSection account={account} />
            <Section title="Default acquirer" actions={<AcquirerDialog account={account} />}>
              <DescriptionList
                facts={[
                  { name: "Merchant ID", value: account.acquirer.merchant_id ?? "Not set (no live payments)" },
                  {
                    name: "Live acquirer",
                    value: account.acquirer.has_bank ? "Configured" : "Not configured (see docs/live-mode.md)",
                  },
                ]}
              />
            </Section>
            <Section title="Members">
              <MemberTable members={account.members} />
            </Section>
            <Section title="Applications">
              <RecordTable
                label="Applications"
                items={account.applications}
                rowKey={({ id }) => id}
                empty="This account hasn't applied for live mode."
                columns={[
                  {
                    name: "Submitted",
                    cell: ({ id, submitted }) => (
                      <RouteLink to={`/console/applications/${id}`}>
                        <DateTime at={submitted} />
                      </RouteLink>
                    ),
                  },
                  { name: "Status", cell: ({ status }) => <ApplicationTag status={status} /> },
                ]}
              />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  );
}
