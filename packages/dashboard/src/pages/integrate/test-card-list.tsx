/** Test cards for the checkout next to the list. They only work in test mode. */
import { Stack, Text } from "@mantine/core";
import { testCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { CopyLine } from "../../parts/copy-text.tsx";
import { RecordTable } from "../../parts/record-table.tsx";

const cards: readonly { number: string; outcome: string }[] = [
  { number: testCards.visa, outcome: "Payment succeeds" },
  { number: testCards.mastercard, outcome: "Payment succeeds" },
  { number: threeDSecureCards.frictionless[0], outcome: "3-D Secure, no challenge" },
  { number: testCards.visa_3ds_challenge, outcome: "Challenge: enter 111111" },
  { number: threeDSecureCards.challenge_then_declined[0], outcome: "Challenge, then declined" },
  { number: threeDSecureCards.rejected[0], outcome: "Rejected by 3-D Secure" },
  { number: testCards.insufficient_funds, outcome: "Declined: insufficient_funds" },
  { number: testCards.generic_decline, outcome: "Declined: generic_decline" },
  { number: testCards.incorrect_cvc, outcome: "Declined: incorrect_cvc" },
  { number: testCards.expired_card, outcome: "Declined: expired_card" },
];

export function TestCardList() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Use any future expiry date and any three-digit CVC. You can also select test cards in the form, under its TEST
        badge.
      </Text>
      <RecordTable
        label="Test cards"
        items={cards}
        rowKey={({ number }) => number}
        empty="No test cards."
        columns={[
          {
            name: "Number",
            cell: ({ number }) => <CopyLine text={inFours(number)} what={`card number ${inFours(number)}`} />,
          },
          { name: "Outcome", cell: ({ outcome }) => outcome },
        ]}
      />
    </Stack>
  );
}

/** Groups the digits by four. */
function inFours(number: string): string {
  return number.replaceAll(/\d{4}(?=\d)/g, "$& ");
}
