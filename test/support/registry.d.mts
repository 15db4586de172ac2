export interface Registry {
  url: string
  /** Has npm, pnpm and Yarn use it. */
  env: Record<string, string>
  stop(): Promise<void>
}

export interface RegistryOptions {
  /** Forgets what was published. */
  isEmptied?: boolean
  /** Has only what it fetched before, and what was published. */
  isOffline?: boolean
}

export function startRegistry(options?: RegistryOptions): Promise<Registry>
