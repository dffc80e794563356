/** What an account without payments sees instead of figures: the steps from an API key to the first payment. */
import { Stack } from "@mantine/core";
import { useEffect } from "react";
import type { Checklist } from "@oriel/protocol/dashboard/setup";
import { useWorkspace, useWorkspaceQuery } from "../../api/workspace.tsx";
import { EmptyState } from "../../parts/record-table.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { ChecklistSection } from "./checklist-section.tsx";

export interface FirstRunProps {
  /** Shown if the account has payments, but none in the selected period. */
  otherwise: string;
  /** Called when the first payment has succeeded. */
  onPayment: () => void;
}

export function FirstRun({ otherwise, onPayment }: FirstRunProps) {
  const { href, may, mode } = useWorkspace();
  const { data: checklist } = useWorkspaceQuery<Checklist>("integrate");
  const isPaid = checklist !== undefined && checklist.payment_succeeded !== null;
  useEffect(() => {
    if (isPaid) onPayment();
    // Only when that changes, not whenever the caller passes another function.
  }, [isPaid]);
  if (isPaid)
    return (
      <EmptyState>
        {otherwise} <RouteLink to={href("payments")}>View all payments</RouteLink>
      </EmptyState>
    );
  return (
    <Stack>
      <ChecklistSection
        title="Get started"
        lead={
          may("developing")
            ? "From an API key to your first payment. Steps are checked off automatically."
            : "A developer on your team connects your shop. Steps are checked off automatically."
        }
      />
      {mode === "test" && may("developing") && (
        <EmptyState>
          Want to see a payment first? <RouteLink to={href("integrate")}>Pay in the test checkout</RouteLink>, without
          any code.
        </EmptyState>
      )}
    </Stack>
  );
}
