/** Handles a failed charge: frees or expires its session and records the events. */
import type { Cause } from "../../platform/cause.ts";
import type { PlatformContext } from "../../platform/context.ts";
import type { Tx } from "../../platform/storage/database.ts";
import type { Row } from "../../platform/storage/tables.ts";
import { tenantOf } from "../../platform/tenant.ts";
import { recordEvent } from "../events/record-event.ts";
import { recordIfExpired } from "../sessions/record-expired.ts";
import { releaseAfterFailure } from "../sessions/session-state.ts";
import { toChargeWithSession } from "./charge-object.ts";

/** Runs in the transaction in which `charge` fails. */
export async function recordFailed(
  context: Pick<PlatformContext, "now">,
  tx: Tx,
  charge: Row<"charge">,
  cause: Cause,
): Promise<void> {
  const session =
    charge.session_id === null ? null : await releaseAfterFailure(tx, charge.session_id, charge.decision_id);
  const failed = { type: "payment_failed", object: toChargeWithSession(charge, session) } as const;
  await recordEvent(context, tx, tenantOf(charge), failed, cause);
  if (session !== null) await recordIfExpired(context, tx, session, cause);
}
