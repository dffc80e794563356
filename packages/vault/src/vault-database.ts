/** The part of a database that the vault needs, for example a `pg.Pool`. Each query is a separate transaction. */
export interface VaultDatabase {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}
