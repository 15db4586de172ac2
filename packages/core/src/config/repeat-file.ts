import type { CreateRunRequest } from '@runledger/protocol'
import { constants, statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import type { Environment } from './options'
import { describeIgnored, explainDistrust } from './trust'

/**
 * Set by `runledger prove-fixed` and `bisect`: the file to which an execution appends its runs. It sends nothing, because many
 * executions in a row would distort the failure rates on record.
 */
export const REPEAT_FILE = 'RUNLEDGER_REPEAT_FILE'

export const REPEATED = 'runledger repeats a test: nothing is sent'

/** Returns undefined also if the file no longer exists: a process can inherit the variable and outlive the command that set it. */
export function findRepeatFile(env: Environment): string | undefined {
  return explainIgnoredRepeat(env) === undefined ? env[REPEAT_FILE] || undefined : undefined
}

/** Returns one sentence if the variable is set but ignored. */
export function explainIgnoredRepeat(env: Environment): string | undefined {
  const file = env[REPEAT_FILE]
  if (!file) return undefined
  if (!isFile(file)) return `${REPEAT_FILE} is ignored: there is no file ${file}`
  const problem = explainDistrust(file, env)
  return problem === undefined ? undefined : describeIgnored(file, problem, path.dirname(file))
}

function isFile(file: string): boolean {
  try {
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** Appends one line of JSON for each run. Never creates the file, because no command would read it. */
export async function appendRuns(file: string, requests: readonly CreateRunRequest[]): Promise<void> {
  const lines = requests.map((request) => `${JSON.stringify(request)}\n`)
  await appendFile(file, lines.join(''), { flag: constants.O_APPEND | constants.O_WRONLY })
}
