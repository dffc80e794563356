/** The service with the sandbox bank as its default acquirer: outcomes are immediate, and it has a lookup. */
import { expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { describeLedger } from "./acquirer-service/ledger.ts";
import { describeImmediateOperations, describeOperations } from "./acquirer-service/operations.ts";
import { describePayments } from "./acquirer-service/payments.ts";
import { startSandbox } from "./acquirer-service/start-sandbox.ts";
import { describeThreeDSecure } from "./acquirer-service/three-d-secure.ts";
import { describeLookups, describeUnknownOutcomes } from "./acquirer-service/unknown-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";

const sandbox = await openForTests(startSandbox());
const tested = () => sandbox;

it("declares immediate outcomes, lookups and a directory server", async () => {
  const { capabilities, resolves, threeDS } = await sandbox.acquirerOf(await sandbox.newMerchant());
  expect(capabilities).toMatchObject({ captures: "immediate", cancels: "immediate", refunds: "immediate" });
  expect({ resolves, threeDS: threeDS.kind }).toEqual({ resolves: { by: "reference" }, threeDS: "directory_server" });
});

describePayments(tested, [
  [cardNumbers.declined, "generic_decline"],
  [cardNumbers.insufficientFunds, "insufficient_funds"],
  [cardNumbers.stolen, "stolen_card"],
]);

describeOperations(tested);
describeImmediateOperations(tested);
describeUnknownOutcomes(tested);
describeLookups(tested);
describeThreeDSecure(tested);
describeLedger(tested);
