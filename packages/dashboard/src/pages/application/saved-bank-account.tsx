/** A saved bank account. Merchants see only its holder and last characters. */
import type { MerchantDetails } from "@oriel/protocol/dashboard/underwriting";

export function SavedBankAccount({ bank }: { bank: MerchantDetails["bank_account"] }) {
  if (bank === undefined) return null;
  const { holder_name, kind, last4 } = bank;
  return (
    <>
      {holder_name}, {kind === "iban" ? "IBAN" : "account"} ending in {last4}
    </>
  );
}
