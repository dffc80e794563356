/**
 * The state of an application's form: its values, what is missing, and the requests that save and submit it. Unsaved
 * values aren't lost when the user visits other pages.
 *
 * Another owner can save the draft at the same time. The form shows what they saved, except where the user has edited
 * something. Then the user chooses.
 */
import { notifications } from "@mantine/notifications";
import { useMutation } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type {
  Application,
  ApplicationResponse,
  SaveApplication,
  SubmitApplication,
} from "@oriel/protocol/dashboard/underwriting";
import { requestErrorOf } from "../../api/api-error.ts";
import { refetchIfChanged } from "../../api/query-client.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { backToTop } from "../../parts/page.tsx";
import { useSavedForm, type Draft } from "../../parts/use-saved-form.ts";
import { addDocumentsId } from "./documents-section.tsx";
import { errorAt } from "./error-at.ts";
import { draftOf, faultsOf, gapsOf, valuesOf, type Faults, type Values } from "./form-values.ts";
import { useApplicationCache } from "./use-application.ts";

/** Unsaved edits by application ID. Lost when the page is reloaded. */
const unsaved = new Map<string, Draft<Application, Values>>();

export function useApplicationForm(application: Application) {
  const { id, documents } = application;
  const workspace = useWorkspace();
  const cache = useApplicationCache();
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
    const data = await request<ApplicationResponse>(workspace.data("application"), { method: "PUT", body });
    if (data.application === null) throw new Error("Bug: a saved application is missing");
    form.hasSaved(sent, data.application);
    unsaved.delete(id);
    cache(data);
    return data.application;
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
      return await request<ApplicationResponse>(workspace.data("application/submit"), { method: "POST", body });
    },
    onSuccess: (data) => {
      cache(data);
      backToTop();
      notifications.show({ message: "Application submitted" });
    },
    onError: showRefusal,
  });

  const error = saving.error ?? submitting.error;
  return {
    form,
    isDirty,
    isSaving: saving.isPending,
    isSubmitting: submitting.isPending,
    /** The error of the last request, unless it's shown at a field. */
    error: error !== null && errorAt(requestErrorOf(error)) === null ? error : null,
    forgetErrors() {
      saving.reset();
      submitting.reset();
    },
    /** What was missing at the last attempt to submit, and still is. */
    openGaps: Object.keys(gaps).filter((path) => path in { ...form.errors, ...noDocuments }),
    focus,
    save() {
      if (saving.isPending || submitting.isPending) return;
      submitting.reset();
      setGaps({});
      if (showFaults(faultsOf(form.getValues()))) saving.mutate();
    },
    submit() {
      saving.reset();
      const values = form.getValues();
      const found = { ...gapsOf(values), ...faultsOf(values) };
      setGaps({ ...found, ...noDocuments });
      if (!showFaults(found)) return;
      if (documents.length === 0) focus("documents");
      else submitting.mutate();
    },
  };
}

function formValuesOf({ details, bank_account_set }: Application): Values {
  return valuesOf(details, bank_account_set);
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
