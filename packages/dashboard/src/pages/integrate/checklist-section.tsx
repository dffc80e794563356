/**
 * The setup checklist. It refreshes automatically while steps are open, but only for ten minutes, so that an unattended
 * page doesn't keep the session alive.
 */
import { Anchor, Button, Group, List, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link, useLocation } from "wouter";
import type { Checklist } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Section } from "../../parts/section.tsx";

const refreshMs = 3_000;
const watchMs = 10 * 60_000;

interface StepText {
  step: keyof Checklist;
  what: string;
  /** The dashboard page on which users do the step or see how. */
  page: { path: string; name: string };
}

const code = { path: "integrate", name: "View code" };

/** In the order in which users complete them. */
const steps: readonly StepText[] = [
  { step: "key_created", what: "Create a secret key for your server", page: { path: "keys", name: "Create key" } },
  { step: "key_used", what: "Make an API request with the key", page: code },
  { step: "session_created", what: "Create a checkout session", page: code },
  { step: "payment_succeeded", what: "Complete a payment", page: { path: "integrate", name: "Try checkout" } },
  { step: "endpoint_created", what: "Add a webhook endpoint", page: { path: "webhooks", name: "Add endpoint" } },
  {
    step: "webhook_answered",
    what: "Respond to a webhook with a 2xx status",
    page: { path: "webhooks", name: "View deliveries" },
  },
];

export interface ChecklistSectionProps {
  title?: string;
  /** A sentence above the open steps. */
  lead?: string;
}

export function ChecklistSection({
  title = "Setup checklist",
  lead = "Steps are checked off automatically.",
}: ChecklistSectionProps) {
  const { mode } = useWorkspace();
  const [isWatching, setIsWatching] = useState(true);
  const query = useWorkspaceQuery<Checklist>("integrate", isWatching ? { refetchInterval: refreshMs } : {});
  const open = steps.filter(({ step }) => query.data === undefined || query.data[step] === null);
  const left = open.length;
  useEffect(() => {
    if (left === 0) setIsWatching(false);
    if (!isWatching) return;
    const timer = setTimeout(() => setIsWatching(false), watchMs);
    return () => clearTimeout(timer);
  }, [isWatching, left]);
  return (
    <Section title={title} lead={left === 0 ? `All steps are done in ${mode} mode.` : lead}>
      <Loaded query={query}>
        {(checklist) => (
          <>
            <List type="ordered" spacing="xs" center listStyleType="none">
              {steps.map(({ step, what, page }) => (
                <Step key={step} what={what} at={checklist[step]} isNext={step === open[0]?.step} page={page} />
              ))}
            </List>
            <VisuallyHidden role="status">
              {steps.length - left} of {steps.length} steps done
            </VisuallyHidden>
          </>
        )}
      </Loaded>
      {!isWatching && left > 0 && (
        <Button
          mt="md"
          size="xs"
          variant="default"
          onClick={() => {
            setIsWatching(true);
            void query.refetch();
          }}
        >
          Refresh
        </Button>
      )}
    </Section>
  );
}

interface StepProps {
  what: string;
  /** When the step was completed. Null if it's open. */
  at: number | null;
  /** Whether it's the first open step. */
  isNext: boolean;
  page: StepText["page"];
}

function Step({ what, at, isNext, page }: StepProps) {
  const workspace = useWorkspace();
  const [path] = useLocation();
  const isDone = at !== null;
  const isLinked = !isDone && workspace.may("developing") && path !== workspace.href(page.path);
  return (
    <List.Item
      icon={
        <ThemeIcon size={22} radius="xl" color={isDone ? "teal.9" : "gray"} variant={isDone ? "filled" : "default"}>
          {isDone ? <IconCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
        </ThemeIcon>
      }
    >
      <Group gap="xs">
        <Text size="sm" {...(isNext && { fw: 650 })}>
          <VisuallyHidden component="span">{isDone ? "Done: " : "To do: "}</VisuallyHidden>
          {what}
        </Text>
        {isDone && (
          <Text size="sm" c="dimmed">
            <DateTime at={at} />
          </Text>
        )}
        {isLinked && isNext && (
          <Button component={Link} href={workspace.href(page.path)} size="compact-sm">
            {page.name}
          </Button>
        )}
        {isLinked && !isNext && (
          <Anchor component={Link} href={workspace.href(page.path)} size="sm">
            {page.name}
          </Anchor>
        )}
      </Group>
    </List.Item>
  );
}
