/**
 * Shows the bank account for payouts before the application is submitted: who entered it, and whether it has changed
 * since the last submission.
 */
import { Alert, Text } from "@mantine/core";
import type { Application } from "@oriel/protocol/dashboard/underwriting";
import { DateTime } from "../../parts/date-time.tsx";
import { SavedBankAccount } from "./saved-bank-account.tsx";

/** @param isChanging whether a bank account was entered but not saved yet */
export function PayoutAccount({ application, isChanging }: { application: Application; isChanging: boolean }) {
  const { details, submitted, bank_account_set: set } = application;
  if (isChanging)
    return (
      <Alert color="yellow" variant="outline" role="status">
        Payouts will go to the bank account that you just entered. To save it, you'll need to confirm it's you.
      </Alert>
    );
  if (details.bank_account === undefined) return null;
  const sentence = (
    <>
      Payouts will go to <SavedBankAccount bank={details.bank_account} />.{" "}
      {set !== null && (
        <>
          Entered by {set.by}, <DateTime at={set.at} />.
        </>
      )}
    </>
  );
  if (submitted === null || set === null || set.at < submitted) return <Text size="sm">{sentence}</Text>;
  return (
    <Alert color="yellow" variant="outline" role="status">
      <strong>The bank account has changed since the application was last submitted.</strong> {sentence}
    </Alert>
  );
}
