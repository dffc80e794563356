/** Approves or rejects an application, or requests more information. Says next to the field who reads the reason. */
import { Alert, Button, Radio, Stack, Text, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import type { DecideApplication, OperatorApplication } from "@oriel/protocol/dashboard/underwriting";
import { request } from "../../api/request.ts";
import { ErrorAlert } from "../../parts/error-alert.tsx";
import { backToTop } from "../../parts/page.tsx";
import { cacheChange } from "./operator-requests.ts";
import { showReasonRefusal } from "./reason-field.ts";

type Decision = DecideApplication["decision"];

const decisions: Readonly<Record<Decision, { name: string; what: string; reason: string; action: string }>> = {
  approve: {
    name: "Approve",
    what: "Makes live mode available to this account immediately.",
    reason: "Optional. Only operators can read it.",
    action: "Approve",
  },
  request_information: {
    name: "Request information",
    what: "Returns the application to the merchant, who can edit and submit it again.",
    reason: "The merchant reads this in the dashboard and in an email.",
    action: "Request information",
  },
  reject: {
    name: "Reject",
    what: "Closes this application. The merchant can start a new one.",
    reason: "The merchant reads this in the dashboard and in an email.",
    action: "Reject",
  },
};

/**
 * @param submitted identifies the version shown to the operator, because only that version may be decided on. The page may
 * load a newer one while the operator is writing.
 */
export function DecisionForm({ id, submitted }: { id: string; submitted: number }) {
  const [seen, setSeen] = useState(submitted);
  const form = useForm({
    initialValues: { decision: "", reason: "" },
    validate: {
      decision: (value) => (value in decisions ? null : "Choose a decision."),
      reason: (value, { decision }) =>
        decision !== "approve" && decision !== "" && value.trim() === "" ? "Enter a reason for the merchant." : null,
    },
  });
  const deciding = useMutation({
    mutationFn: (body: DecideApplication) =>
      request<OperatorApplication>(`/operator/applications/${id}/decision`, { method: "POST", body }),
    onSuccess: (data) => {
      cacheChange(`applications/${id}`, data);
      backToTop();
    },
    onError: (error) => showReasonRefusal(form, error),
  });
  // Undefined until one is chosen.
  const decision = decisions[form.values.decision as Decision] as (typeof decisions)[Decision] | undefined;
  const send = ({ decision, reason }: typeof form.values) =>
    deciding.mutate({
      decision: decision as Decision,
      submitted: seen,
      ...(reason.trim() !== "" && { reason: reason.trim() }),
    }); // validated above
  return (
    <form onSubmit={form.onSubmit(send)} noValidate>
      <Stack maw={640}>
        <Radio.Group label="Decision" {...form.getInputProps("decision")}>
          <Stack gap="xs" mt={4}>
            {Object.entries(decisions).map(([value, { name, what }]) => (
              <Radio key={value} value={value} label={name} description={what} />
            ))}
          </Stack>
        </Radio.Group>
        <Textarea
          label="Reason"
          description={decision?.reason ?? "Choose a decision to see who reads the reason."}
          autosize
          minRows={3}
          maxLength={1000}
          {...form.getInputProps("reason")}
        />
        <ErrorAlert error={deciding.error} inlineFields={["reason"]} />
        {seen !== submitted && (
          <Alert
            color="yellow"
            variant="outline"
            role="alert"
            title="The merchant has submitted this application again"
          >
            <Stack gap="sm" align="flex-start">
              <Text size="sm">Check the new values and documents on this page before you decide.</Text>
              <Button size="xs" variant="default" onClick={() => setSeen(submitted)}>
                I've checked them
              </Button>
            </Stack>
          </Alert>
        )}
        <div>
          <Button
            type="submit"
            color={form.values.decision === "reject" ? "red.9" : "indigo"}
            loading={deciding.isPending}
            disabled={seen !== submitted}
          >
            {decision?.action ?? "Decide"}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
