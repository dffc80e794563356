/**
 * Finds out which role the database gives us and what it can access. On PostgreSQL, three separate roles keep the
 * vault's rows out of reach of the rest of the service (see `docs/deploy.md` for the statements). The caller decides
 * what to do if a role can access too much. PGlite has a single superuser connection, so there the schema doesn't
 * protect anything.
 */
import type { VaultDatabase } from "./vault-database.ts";

export interface DatabaseRole {
  /** The role of this pool's connections. */
  role: string;
  /** Whether it's a superuser, or can become one. */
  isSuperuser: boolean;
  /**
   * Whether it can access the vault's schema, by a grant, as its owner or as a member of another role. Only the vault's
   * pool should.
   */
  reachesVault: boolean;
  /** Whether it can read or write tables of the rest of the service. Only the service's pool should. */
  reachesService: boolean;
}

/** Queries the role. Used for the vault's pool and for the service's pool. */
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
