/**
 * Before an application is submitted: where its money will be paid out to, who said so, and whether that is new since
 * it was last submitted.
 */
import { Alert, Text } from "@mantine/core";
import type { Application } from "@oriel/protocol/dashboard-underwriting";
import { Moment } from "../../parts/moment.tsx";
import { KeptBank } from "./kept-bank.tsx";

/** @param isChanging a bank account was typed and is not saved yet */
export function PayoutAccount({ application, isChanging }: { application: Application; isChanging: boolean }) {
  const { details, submitted, bank_account_set: set } = application;
  if (isChanging)
    return (
      <Alert color="yellow" variant="outline" role="status">
        Money will be paid out to the bank account that you have just typed. Saving it asks for your password and code.
      </Alert>
    );
  if (details.bank_account === undefined) return null;
  const sentence = (
    <>
      Money will be paid out to <KeptBank bank={details.bank_account} />.{" "}
      {set !== null && (
        <>
          Given by {set.by}, <Moment at={set.at} />.
        </>
      )}
    </>
  );
  if (submitted === null || set === null || set.at < submitted) return <Text size="sm">{sentence}</Text>;
  return (
    <Alert color="yellow" variant="outline" role="status">
      <strong>The bank account was changed since the application was last submitted.</strong> {sentence}
    </Alert>
  );
}
