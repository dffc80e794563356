/**
 * How far the reader has come. It looks by itself while something is open, for ten minutes: a page that nobody looks at
 * keeps no session alive.
 */
import { Anchor, Button, Group, List, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCircle } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { Link } from "wouter";
import type { Checklist } from "@oriel/protocol/dashboard-setup";
import { useDesk, useDeskQuery } from "../../api/desk.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Moment } from "../../parts/moment.tsx";
import { Section } from "../../parts/section.tsx";

const everyMs = 3_000;
const patienceMs = 10 * 60_000;

/** In the order in which they are done. `page`: where the next step is, if it is in the dashboard. */
const steps: readonly { step: keyof Checklist; what: string; page?: { path: string; name: string } }[] = [
  { step: "key_used", what: "Your server has used a secret key", page: { path: "keys", name: "Make a key" } },
  { step: "session_created", what: "A checkout session was created" },
  { step: "payment_succeeded", what: "A payment succeeded" },
  {
    step: "endpoint_created",
    what: "There is a webhook endpoint",
    page: { path: "webhooks", name: "Add an endpoint" },
  },
  { step: "webhook_answered", what: "Your server has answered a webhook with 2xx" },
];

export function ChecklistSection() {
  const [isWatching, setIsWatching] = useState(true);
  const query = useDeskQuery<Checklist>("integrate", isWatching ? { refetchInterval: everyMs } : {});
  const left = query.data === undefined ? steps.length : steps.filter(({ step }) => query.data[step] === null).length;
  useEffect(() => {
    if (left === 0) setIsWatching(false);
    if (!isWatching) return;
    const timer = setTimeout(() => setIsWatching(false), patienceMs);
    return () => clearTimeout(timer);
  }, [isWatching, left]);
  return (
    <Section
      title="Where you are"
      lead={left === 0 ? "All done in this mode." : "Each step ticks itself when it has happened."}
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
              {steps.length - left} of {steps.length} done
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
          Look again
        </Button>
      )}
    </Section>
  );
}

interface StepProps {
  what: string;
  /** Null: open. */
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
          <VisuallyHidden component="span">{isDone ? "Done: " : "Open: "}</VisuallyHidden>
          {what}
        </Text>
        {isDone && (
          <Text size="sm" c="dimmed">
            <Moment at={at} />
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
