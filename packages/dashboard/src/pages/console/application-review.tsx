/** One application with all that there is to it, and what the operator does about it. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { BankAccount, OperatorApplication } from "@oriel/protocol/dashboard-underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { ask } from "../../api/ask.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { Facts } from "../../parts/facts.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { backToTop, Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationDetails } from "../application/application-details.tsx";
import { ApplicationTag } from "../application/application-status.tsx";
import { DocumentTable } from "../application/document-table.tsx";
import { AccountTags } from "./account-tags.tsx";
import { keepChanged, useOperatorQuery } from "./ask-operator.ts";
import { DecisionForm } from "./decision-form.tsx";
import { MemberTable } from "./member-table.tsx";
import { TransitionList } from "./transition-list.tsx";

export function ApplicationReview() {
  const { id } = useParams<{ id: string }>();
  const query = useOperatorQuery<OperatorApplication>(`applications/${id}`);
  return (
    <Page title={query.data === undefined ? "Application" : `Application of ${isolate(query.data.account.name)}`}>
      <Loaded query={query} lines={10}>
        {(application) => <Review application={application} />}
      </Loaded>
    </Page>
  );
}

function Review({ application }: { application: OperatorApplication }) {
  const { id, details, documents, history, merchant } = application;
  return (
    <>
      <Standing application={application} />
      <Section title="The account">
        <Stack>
          <Facts
            facts={[
              { name: "Name", value: <RouteLink to={`/console/accounts/${merchant.id}`}>{merchant.name}</RouteLink> },
              { name: "State", value: <AccountTags account={merchant} /> },
              { name: "Id", value: <CopyLine text={merchant.id} what="the account's id" /> },
              { name: "Signed up", value: <Moment at={merchant.created} /> },
            ]}
          />
          <MemberTable members={merchant.members} />
        </Stack>
      </Section>
      <ApplicationDetails details={details} bank={<WholeBank bank={details.bank_account} />} />
      <Section
        title="Documents"
        lead="A stranger sent these. They were looked at for what they are, not for what they say: open them where you would open such a file."
      >
        <DocumentTable
          documents={documents}
          hrefOf={(document) => `/operator/applications/${id}/documents/${document}`}
        />
      </Section>
      <Section title="History">
        <TransitionList transitions={history} />
      </Section>
    </>
  );
}

/** Where it stands, and the one thing that can be done now. */
function Standing({ application }: { application: OperatorApplication }) {
  const { id, status, submitted, decided } = application;
  return (
    <Section title="Where it stands">
      <Stack gap="sm">
        <Group gap="sm">
          <ApplicationTag status={status} />
          <Text size="sm" c="dimmed" component="span">
            Submitted <Moment at={submitted} />
            {decided !== null && (
              <>
                , decided <Moment at={decided} />
              </>
            )}
          </Text>
        </Group>
        {status === "submitted" && <ReviewButton id={id} />}
        {status === "in_review" && submitted !== null && <DecisionForm id={id} submitted={submitted} />}
        {status === "needs_information" && (
          <Text size="sm">
            The merchant was asked for more, and can change everything below until they submit it again.
          </Text>
        )}
        {status === "approved" && (
          <Text size="sm">Live mode is open for this account. To close it, suspend the account.</Text>
        )}
        {status === "rejected" && <Text size="sm">The merchant may apply again; that is another application.</Text>}
      </Stack>
    </Section>
  );
}

function ReviewButton({ id }: { id: string }) {
  const taking = useMutation({
    mutationFn: () => ask<OperatorApplication>(`/operator/applications/${id}/review`, { method: "POST", body: {} }),
    onSuccess: (answer) => {
      keepChanged(`applications/${id}`, answer);
      backToTop();
    },
  });
  return (
    <>
      <Text size="sm">Nobody looks at it yet. The merchant gets a mail when you take it, and you can decide then.</Text>
      <RefusalAlert error={taking.error} />
      <div>
        <Button onClick={() => taking.mutate()} loading={taking.isPending}>
          Take into review
        </Button>
      </div>
    </>
  );
}

function WholeBank({ bank }: { bank: BankAccount | undefined }) {
  if (bank === undefined) return null;
  const { holder_name, iban, account_number, routing_number } = bank;
  return (
    <Stack gap={2} align="flex-start">
      <span>{holder_name}</span>
      {iban === undefined ? (
        <span>
          Account {account_number}, routing number {routing_number}
        </span>
      ) : (
        <span>IBAN {iban.replaceAll(/(.{4})(?=.)/g, "$1 ")}</span>
      )}
    </Stack>
  );
}
