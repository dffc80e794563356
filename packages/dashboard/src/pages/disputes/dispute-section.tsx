/** The disputes of one payment, each with what to do about it. */
import { Alert, Stack, Text } from "@mantine/core";
import type { Dispute } from "@oriel/protocol/api";
import { CopyLine } from "../../parts/copy-text.tsx";
import { DateTime } from "../../parts/date-time.tsx";
import { DescriptionList } from "../../parts/description-list.tsx";
import { Section } from "../../parts/section.tsx";
import { disputeAmount, DisputeStatus, RespondBy } from "./dispute-labels.tsx";

export function DisputeSections({ disputes }: { disputes: readonly Dispute[] }) {
  return disputes.map((dispute) => <DisputeSection key={dispute.id} dispute={dispute} />);
}

function DisputeSection({ dispute }: { dispute: Dispute }) {
  const { id, status, reason, created, acquirer_id } = dispute;
  return (
    <Section title="Dispute">
      <Stack gap="sm">
        {status === "needs_response" ? (
          <Alert color="red" variant="outline" title="Submit evidence at your acquirer">
            <Text size="sm">
              Show that the payment is legitimate, for example with a proof of delivery. You can also accept the dispute
              there. If you don't respond in time, you lose it. If you refund the payment after a chargeback, the
              customer gets the money twice.
            </Text>
          </Alert>
        ) : (
          <Text size="sm">{meanings[status]}</Text>
        )}
        <DescriptionList
          facts={[
            { name: "Status", value: <DisputeStatus status={status} /> },
            { name: "Disputed amount", value: disputeAmount(dispute) },
            { name: "Respond by", value: dispute.respond_by === null ? null : <RespondBy {...dispute} /> },
            { name: "Reason code", value: reason },
            { name: "Opened", value: <DateTime at={created} /> },
            { name: "Acquirer's ID", value: <CopyLine text={acquirer_id} what="acquirer's ID of the dispute" /> },
            { name: "Dispute ID", value: <CopyLine text={id} what="dispute ID" /> },
          ]}
        />
      </Stack>
    </Section>
  );
}

const meanings: Readonly<Record<Exclude<Dispute["status"], "needs_response">, string>> = {
  under_review: "The issuer or the card network decides. You don't have to do anything.",
  won: "You won this dispute, so you keep the money.",
  lost: "You lost this dispute, so the customer keeps the money. Don't refund the payment too.",
};
