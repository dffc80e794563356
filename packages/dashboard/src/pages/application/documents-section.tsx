/** Uploads documents one at a time, and deletes them. Documents are saved immediately, independently of the draft. */
import { Alert, Button, FileButton, Group, NativeSelect, Progress, Stack, Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useRef, useState } from "react";
import type { ApplicationDocument, DocumentKind } from "@oriel/protocol/dashboard/underwriting";
import { withoutHidden } from "@oriel/protocol/hidden-characters";
import { isolate } from "@oriel/protocol/isolate";
import { requestErrorOf } from "../../api/api-error.ts";
import { request } from "../../api/request.ts";
import { useWorkspace } from "../../api/workspace.tsx";
import { ConfirmDialog } from "../../parts/confirm-dialog.tsx";
import { Section } from "../../parts/section.tsx";
import { DocumentTable, kindNames, sizeText } from "./document-table.tsx";
import { acceptedTypes, documentLimits, faultOfFile, uploadDocument } from "./upload-document.ts";
import { useApplication } from "./use-application.ts";

/** The ID of the upload button, which the list of gaps focuses. */
export const addDocumentsId = "add-documents";

export function DocumentsSection({ documents }: { documents: readonly ApplicationDocument[] }) {
  const workspace = useWorkspace();
  const { refetch } = useApplication();
  const [leaving, setLeaving] = useState<ApplicationDocument | null>(null);
  const bytes = documents.reduce((sum, { size }) => sum + size, 0);
  return (
    <Section
      title="Documents"
      lead="Add documents that prove the information above, such as a register extract, an identity document of each owner and a bank statement. You need at least one. PDF, PNG or JPEG, up to 10 MB each. Documents are saved immediately. Only the operator of this service and the owners of this account can download them."
    >
      <Stack>
        <DocumentTable
          documents={documents}
          hrefOf={(id) => workspace.data(`application/documents/${id}`)}
          actionOf={(document) => (
            <Button
              size="compact-xs"
              variant="default"
              aria-label={`Delete ${document.name}`}
              onClick={() => setLeaving(document)}
            >
              Delete
            </Button>
          )}
        />
        {documents.length > 0 && (
          <Text size="sm" c="dimmed">
            {documents.length} of {documentLimits.count} documents, {sizeText(bytes)} of 50 MB
          </Text>
        )}
        <AddDocuments documents={documents} onAdded={refetch} />
      </Stack>
      <ConfirmDialog
        isOpen={leaving !== null}
        onClose={() => setLeaving(null)}
        title="Delete this document?"
        action="Delete"
        run={() => deleteDocument(workspace.data(`application/documents/${leaving?.id ?? ""}`))}
        onDone={() => {
          setLeaving(null);
          void refetch();
        }}
      >
        <span className="break-anywhere">{leaving?.name}</span> will be deleted. You can't undo this.
      </ConfirmDialog>
    </Section>
  );
}

/** Also succeeds if the document is already deleted, by another owner or by a request whose response was lost. */
async function deleteDocument(path: string): Promise<void> {
  try {
    await request(path, { method: "DELETE" });
  } catch (error) {
    if (requestErrorOf(error).code !== "resource_missing") throw error;
  }
}

interface Underway {
  name: string;
  /** From 0 to 1. */
  share: number;
}

interface AddDocumentsProps {
  documents: readonly ApplicationDocument[];
  /** Loads the list again. */
  onAdded: () => Promise<unknown>;
}

function AddDocuments({ documents, onAdded }: AddDocumentsProps) {
  const workspace = useWorkspace();
  const [kind, setKind] = useState<DocumentKind>("registration");
  const [underway, setUnderway] = useState<Underway | null>(null);
  const [faults, setFaults] = useState<readonly string[]>([]);
  const stop = useRef<AbortController | null>(null);
  const resetInput = useRef<() => void>(null);

  const adding = useMutation({
    mutationFn: async (files: readonly File[]) => {
      const { signal } = (stop.current = new AbortController());
      let saved = documents;
      for (const file of files) {
        if (signal.aborted) return;
        const fault = faultOfFile(file, saved);
        if (fault !== null) {
          setFaults((before) => [...before, fault]);
          continue;
        }
        const showProgress = (share: number) => setUnderway({ name: file.name, share });
        showProgress(0);
        try {
          const path = workspace.data("application/documents");
          const added = await uploadDocument(path, { file, kind, onProgress: showProgress, signal });
          // The service returns the existing document if an earlier upload's response was lost.
          saved = [...saved.filter(({ id }) => id !== added.id), added];
        } catch (error) {
          const { code, message } = requestErrorOf(error);
          if (code !== "canceled")
            setFaults((before) => [...before, `${isolate(withoutHidden(file.name))}: ${message}`]);
        }
        await onAdded(); // also redirects to the sign-in page if the session has ended
      }
    },
    onSettled: () => setUnderway(null),
  });
  const add = (files: File[]) => {
    resetInput.current?.(); // lets the user choose the same file again
    if (files.length === 0) return;
    setFaults([]);
    adding.mutate(files);
  };

  return (
    <>
      <Group align="flex-end">
        <NativeSelect
          label="Document type"
          data={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value as DocumentKind)} // one of the names above
          disabled={adding.isPending}
        />
        <FileButton
          multiple
          accept={Object.keys(acceptedTypes).join(",")}
          onChange={add}
          resetRef={resetInput}
          disabled={adding.isPending}
        >
          {(props) => (
            <Button id={addDocumentsId} variant="default" {...props} disabled={adding.isPending}>
              Add files
            </Button>
          )}
        </FileButton>
      </Group>
      {underway !== null && <Uploading {...underway} onCancel={() => stop.current?.abort()} />}
      {faults.length > 0 && (
        <Alert
          color="red"
          variant="outline"
          role="alert"
          title="Some files were not added"
          withCloseButton
          closeButtonLabel="Close"
          onClose={() => setFaults([])}
        >
          {faults.map((fault, index) => (
            <Text key={index} size="sm" className="break-anywhere">
              {fault}
            </Text>
          ))}
        </Alert>
      )}
    </>
  );
}

function Uploading({ name, share, onCancel }: Underway & { onCancel: () => void }) {
  const percent = Math.round(share * 100);
  return (
    <Group wrap="nowrap">
      <Stack gap={4} flex={1} miw={0}>
        <Text size="sm" className="break-anywhere">
          {isolate(withoutHidden(name))}: {percent < 100 ? `${percent}% uploaded` : "Checking…"}
        </Text>
        <Progress value={percent} aria-label={`Uploading ${name}`} />
      </Stack>
      <Button variant="default" size="xs" onClick={onCancel}>
        Cancel
      </Button>
    </Group>
  );
}
