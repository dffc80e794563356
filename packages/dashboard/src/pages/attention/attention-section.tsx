/** The items about one payment that are open, or those that are resolved. */
import { Stack } from "@mantine/core";
import type { AttentionItem } from "@oriel/protocol/dashboard/acquirers";
import { Section } from "../../parts/section.tsx";
import { AttentionCard } from "./attention-card.tsx";

export function AttentionSection({ items, state }: { items: readonly AttentionItem[]; state: "open" | "resolved" }) {
  const shown = items.filter(({ resolved }) => (resolved === null) === (state === "open"));
  if (shown.length === 0) return null;
  return (
    <Section title={state === "open" ? "Needs attention" : "Resolved items"}>
      <Stack gap="sm">
        {shown.map((item) => (
          <AttentionCard key={item.id} item={item} isOnPayment />
        ))}
      </Stack>
    </Section>
  );
}
