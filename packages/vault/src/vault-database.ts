/** As much of a database as the vault needs: `pg.Pool` is one. Each query is a transaction of its own. */
export interface VaultDatabase {
  query(sql: string, values?: unknown[]): Promise<{ rows: Record<string, unknown>[] }>;
}
