/** Says why a payment failed, what to do about it, and whether the customer has paid since. */
import { Alert, Text } from "@mantine/core";
import type { PaymentDetail } from "@oriel/protocol/dashboard/payments";
import { useWorkspace } from "../../api/workspace.tsx";
import { RouteLink } from "../../parts/route-link.tsx";
import { sessionOf } from "./order-section.tsx";
import { sentence } from "./payment-labels.tsx";

export function FailureAlert({ payment }: { payment: PaymentDetail }) {
  const { href } = useWorkspace();
  const { failure, later_payment: later } = payment;
  if (failure === null) return null;
  return (
    <Alert color="red" variant="outline" title={`Failed: ${sentence(failure.decline_code).toLowerCase()}`}>
      <Text size="sm">{failure.decline_code === "risk_rejected" ? blockedBy(payment) : failure.message}</Text>
      {later !== null && (
        <Text size="sm" mt="xs">
          {later.status === "failed"
            ? "The customer tried again in the same checkout, and that failed too."
            : "The customer tried again in the same checkout."}{" "}
          <RouteLink to={href(`payments/${later.id}`)}>View latest payment</RouteLink>
        </Text>
      )}
      {isCompletedFree(payment) && (
        <Text size="sm" mt="xs">
          The total was reduced to 0 afterwards, and the customer completed the checkout without a payment.
        </Text>
      )}
    </Alert>
  );
}

function isCompletedFree(payment: PaymentDetail): boolean {
  const session = sessionOf(payment);
  return session?.status === "complete" && session.payment_status === "no_payment_required";
}

function blockedBy({ timeline }: PaymentDetail): string {
  const decision = timeline.find((entry) => entry.type === "decision")?.decision;
  const rules = (decision?.risk.reasons ?? []).map((reason) => sentence(reason).toLowerCase()).join(", ");
  const which = rules === "" ? "" : ` (${rules})`;
  return `The risk rules${which} blocked this payment before authorization. If you know the customer, ask them to try again later.`;
}
