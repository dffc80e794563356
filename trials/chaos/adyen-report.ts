/** The part of a run's output that is about Adyen. */
import { countKinds } from "../records.ts";
import type { AdyenSide } from "./adyen-side.ts";
import type { AcquirerCheck } from "./check-acquirer.ts";

export function printAdyen({ accepted, acceptedAgain, failed }: AdyenSide, { records, payments }: AcquirerCheck): void {
  const processed = records.notifications.filter(({ status }) => status === "processed").length;
  const modifications = payments.reduce((sum, payment) => sum + payment.operations.length, 0);
  const kinds = countKinds(records);
  const count = (kind: string) => kinds.get(kind) ?? 0;
  console.log(
    `adyen       ${payments.length} payments and ${modifications} modifications there; ${records.entries.length} ledger entries here`,
  );
  console.log(
    `notified    ${accepted.size} notifications accepted, ${acceptedAgain} of them again; ${failed} requests failed and were sent again; ${records.notifications.length} stored, ${processed} processed`,
  );
  console.log(
    `reversed    by reference ${count("reverse by reference approved")} done and ${count("reverse by reference declined")} declined, late approvals ${count("reverse by cancel approved")} canceled and ${count("reverse by refund approved")} refunded; ${records.attention.length} items for a person`,
  );
}
