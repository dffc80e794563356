/** One application in the console, with the operator's actions. */
import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useParams } from "wouter";
import type { BankAccount, OperatorApplication } from "@oriel/protocol/dashboard/underwriting";
import { isolate } from "@oriel/protocol/isolate";
import { request } from "../../api/request.ts";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { backToTop, Page } from "../../parts/page.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationDetails } from "../application/application-details.tsx";
import { ApplicationTag } from "../application/application-status.tsx";
import { DocumentTable } from "../application/document-table.tsx";
import { AccountTags } from "./account-tags.tsx";
import { DecisionForm } from "./decision-form.tsx";
import { MemberTable } from "./member-table.tsx";
import { cacheChange, useOperatorQuery } from "./operator-requests.ts";
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
      <Status application={application} />
      <Section title="Account">
        <Stack>
          <DescriptionList
            facts={[
              { name: "Name", value: <RouteLink to={`/console/accounts/${merchant.id}`}>{merchant.name}</RouteLink> },
              { name: "Status", value: <AccountTags account={merchant} /> },
              { name: "Account ID", value: <CopyLine text={merchant.id} what="account ID" /> },
              { name: "Signed up", value: <DateTime at={merchant.created} /> },
            ]}
          />
          <MemberTable members={merchant.members} />
        </Stack>
      </Section>
      <ApplicationDetails details={details} bank={<WholeBank bank={details.bank_account} />} />
      <Section
        title="Documents"
        lead="Uploaded by the merchant. The service checks the file format and refuses scripts, but treat these files with care, like all files from strangers."
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

/** The application's status and the next action. */
function Status({ application }: { application: OperatorApplication }) {
  const { id, status, submitted, decided } = application;
  return (
    <Section title="Status">
      <Stack gap="sm">
        <Group gap="sm">
          <ApplicationTag status={status} />
          <Text size="sm" c="dimmed" component="span">
            Submitted <DateTime at={submitted} />
            {decided !== null && (
              <>
                , decided <DateTime at={decided} />
              </>
            )}
          </Text>
        </Group>
        {status === "submitted" && <ReviewButton id={id} />}
        {status === "in_review" && submitted !== null && <DecisionForm id={id} submitted={submitted} />}
        {status === "needs_information" && (
          <Text size="sm">
            Waiting for more information. The merchant can edit the application until they submit it again.
          </Text>
        )}
        {status === "approved" && (
          <Text size="sm">This account can use live mode. To stop it, suspend the account.</Text>
        )}
        {status === "rejected" && <Text size="sm">The merchant can apply again with a new application.</Text>}
      </Stack>
    </Section>
  );
}

function ReviewButton({ id }: { id: string }) {
  const starting = useMutation({
    mutationFn: () => request<OperatorApplication>(`/operator/applications/${id}/review`, { method: "POST", body: {} }),
    onSuccess: (data) => {
      cacheChange(`applications/${id}`, data);
      backToTop();
    },
  });
  return (
    <>
      <Text size="sm">Unassigned. We'll email the merchant when you start the review.</Text>
      <ErrorAlert error={starting.error} />
      <div>
        <Button onClick={() => starting.mutate()} loading={starting.isPending}>
          Start review
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
