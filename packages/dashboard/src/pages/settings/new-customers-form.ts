/** The choices of the form for new customers, and the values of its fields. */
import type { ChangeNewCustomers, NewCustomersSetting } from "@oriel/protocol/dashboard/setup";
import { maxBucketSize, type NewCustomersPolicy } from "@oriel/protocol/new-customers";

export const policyWords: Readonly<Record<NewCustomersPolicy, { name: string; meaning: string }>> = {
  tokens: {
    name: "Limit payments without a challenge",
    meaning:
      "New customers pay without a challenge until the limit is reached. After that, they must pass one. Each payment by a returning customer and each payment with a challenge adds one.",
  },
  always_challenge: {
    name: "Always require a challenge",
    meaning:
      "Every new customer must confirm the payment with their bank. Some give up, and cards without 3-D Secure are declined.",
  },
  never_challenge: {
    name: "Don't require a challenge",
    meaning:
      "New customers are challenged only if they save a card, or if their bank or another rule requires it. Someone with stolen cards can try as many as the other rules allow.",
  },
};

/** What applies if the service's risk rules do. */
export type NewCustomers = Extract<NewCustomersSetting, { applies: true }>;

export interface NewCustomersValues {
  policy: NewCustomersPolicy;
  /** As typed. */
  bucket_size: string;
}

export function valuesOf(setting: NewCustomers): NewCustomersValues {
  return { policy: setting.policy ?? setting.default.policy, bucket_size: String(setting.bucket_size) };
}

/** @returns the error at the field for the limit, which only one of the policies has */
export function checkLimit(text: string, { policy }: NewCustomersValues): string | null {
  const limit = /^\d{1,9}$/.test(text.trim()) ? Number(text) : 0;
  return policy !== "tokens" || (limit >= 1 && limit <= maxBucketSize)
    ? null
    : `Enter a whole number from 1 to ${maxBucketSize.toLocaleString("en")}.`;
}

/** The other policies leave the limit unchanged, for when the merchant comes back to it. */
export function changeOf({ policy, bucket_size }: NewCustomersValues, setting: NewCustomers): ChangeNewCustomers {
  return { policy, bucket_size: policy === "tokens" ? Number(bucket_size) : setting.bucket_size };
}

/** @example describePolicy({ policy: "tokens", bucket_size: 40 }) // "Limit payments without a challenge (40)" */
export function describePolicy({ policy, bucket_size }: { policy: NewCustomersPolicy; bucket_size: number }): string {
  const { name } = policyWords[policy];
  return policy === "tokens" ? `${name} (${bucket_size.toLocaleString("en")})` : name;
}
