/**
 * Raises that an acquirer can't be used although an operation or a notification waits for it: it isn't configured
 * anymore, its credentials can't be decrypted, or this version can't read its settings.
 */
import type { EmailContext } from "../../merchants/emails/outbox.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tenant } from "../../platform/tenant.ts";
import { raiseAgain } from "./raise-attention.ts";

/** @param acquirerAccountId null: the mode's default acquirer */
export async function raiseUnusable(
  context: Pick<PlatformContext, "db"> & EmailContext,
  tenant: Tenant,
  acquirerAccountId: string | null,
): Promise<void> {
  const subject = acquirerAccountId ?? "default acquirer";
  const details = { acquirer_account: acquirerAccountId };
  const concern = { kind: "acquirer_unusable", subject, chargeId: null, attemptId: null, details } as const;
  await context.db.transaction().execute((tx) => raiseAgain(context, tx, tenant, concern));
}
