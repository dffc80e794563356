/** The service with the simulator of Adyen and acquirer accounts: outcomes are notified, and it has no lookup. */
import { expect, it } from "vitest";
import { openForTests } from "../../../scripts/test/open-for-tests.ts";
import { describeLateChanges } from "./acquirer-service/late-changes.ts";
import { describeLedger } from "./acquirer-service/ledger.ts";
import { describeNotifiedOperations, describeOperations } from "./acquirer-service/operations.ts";
import { describePayments } from "./acquirer-service/payments.ts";
import { startAdyen } from "./acquirer-service/start-adyen.ts";
import { describeThreeDSecure } from "./acquirer-service/three-d-secure.ts";
import { describeReplays, describeUnknownOutcomes } from "./acquirer-service/unknown-outcomes.ts";
import { cardNumbers } from "./setup/customer.ts";

const adyen = await openForTests(startAdyen());
const tested = () => adyen;

it("declares notified outcomes, replays and a 3DS Server of its own", async () => {
  const { capabilities, resolves, threeDS } = await adyen.acquirerOf(await adyen.newMerchant());
  expect(capabilities).toMatchObject({ captures: "notified", cancels: "notified", refunds: "notified" });
  expect({ by: resolves.by, threeDS: threeDS.kind }).toEqual({ by: "replay", threeDS: "vendor" });
});

describePayments(tested, [
  [cardNumbers.declined, "generic_decline"],
  [cardNumbers.insufficientFunds, "insufficient_funds"],
  [cardNumbers.stolen, "pickup_card"],
]);

describeOperations(tested);
describeNotifiedOperations(tested);
describeUnknownOutcomes(tested);
describeReplays(tested);
describeThreeDSecure(tested);
describeLateChanges(tested);
describeLedger(tested);
