/** What a session says of the page that shows it: who may hold it, in which language it speaks, how it looks. */
import type { PlatformContext } from "../../platform/context.ts";
import type { Row } from "../../platform/storage/tables.ts";

export type PageLook = Pick<Row<"checkout_session">, "allowed_origins" | "locale" | "appearance">;

/** Of a session that does not exist: a page that nobody may hold. */
export async function pageLookOf({ db }: Pick<PlatformContext, "db">, sessionId: string): Promise<PageLook> {
  const row = await db
    .selectFrom("checkout_session")
    .select(["allowed_origins", "locale", "appearance"])
    .where("id", "=", sessionId)
    .executeTakeFirst();
  return row ?? { allowed_origins: [], locale: null, appearance: null };
}
