/** A status in one or two words. Its color never carries information that the text doesn't. */
import { Badge } from "@mantine/core";

export type Tone = "good" | "bad" | "waiting" | "plain" | "new";

const colors: Readonly<Record<Tone, string>> = {
  good: "teal",
  bad: "red",
  waiting: "yellow",
  plain: "gray",
  new: "indigo",
};

export function Tag({ tone, children }: { tone: Tone; children: string }) {
  return (
    <Badge color={colors[tone]} variant="dot" tt="none" fw={550} size="md" radius="sm" miw="max-content">
      {children}
    </Badge>
  );
}
