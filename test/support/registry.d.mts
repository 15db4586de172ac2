export interface Registry {
  url: string
  /** Has npm, pnpm and Yarn use it. */
  env: Record<string, string>
  stop(): Promise<void>
}

/** Starts it with what it fetched before, and with what was published unless `isEmptied`. */
export function startRegistry(options?: { isEmptied?: boolean }): Promise<Registry>
