/**
 * Whom the database takes us for, and what that one may reach. On PostgreSQL the vault's rows are out of the rest of
 * the service's reach when three roles share the work: `docs/deploy.md` has the statements that make them. What to do
 * with a role that reaches too much is the caller's.
 *
 * PGlite has one connection and that is a superuser's: there the schema is an arrangement, not a wall.
 */
import type { VaultDatabase } from "./vault-database.ts";

export interface DatabaseRole {
  /** The role that this pool's connections have. */
  role: string;
  /** May do anything, whatever was granted: a superuser, or a role that may become any other. */
  isSuperuser: boolean;
  /**
   * May look into the vault's schema, by a grant, as its owner, or as a member of a role that may. Right for the
   * vault's pool only.
   */
  reachesVault: boolean;
  /** May read or write tables of the rest of the service. Right for the service's pool only. */
  reachesService: boolean;
}

/** Asks the database itself. For the vault's pool and for the service's; each may reach its own half only. */
export async function readDatabaseRole(db: VaultDatabase): Promise<DatabaseRole> {
  const { rows } = await db.query(
    `with me as (
       select rolname, oid from pg_roles where rolname = current_user
     ), mine as (
       select pg_roles.* from pg_roles, me where pg_has_role(me.oid, pg_roles.oid, 'member')
     )
     select (select rolname from me)::text as role,
            (select bool_or(rolsuper) from mine) as is_superuser,
            exists (
              select 1 from pg_namespace, mine where nspname = 'vault' and has_schema_privilege(mine.oid, pg_namespace.oid, 'usage')
            ) as reaches_vault,
            exists (
              select 1 from pg_class join pg_namespace on pg_namespace.oid = relnamespace, mine
               where relkind in ('r', 'p') and nspname not in ('vault', 'information_schema') and nspname not like 'pg\\_%'
                 and has_schema_privilege(mine.oid, pg_namespace.oid, 'usage')
                 and has_table_privilege(mine.oid, pg_class.oid, 'select, insert, update, delete')
            ) as reaches_service`,
  );
  const row = rows[0] ?? {};
  return {
    role: String(row["role"]),
    isSuperuser: row["is_superuser"] === true,
    reachesVault: row["reaches_vault"] === true,
    reachesService: row["reaches_service"] === true,
  };
}
