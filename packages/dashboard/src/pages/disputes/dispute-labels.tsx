/** How all pages show a dispute's status, amount and deadline. */
import { Text } from "@mantine/core";
import type { Dispute } from "@oriel/protocol/api";
import { DateTime } from "../../parts/date-time.tsx";
import { money } from "../../parts/money.tsx";
import { Tag, type Tone } from "../../parts/tag.tsx";
import { timeLeft } from "./time-left.ts";

export const disputeStatusWords = {
  needs_response: "Needs response",
  under_review: "Under review",
  won: "Won",
  lost: "Lost",
} as const satisfies Record<Dispute["status"], string>;

const tones: Readonly<Record<Dispute["status"], Tone>> = {
  needs_response: "bad",
  under_review: "waiting",
  won: "good",
  lost: "plain",
};

export function DisputeStatus({ status }: Pick<Dispute, "status">) {
  return <Tag tone={tones[status]}>{disputeStatusWords[status]}</Tag>;
}

export function disputeAmount({ amount, currency }: Pick<Dispute, "amount" | "currency">): string {
  return amount === null || currency === null ? "Unknown amount" : money(amount, currency);
}

/** The date, and while the dispute needs a response, how much time is left. */
export function RespondBy({ status, respond_by }: Pick<Dispute, "status" | "respond_by">) {
  if (respond_by === null) return <>-</>;
  const isOpen = status === "needs_response";
  return (
    <>
      <DateTime at={respond_by} />
      {isOpen && (
        <Text size="xs" c="dimmed" component="div">
          {timeLeft(respond_by, Date.now() / 1000) ?? "The time to respond is over."}
        </Text>
      )}
    </>
  );
}
