import type { RecordChange } from '../../record/access/audit/record-change'
import type { KeyUses } from '../../record/access/keys/key-uses'
import type { FileContext } from '../../record/files/attachments/file-context'
import type { SignInProvider } from '../../record/access/sign-in-provider/sign-in-provider'
import type { DefinitionCache } from '../../record/results/runs/definition-store'

export interface Context extends FileContext {
  definitions: DefinitionCache
  keyUses: KeyUses
  signInProvider: SignInProvider | undefined
  /** As the service itself, outside of a request. */
  recordChange: RecordChange
  readiness: Readiness
  deletions: Deletions
  /** Proves to readers of the local credentials that this is their service. */
  serviceSecret: string
  /** The tokens of sessions are derived from it. */
  sessionKey: string
  /** The secrets of webhooks are derived from it. */
  webhookKey: string
}

interface Readiness {
  /** @throws HttpError SERVICE_UNAVAILABLE, or what a full disk throws */
  check(): Promise<void>
}

interface Deletions {
  /** Deletes what is marked now; resolves when nothing is left. */
  run(): Promise<void>
  /** Like `run`, but stops waiting for a long deletion, so that the response can be sent. */
  settle(): Promise<void>
}
