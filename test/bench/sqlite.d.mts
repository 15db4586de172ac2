/** As far as tests need it. */
interface Connection {
  exec(sql: string): void
  close(): void
}

export function loadSqlite(): Promise<{ DatabaseSync: new (path: string) => Connection }>
