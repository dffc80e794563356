/** A bank account as far as its owners see it once it was saved. */
import type { MerchantDetails } from "@oriel/protocol/dashboard-underwriting";

export function KeptBank({ bank }: { bank: MerchantDetails["bank_account"] }) {
  if (bank === undefined) return null;
  const { holder_name, kind, last4 } = bank;
  return (
    <>
      {holder_name}, {kind === "iban" ? "IBAN" : "account"} that ends in {last4}
    </>
  );
}
