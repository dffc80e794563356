/** The threeDSServerTransID, which names an authentication in all EMV 3DS messages. */
import { sql, type RawBuilder } from "kysely";
import { ownedBy } from "../../platform/storage/owned-by.ts";
import type { Row } from "../../platform/storage/tables.ts";
import type { Tenant } from "../../platform/tenant.ts";

/** A vendor's 3DS Server chooses it. Otherwise, it's the authentication's own ID. */
export function transactionIdOf({
  id,
  server_trans_id,
}: Pick<Row<"authentication">, "id" | "server_trans_id">): string {
  return server_trans_id ?? id;
}

/** The authentication with this threeDSServerTransID. */
export function hasTransactionId(owner: Tenant, transactionId: string): RawBuilder<boolean> {
  const isOwn = sql`id = ${transactionId} and server_trans_id is null`;
  return sql<boolean>`(${ownedBy(owner)} and ((${isOwn}) or server_trans_id = ${transactionId}))`;
}
