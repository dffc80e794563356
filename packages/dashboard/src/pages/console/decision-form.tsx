/** Approves, asks for more or rejects, with password and code. What the merchant will read is said beside the field. */
import { Button, Radio, Stack, Textarea } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation } from "@tanstack/react-query";
import type { DecideApplication, OperatorApplication } from "@oriel/protocol/dashboard-underwriting";
import { ask } from "../../api/ask.ts";
import { backToTop } from "../../parts/page.tsx";
import { RefusalAlert } from "../../parts/refusal-alert.tsx";
import { keepChanged } from "./ask-operator.ts";
import { showReasonRefusal } from "./reason-field.ts";

type Decision = DecideApplication["decision"];

const decisions: Readonly<Record<Decision, { name: string; what: string; reason: string; action: string }>> = {
  approve: {
    name: "Approve",
    what: "Opens live mode for this account at once.",
    reason: "Optional. Operators read it here; the merchant does not.",
    action: "Approve",
  },
  ask: {
    name: "Ask for more",
    what: "Gives the application back, so that the merchant can change it and submit it again.",
    reason: "The merchant reads this, here and in a mail.",
    action: "Ask for more",
  },
  reject: {
    name: "Reject",
    what: "Ends this application. The merchant may begin another one.",
    reason: "The merchant reads this, here and in a mail.",
    action: "Reject",
  },
};

/** @param submitted of what is shown beside it: only that is decided */
export function DecisionForm({ id, submitted }: { id: string; submitted: number }) {
  const form = useForm({
    initialValues: { decision: "", reason: "" },
    validate: {
      decision: (value) => (value in decisions ? null : "Choose one."),
      reason: (value, { decision }) =>
        decision !== "approve" && decision !== "" && value.trim() === "" ? "Say what the merchant is to read." : null,
    },
  });
  const deciding = useMutation({
    mutationFn: (body: DecideApplication) =>
      ask<OperatorApplication>(`/operator/applications/${id}/decision`, { method: "POST", body }),
    onSuccess: (answer) => {
      keepChanged(`applications/${id}`, answer);
      backToTop();
    },
    onError: (error) => showReasonRefusal(form, error),
  });
  const decision = decisions[form.values.decision as Decision] as (typeof decisions)[Decision] | undefined; // "" before one is chosen
  const send = ({ decision, reason }: typeof form.values) =>
    deciding.mutate({
      decision: decision as Decision,
      submitted,
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
          description={decision?.reason ?? "What the merchant reads of it depends on the decision."}
          autosize
          minRows={3}
          maxLength={1000}
          {...form.getInputProps("reason")}
        />
        <RefusalAlert error={deciding.error} besideFields={["reason"]} />
        <div>
          <Button
            type="submit"
            color={form.values.decision === "reject" ? "red.9" : "indigo"}
            loading={deciding.isPending}
          >
            {decision?.action ?? "Decide"}
          </Button>
        </div>
      </Stack>
    </form>
  );
}
