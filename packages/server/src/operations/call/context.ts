import type { KeyUses } from '../../record/access/keys/key-uses'
import type { FileContext } from '../../record/files/attachments/file-context'
import type { DefinitionCache } from '../../record/results/runs/definition-store'

/** What operations work with; created once for each server. */
export interface Context extends FileContext {
  definitions: DefinitionCache
  keyUses: KeyUses
  readiness: Readiness
  deletions: Deletions
  /** Proves to readers of the local credentials that this is their service. */
  serviceSecret: string
}

/** Whether the service can store and read. */
interface Readiness {
  /** @throws HttpError SERVICE_UNAVAILABLE, or what a full disk throws */
  check(): Promise<void>
}

/** Deletes the rows and bytes of what operations have marked as deleted. */
interface Deletions {
  /** Deletes what is marked now; resolves when nothing is left. */
  run(): Promise<void>
  /** Like `run`, for the response to a deletion: stops waiting for a long one. */
  settle(): Promise<void>
}
