/**
 * The application for live mode: where it stands and what happens next; then the form, while it is the merchant's to
 * change, or what was sent. It is the account's, whichever mode the page is in.
 */
import { Button, List, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import type {
  Application as ApplicationObject,
  ApplicationAnswer,
  SaveApplication,
} from "@oriel/protocol/dashboard-underwriting";
import { ask } from "../../api/ask.ts";
import { useDesk } from "../../api/desk.tsx";
import { meKey } from "../../api/me.ts";
import { queryClient } from "../../api/query-client.ts";
import { Loaded } from "../../parts/loaded.tsx";
import { Page } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { Section } from "../../parts/section.tsx";
import { ApplicationDetails } from "./application-details.tsx";
import { ApplicationForm } from "./application-form.tsx";
import { ApplicationHistory } from "./application-history.tsx";
import { ApplicationStanding } from "./application-standing.tsx";
import { DocumentTable } from "./document-table.tsx";
import { KeptBank } from "./kept-bank.tsx";
import { useApplication, useKeepApplication } from "./use-application.ts";

export function Application() {
  const query = useApplication();
  return (
    <Page
      title="Live mode"
      lead="The application with which this account asks to take real payments. Only owners see it."
    >
      <Loaded query={query} lines={8}>
        {({ application }) => (application === null ? <Beginning /> : <Present application={application} />)}
      </Loaded>
    </Page>
  );
}

function Present({ application }: { application: ApplicationObject }) {
  const { membership, data } = useDesk();
  const { id, status, details, documents, history } = application;
  useEffect(() => {
    // Who is signed in was asked earlier, and does not know of the approval yet.
    if (status === "approved" && !membership.is_live_approved) void queryClient.invalidateQueries({ queryKey: meKey });
  }, [status, membership.is_live_approved]);
  const isOpen = (status === "draft" || status === "needs_information") && membership.status === "active";
  return (
    <>
      <ApplicationStanding application={application}>
        {status === "rejected" && membership.status === "active" && (
          <BeginButton details={details}>Apply again</BeginButton>
        )}
      </ApplicationStanding>
      {isOpen ? (
        <ApplicationForm key={id} application={application} />
      ) : (
        <>
          <ApplicationDetails details={details} bank={<KeptBank bank={details.bank_account} />} />
          <Section title="Documents">
            <DocumentTable documents={documents} hrefOf={(id) => data(`application/documents/${id}`)} />
          </Section>
        </>
      )}
      <ApplicationHistory history={history} />
    </>
  );
}

function Beginning() {
  const { membership } = useDesk();
  return (
    <Section title="Not begun yet">
      <Stack>
        <Text>
          Until it is approved, everything works in test mode, and live keys cannot be made. You can begin now, save a
          draft, and go on later. Have at hand:
        </Text>
        <List>
          <List.Item>the business's legal name, registration number and address</List.Item>
          <List.Item>what it sells, and about how much it takes in a month</List.Item>
          <List.Item>
            the people who own a quarter of it or more, or else those who run it: name, date of birth, share
          </List.Item>
          <List.Item>the bank account that money is paid out to</List.Item>
          <List.Item>documents that prove it, as PDF, PNG or JPEG</List.Item>
        </List>
        {membership.status === "active" && <BeginButton details={{}}>Begin the application</BeginButton>}
      </Stack>
    </Section>
  );
}

/** A new draft, with what an earlier one said; its bank account and its documents have to be given again. */
function BeginButton({
  details: { bank_account: _kept, ...details },
  children,
}: {
  details: ApplicationObject["details"];
  children: string;
}) {
  const desk = useDesk();
  const keep = useKeepApplication();
  const beginning = useMutation({
    mutationFn: (body: SaveApplication) => ask<ApplicationAnswer>(desk.data("application"), { method: "PUT", body }),
    onSuccess: keep,
  });
  return (
    <>
      <RefusalAlert error={beginning.error} />
      <div>
        <Button onClick={() => beginning.mutate(details)} loading={beginning.isPending}>
          {children}
        </Button>
      </div>
    </>
  );
}
