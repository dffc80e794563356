/**
 * The form of an application, with its documents. A draft may be incomplete. Submitting saves the draft first, lists
 * all gaps at once, and requires confirming the user's identity.
 */
import { Alert, Anchor, Button, Group, List, Stack, Text } from "@mantine/core";
import type { Application } from "@oriel/protocol/dashboard/underwriting";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Section } from "../../parts/section.tsx";
import { BankFields } from "./bank-fields.tsx";
import { BusinessFields } from "./business-fields.tsx";
import { DocumentsSection } from "./documents-section.tsx";
import { draftOf, labelOf } from "./form-values.ts";
import { MoneyFields } from "./money-fields.tsx";
import { OwnerFields } from "./owner-fields.tsx";
import { PayoutAccount } from "./payout-account.tsx";
import { savedFactOf } from "./saved-facts.tsx";
import { useApplicationForm } from "./use-application-form.ts";

export function ApplicationForm({ application }: { application: Application }) {
  const { status, details, documents } = application;
  const draft = useApplicationForm(application);
  const { form, isDirty, isSaving, isSubmitting } = draft;
  return (
    <>
      <form
        id="application"
        noValidate
        aria-label="Application"
        onSubmit={(event) => {
          event.preventDefault();
          draft.save();
        }}
      >
        <Stack gap="lg">
          <BusinessFields form={form} />
          <MoneyFields form={form} />
          <OwnerFields form={form} />
          <BankFields form={form} saved={details.bank_account} />
        </Stack>
      </form>
      <DocumentsSection documents={documents} />
      <Section
        title="Save or submit"
        lead="You can save an incomplete draft. After you submit it, you can't make changes unless the operator asks for more information."
      >
        <Stack>
          <PayoutAccount application={application} isChanging={draftOf(form.values).bank_account !== undefined} />
          <ErrorAlert error={draft.error} />
          <ChangedMeanwhile form={form} factOf={(name) => savedFactOf(name, details)} onChosen={draft.forgetErrors} />
          <Gaps paths={draft.openGaps} onChoose={draft.focus} />
          <Group>
            <Button type="submit" form="application" variant="default" loading={isSaving} disabled={isSubmitting}>
              Save draft
            </Button>
            <Button onClick={draft.submit} loading={isSubmitting} disabled={isSaving}>
              {status === "draft" ? "Submit" : "Submit again"}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isSaving || isSubmitting ? "" : isDirty ? "Unsaved changes" : "All changes saved"}
            </Text>
          </Group>
        </Stack>
      </Section>
    </>
  );
}

/** Lists what is missing for a submission, with links to the fields. */
function Gaps({ paths, onChoose }: { paths: readonly string[]; onChoose: (path: string) => void }) {
  if (paths.length === 0) return null;
  return (
    <Alert color="red" variant="outline" role="alert" title="To submit the application, complete or correct:">
      <List size="sm">
        {paths.map((path) => (
          <List.Item key={path}>
            <Anchor component="button" type="button" size="sm" onClick={() => onChoose(path)}>
              {nameOf(path)}
            </Anchor>
          </List.Item>
        ))}
      </List>
    </Alert>
  );
}

/** @example nameOf("owners.0.name") // "Owner 1: Name" */
function nameOf(path: string): string {
  if (path === "documents") return "Documents";
  const index = /^owners\.(\d+)\./.exec(path)?.[1];
  return index === undefined ? labelOf(path) : `Owner ${Number(index) + 1}: ${labelOf(path)}`;
}
