/**
 * The form of an application, with its documents. A draft may be incomplete. Submitting saves the draft first, lists
 * all gaps at once, and requires confirming the user's identity. Unsaved values aren't lost when the user visits other
 * pages.
 *
 * Another owner can save the draft at the same time. The form shows what they saved, except where the user has edited
 * something. Then the user chooses.
 */
import { Alert, Anchor, Button, Group, List, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type {
  Application,
  ApplicationAnswer,
  SaveApplication,
  SubmitApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { requestErrorOf } from "../../api/api-error.ts";
import { refetchIfChanged } from "../../api/query-client.ts";
import { ChangedMeanwhile } from "../../parts/changed-meanwhile.tsx";
import { backToTop } from "../../parts/page.tsx";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { Section } from "../../parts/section.tsx";
import { useSavedForm, type Draft } from "../../parts/use-saved-form.ts";
import { BankFields } from "./bank-fields.tsx";
import { BusinessFields } from "./business-fields.tsx";
import { addDocumentsId, DocumentsSection } from "./documents-section.tsx";
import { errorAt } from "./error-at.ts";
import { draftOf, faultsOf, gapsOf, labelOf, valuesOf, type Faults, type Values } from "./form-values.ts";
import { MoneyFields } from "./money-fields.tsx";
import { OwnerFields } from "./owner-fields.tsx";
import { PayoutAccount } from "./payout-account.tsx";
import { savedFactOf } from "./saved-facts.tsx";
import { useCacheApplication } from "./use-application.ts";

/** Unsaved edits by application ID. Lost when the page is reloaded. */
const unsaved = new Map<string, Draft<Application, Values>>();

export function ApplicationForm({ application }: { application: Application }) {
  const { id, status, details, documents } = application;
  const workspace = useWorkspace();
  const cache = useCacheApplication();
  const [gaps, setGaps] = useState<Faults>({});
  const form = useSavedForm(application, formValuesOf, { draft: unsaved.get(id) });
  const noDocuments: Faults = documents.length > 0 ? {} : { documents: "Add at least one document." };
  const isDirty = form.isDirty();
  useWarning(isDirty);
  useEffect(() => {
    if (isDirty) unsaved.set(id, form.draft);
    else unsaved.delete(id);
  });

  const focus = (path: string) => {
    if (path === "documents") document.getElementById(addDocumentsId)?.focus();
    else form.getInputNode(path as keyof Values)?.focus(); // such as owners.0.name
  };
  /** @returns true if there are no faults */
  const showFaults = (faults: Faults) => {
    form.setErrors(faults);
    const [first] = Object.keys(faults);
    if (first !== undefined) focus(first);
    return first === undefined;
  };
  const showRefusal = (error: unknown) => {
    const fault = errorAt(requestErrorOf(error));
    if (fault !== null) showFaults(fault);
    refetchIfChanged(workspace.key("application"), error);
  };
  /** @returns the application as saved, for which the user vouches because it has the values of the form */
  const save = async () => {
    const sent = form.getValues();
    const body: SaveApplication = { ...draftOf(sent), version: form.seen.version };
    const answer = await request<ApplicationAnswer>(workspace.data("application"), { method: "PUT", body });
    if (answer.application === null) throw new Error("Bug: a saved application is missing");
    form.hasSaved(sent, answer.application);
    unsaved.delete(id);
    cache(answer);
    return answer.application;
  };
  const saving = useMutation({
    mutationFn: save,
    onSuccess: () => notifications.show({ message: "Draft saved" }),
    onError: showRefusal,
  });
  const submitting = useMutation({
    mutationFn: async () => {
      // After a lost response, there is nothing to save and the request is the same again.
      const { version, submitted } = isDirty ? await save() : form.seen;
      const body: SubmitApplication = { version, submitted, documents: documents.map((document) => document.id) };
      return await request<ApplicationAnswer>(workspace.data("application/submit"), { method: "POST", body });
    },
    onSuccess: (answer) => {
      cache(answer);
      backToTop();
      notifications.show({ message: "Application submitted" });
    },
    onError: showRefusal,
  });
  const isSending = saving.isPending || submitting.isPending;

  const trySaving = () => {
    if (isSending) return;
    submitting.reset();
    setGaps({});
    if (showFaults(faultsOf(form.getValues()))) saving.mutate();
  };
  const trySubmitting = () => {
    saving.reset();
    const values = form.getValues();
    const found = { ...gapsOf(values), ...faultsOf(values) };
    setGaps({ ...found, ...noDocuments });
    if (!showFaults(found)) return;
    if (documents.length === 0) focus("documents");
    else submitting.mutate();
  };
  const error = saving.error ?? submitting.error;
  const forgetErrors = () => {
    saving.reset();
    submitting.reset();
  };
  const isShownAtField = error !== null && errorAt(requestErrorOf(error)) !== null;

  return (
    <>
      <form
        id="application"
        noValidate
        aria-label="Application"
        onSubmit={(event) => {
          event.preventDefault();
          trySaving();
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
          <ErrorAlert error={isShownAtField ? null : error} />
          <ChangedMeanwhile form={form} factOf={(name) => savedFactOf(name, details)} onChosen={forgetErrors} />
          <Gaps gaps={gaps} errors={{ ...form.errors, ...noDocuments }} onChoose={focus} />
          <Group>
            <Button
              type="submit"
              form="application"
              variant="default"
              loading={saving.isPending}
              disabled={submitting.isPending}
            >
              Save draft
            </Button>
            <Button onClick={trySubmitting} loading={submitting.isPending} disabled={saving.isPending}>
              {status === "draft" ? "Submit" : "Submit again"}
            </Button>
            <Text size="sm" c="dimmed" role="status">
              {isSending ? "" : isDirty ? "Unsaved changes" : "All changes saved"}
            </Text>
          </Group>
        </Stack>
      </Section>
    </>
  );
}

function formValuesOf({ details, bank_account_set }: Application): Values {
  return valuesOf(details, bank_account_set);
}

/**
 * Lists what is missing for a submission, with links to the fields. Leaves out fields that have been filled in since.
 */
function Gaps({ gaps, errors, onChoose }: { gaps: Faults; errors: object; onChoose: (path: string) => void }) {
  const open = Object.keys(gaps).filter((path) => path in errors);
  if (open.length === 0) return null;
  return (
    <Alert color="red" variant="outline" role="alert" title="To submit the application, complete or correct:">
      <List size="sm">
        {open.map((path) => (
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

/** Makes the browser ask for confirmation before the user leaves the page with unsaved changes. */
function useWarning(isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return;
    const warn = (event: BeforeUnloadEvent) => event.preventDefault();
    globalThis.addEventListener("beforeunload", warn);
    return () => globalThis.removeEventListener("beforeunload", warn);
  }, [isDirty]);
}
