import type { Environment } from './config/options'
import { REPEATED } from './config/handed-file'
import { findMissingOption, type ResolvedOptions } from './config/resolve-options'
import { EarlyUpload } from './delivery/early-upload'
import { ExecutionNotice } from './delivery/execution-notice'
import type { FinishSettings } from './delivery/finish-execution'
import { Recorder } from './delivery/recorder'
import { ConfigError } from './model/errors'
import type { ExecutionFacts } from './model/suite'
import { mapExecution } from './record/map-execution'
import { RunContexts } from './record/run-context'
import { Redactor } from './redact/redactor'
import { SpoolFolder } from './spool/spool-folder'
import { findSpoolDir } from './spool/spool-place'
import { openConnection } from './transport/connection'

export interface Pipeline extends FinishSettings {
  redactor: Redactor
  contexts: RunContexts
}

/** Undefined if nothing is to be recorded. If nothing can be sent, for example without a key, everything waits in the spool. */
export function openPipeline(
  resolved: ResolvedOptions | Error,
  facts: ExecutionFacts,
  env: Environment,
): Pipeline | undefined {
  if (resolved instanceof Error || resolved.disabled) return undefined
  const { repeatFile } = resolved
  const missing = repeatFile === undefined ? findMissingOption(resolved) : new ConfigError(REPEATED)
  const { url = '', apiKey = '', createPath, updatePath, credentialsFile } = resolved
  const options = { ...resolved, url, apiKey, ...(repeatFile !== undefined && WITHOUT_FILES) }
  // In the user's spool, the runs of a killed repetition would be sent later.
  const spool = new SpoolFolder(
    repeatFile === undefined ? findSpoolDir(options.spoolDir, env, facts.rootDir) : `${repeatFile}.spool`,
  )
  // Loaded while tests run; `finish` reports failures.
  const connection = missing ? Promise.reject(missing) : openConnection(options, env)
  connection.catch(() => undefined)
  const redactor = new Redactor({ env, apiKey, redact: options.redact })
  const early = new EarlyUpload({ connection, options })
  const contexts = new RunContexts({ facts, options, env })
  const recorder = new Recorder({
    contexts,
    options,
    spoolDir: spool.dir,
    service: { url, createPath, updatePath, credentialsFile },
    projectRoot: facts.rootDir,
    redactor,
    early,
  })
  const describe = async () => {
    const execution = await contexts.findCiExecution()
    return execution && mapExecution(execution, (variables) => redactor.maskVariables(variables))
  }
  const notice = new ExecutionNotice({ connection, options, describe })
  if (missing === undefined) notice.begin()
  const projectRoot = facts.rootDir
  return { recorder, early, notice, connection, spool, redactor, contexts, options, projectRoot }
}

const WITHOUT_FILES = { attachments: false, logs: false }
