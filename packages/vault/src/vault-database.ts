/** The part of a database that the vault needs: a `pg.Pool` has it. Each query is a transaction of its own. */
export interface VaultDatabase {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}
