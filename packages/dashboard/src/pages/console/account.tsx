/** One account: its state, its acquirer, its team, its applications, and the switch that suspends and resumes it. */
import { useParams } from "wouter";
import type { OperatorAccount } from "@oriel/protocol/dashboard-underwriting";
import { CopyLine } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Page } from "../../parts/page.tsx";
import { RecordTable } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationTag } from "../application/application-status.tsx";
import { AccountSwitch } from "./account-switch.tsx";
import { AccountTags } from "./account-tags.tsx";
import { AcquirerDialog } from "./acquirer-dialog.tsx";
import { useOperatorQuery } from "./ask-operator.ts";
import { MemberTable } from "./member-table.tsx";

export function Account() {
  const { id } = useParams<{ id: string }>();
  const query = useOperatorQuery<OperatorAccount>(`accounts/${id}`);
  return (
    <Page title={query.data?.name ?? "Account"}>
      <Loaded query={query} lines={10}>
        {(account) => (
          <>
            <Section title="State" actions={<AccountSwitch account={account} />}>
              <Facts
                facts={[
                  { name: "State", value: <AccountTags account={account} /> },
                  { name: "Id", value: <CopyLine text={account.id} what="the account's id" /> },
                  { name: "Signed up", value: <Moment at={account.created} /> },
                ]}
              />
            </Section>
            <Section title="Acquirer" actions={<AcquirerDialog account={account} />}>
              <Facts
                facts={[
                  { name: "Merchant id", value: account.acquirer.merchant_id ?? "None: no live payments" },
                  {
                    name: "Live bank",
                    value: account.acquirer.has_bank ? "Set up" : "This service has none (docs: running)",
                  },
                ]}
              />
            </Section>
            <Section title="Members">
              <MemberTable members={account.members} />
            </Section>
            <Section title="Applications">
              <RecordTable
                label="List of applications"
                items={account.applications}
                rowKey={({ id }) => id}
                empty="It has not applied for live mode."
                columns={[
                  {
                    name: "Submitted",
                    cell: ({ id, submitted }) => (
                      <RouteLink to={`/console/applications/${id}`}>
                        <Moment at={submitted} />
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
