/**
 * The application for live mode: its status, followed by the form while the merchant can edit it, or the submitted
 * values. An account has one application for both modes.
 */
import { Button, List, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import type {
  Application as ApplicationObject,
  ApplicationResponse,
  SaveApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { meKey } from "../../api/me.ts";
import { queryClient, refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationDetails } from "./application-details.tsx";
import { ApplicationForm } from "./application-form.tsx";
import { ApplicationHistory } from "./application-history.tsx";
import { DocumentTable } from "./document-table.tsx";
import { ReviewBanner } from "./review-banner.tsx";
import { SavedBankAccount } from "./saved-bank-account.tsx";
import { useApplication, useApplicationCache } from "./use-application.ts";

export function Application() {
  const query = useApplication();
  return (
    <Page title="Live mode" lead="Apply to take live payments with this account. Only owners can see this page.">
      <Loaded query={query} lines={8}>
        {({ application }) => (application === null ? <NotStarted /> : <Present application={application} />)}
      </Loaded>
    </Page>
  );
}

function Present({ application }: { application: ApplicationObject }) {
  const { membership, data } = useWorkspace();
  const { id, status, details, documents, history } = application;
  useEffect(() => {
    // The user's cached memberships may be older than the approval.
    if (status === "approved" && !membership.is_live_approved) void queryClient.invalidateQueries({ queryKey: meKey });
  }, [status, membership.is_live_approved]);
  const isOpen = (status === "draft" || status === "needs_information") && membership.status === "active";
  return (
    <>
      <ReviewBanner application={application}>
        {status === "rejected" && membership.status === "active" && (
          <StartButton details={details}>Apply again</StartButton>
        )}
      </ReviewBanner>
      {isOpen ? (
        <ApplicationForm key={id} application={application} />
      ) : (
        <>
          <ApplicationDetails details={details} bank={<SavedBankAccount bank={details.bank_account} />} />
          <Section title="Documents">
            <DocumentTable documents={documents} hrefOf={(id) => data(`application/documents/${id}`)} />
          </Section>
        </>
      )}
      <ApplicationHistory history={history} />
    </>
  );
}

function NotStarted() {
  const { membership } = useWorkspace();
  return (
    <Section title="Get started">
      <Stack>
        <Text>
          Until your application is approved, you can use test mode but can't create live keys. You can save a draft and
          continue later. You'll need:
        </Text>
        <List>
          <List.Item>The legal name, registration number and address of the business</List.Item>
          <List.Item>What it sells, and its approximate monthly volume</List.Item>
          <List.Item>
            Name, date of birth and share of everyone who owns 25% or more, or otherwise of those who run the business
          </List.Item>
          <List.Item>The bank account for payouts</List.Item>
          <List.Item>Documents that prove this information, as PDF, PNG or JPEG</List.Item>
        </List>
        {membership.status === "active" && <StartButton details={{}}>Start application</StartButton>}
      </Stack>
    </Section>
  );
}

/** Creates a draft with the values of an earlier application, except its bank account and documents. */
function StartButton({
  details: { bank_account: _bankAccount, ...details },
  children,
}: {
  details: ApplicationObject["details"];
  children: string;
}) {
  const workspace = useWorkspace();
  const cache = useApplicationCache();
  const starting = useMutation({
    mutationFn: (body: SaveApplication) =>
      request<ApplicationResponse>(workspace.data("application"), { method: "PUT", body }),
    onSuccess: cache,
    onError: (error) => refetchIfChanged(workspace.key("application"), error), // another owner has started one
  });
  return (
    <>
      <ErrorAlert error={starting.error} />
      <div>
        <Button onClick={() => starting.mutate({ ...details, version: null })} loading={starting.isPending}>
          {children}
        </Button>
      </div>
    </>
  );
}
