import { EarlyUpload } from './delivery/early-upload'
import type { ExecutionFacts } from './execution'
import { FilePace } from './file-pace'
import type { Environment } from './config/options'
import { findMissingOption, type ResolvedOptions } from './config/resolve-options'
import { Redactor } from './redact/redactor'
import { RecordBuilder } from './record/record-builder'
import { FolderSpool } from './spool/folder-spool'
import { RunKeeper } from './spool/run-keeper'
import { findSpoolDir } from './spool/spool-place'

/** Where runs are put before they are sent. */
export interface Outlet {
  keeper: RunKeeper
  early: EarlyUpload
  spool: FolderSpool
  redactor: Redactor
  url: string
  apiKey: string
}

/** Undefined when nothing is to be sent: then nothing is put on the disk either. */
export function openOutlet(
  options: ResolvedOptions | Error,
  facts: ExecutionFacts,
  env: Environment,
): Outlet | undefined {
  if (options instanceof Error || options.disabled) return undefined
  const { url, apiKey, createPath, updatePath } = options
  if (apiKey === undefined || url === undefined || findMissingOption(options)) return undefined
  const spool = new FolderSpool(findSpoolDir(options.spoolDir, env, facts.rootDir))
  const builder = new RecordBuilder({ facts, options, env })
  const service = { url, createPath, updatePath }
  const early = new EarlyUpload({ options, url, apiKey, env })
  const redactor = new Redactor({ env, apiKey, redact: options.redact })
  const keeper = new RunKeeper({
    builder,
    options,
    spool,
    service,
    projectRoot: facts.rootDir,
    early,
    redactor,
    pace: new FilePace(),
  })
  return { keeper, early, spool, redactor, url, apiKey }
}
