/** The payments in Adyen's ledger, by pspReference and by the merchant's reference, which needn't be unique. */
import type { Modification, Payment } from "./payment.ts";

export class Payments {
  readonly #byPspReference = new Map<string, Payment>();
  readonly #byMerchantReference = new Map<string, Payment[]>();
  readonly #modifications = new Map<string, { payment: Payment; modification: Modification }>();

  add(payment: Payment): void {
    const { pspReference, merchantReference } = payment;
    this.#byPspReference.set(pspReference, payment);
    const others = this.#byMerchantReference.get(merchantReference);
    if (others === undefined) this.#byMerchantReference.set(merchantReference, [payment]);
    else others.push(payment);
  }

  addModification(payment: Payment, modification: Modification): void {
    payment.modifications.push(modification);
    this.#modifications.set(modification.pspReference, { payment, modification });
  }

  /** Oldest first. */
  all(): Iterable<Payment> {
    return this.#byPspReference.values();
  }

  find(pspReference: string): Payment | undefined {
    return this.#byPspReference.get(pspReference);
  }

  findModification(pspReference: string): { payment: Payment; modification: Modification } | undefined {
    return this.#modifications.get(pspReference);
  }

  /** Oldest first. */
  withReference(merchantReference: string): readonly Payment[] {
    return this.#byMerchantReference.get(merchantReference) ?? [];
  }
}
