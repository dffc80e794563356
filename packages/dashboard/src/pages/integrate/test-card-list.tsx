/**
 * Cards to try the checkout with, beside it. The bank of test mode knows them; outside test mode every one is refused.
 */
import { Stack, Text } from "@mantine/core";
import { testCards, threeDSecureCards } from "@oriel/protocol/test-cards";
import { CopyLine } from "../../parts/copy-text.tsx";
import { RecordTable } from "../../parts/record-table.tsx";

const cards: readonly { number: string; outcome: string }[] = [
  { number: testCards.visa, outcome: "Paid" },
  { number: testCards.mastercard, outcome: "Paid" },
  { number: threeDSecureCards.frictionless[0], outcome: "3-D Secure, no challenge" },
  { number: testCards.visa_3ds_challenge, outcome: "Challenge: 111111 passes" },
  { number: threeDSecureCards.challenge_then_declined[0], outcome: "Challenge, then declined" },
  { number: threeDSecureCards.rejected[0], outcome: "Refused by 3-D Secure" },
  { number: testCards.insufficient_funds, outcome: "insufficient_funds" },
  { number: testCards.generic_decline, outcome: "generic_decline" },
  { number: testCards.incorrect_cvc, outcome: "incorrect_cvc" },
  { number: testCards.expired_card, outcome: "expired_card" },
];

export function TestCardList() {
  return (
    <Stack gap="xs">
      <Text size="sm">
        Any date to come, any three digits. A decline stands under its decline_code. The form offers these as well,
        under its badge TEST.
      </Text>
      <RecordTable
        label="Test cards"
        items={cards}
        rowKey={({ number }) => number}
        empty="None."
        columns={[
          {
            name: "Number",
            cell: ({ number }) => <CopyLine text={inFours(number)} what={`the number ${inFours(number)}`} />,
          },
          { name: "What happens", cell: ({ outcome }) => outcome },
        ]}
      />
    </Stack>
  );
}

function inFours(number: string): string {
  return number.replaceAll(/\d{4}(?=\d)/g, "$& ");
}
