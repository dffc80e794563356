/**
 * The setup checklist. It refreshes automatically while steps are open, but only for ten minutes, so that an unattended
 * page doesn't keep the session alive.
 */
import { Anchor, Button, Group, List, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { Checklist } from "@oriel/protocol/dashboard-setup";
import { useDesk, useDeskQuery } from "../../api/account-mode.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { Section } from "../../parts/section.tsx";

const refreshMs = 3_000;
const watchMs = 10 * 60_000;

/** In the order in which users complete them. `page` links to the dashboard page of the step, if it has one. */
const steps: readonly { step: keyof Checklist; what: string; page?: { path: string; name: string } }[] = [
  { step: "key_used", what: "Make an API request with a secret key", page: { path: "keys", name: "Create key" } },
  { step: "session_created", what: "Create a checkout session" },
  { step: "payment_succeeded", what: "Complete a payment" },
  {
    step: "endpoint_created",
    what: "Add a webhook endpoint",
    page: { path: "webhooks", name: "Add endpoint" },
  },
  { step: "webhook_answered", what: "Respond to a webhook with a 2xx status" },
];

export function ChecklistSection() {
  const { mode } = useDesk();
  const [isWatching, setIsWatching] = useState(true);
  const query = useDeskQuery<Checklist>("integrate", isWatching ? { refetchInterval: refreshMs } : {});
  const left = query.data === undefined ? steps.length : steps.filter(({ step }) => query.data[step] === null).length;
  useEffect(() => {
    if (left === 0) setIsWatching(false);
    if (!isWatching) return;
    const timer = setTimeout(() => setIsWatching(false), watchMs);
    return () => clearTimeout(timer);
  }, [isWatching, left]);
  return (
    <Section
      title="Setup checklist"
      lead={left === 0 ? `All steps are done in ${mode} mode.` : "Steps are checked off automatically."}
    >
      <Loaded query={query}>
        {(checklist) => (
          <>
            <List spacing="xs" center listStyleType="none">
              {steps.map(({ step, what, page }) => (
                <Step key={step} what={what} at={checklist[step]} {...(page === undefined ? {} : { page })} />
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
  page?: { path: string; name: string };
}

function Step({ what, at, page }: StepProps) {
  const desk = useDesk();
  const isDone = at !== null;
  return (
    <List.Item
      icon={
        <ThemeIcon size={22} radius="xl" color={isDone ? "teal.9" : "gray"} variant={isDone ? "filled" : "default"}>
          {isDone ? <IconCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
        </ThemeIcon>
      }
    >
      <Group gap="xs">
        <Text size="sm">
          <VisuallyHidden component="span">{isDone ? "Done: " : "To do: "}</VisuallyHidden>
          {what}
        </Text>
        {isDone && (
          <Text size="sm" c="dimmed">
            <DateTime at={at} />
          </Text>
        )}
        {!isDone && page !== undefined && desk.may("developing") && (
          <Anchor component={Link} href={desk.href(page.path)} size="sm">
            {page.name}
          </Anchor>
        )}
      </Group>
    </List.Item>
  );
}
