import { constants, statSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import path from 'node:path'
import type { Environment } from './options'
import { describeIgnored, explainDistrust } from './trust'

/**
 * Set by `runledger prove-fixed`, `bisect` and `run --repeat-new`: the file to which an execution appends its runs. It sends nothing,
 * because many executions in a row would distort the failure rates on record.
 */
export const REPEAT_FILE = 'RUNLEDGER_REPEAT_FILE'

/** Set by `runledger run -- COMMAND`: the file to which an execution appends what it decided on its quarantined failures. */
export const VERDICT_FILE = 'RUNLEDGER_VERDICT_FILE'

export const REPEATED = 'runledger repeats a test: nothing is sent'

const HANDED_FILES = [REPEAT_FILE, VERDICT_FILE] as const
export type HandedFile = (typeof HANDED_FILES)[number]

/** Returns undefined also if the file no longer exists: a process can inherit the variable and outlive the command that set it. */
export function findHandedFile(variable: HandedFile, env: Environment): string | undefined {
  return explainIgnored(variable, env) === undefined ? env[variable] || undefined : undefined
}

/** Returns one sentence for each variable that is set but ignored. */
export function explainIgnoredFiles(env: Environment): string[] {
  return HANDED_FILES.flatMap((variable) => explainIgnored(variable, env) ?? [])
}

function explainIgnored(variable: HandedFile, env: Environment): string | undefined {
  const file = env[variable]
  if (!file) return undefined
  if (!isFile(file)) return `${variable} is ignored: there is no file ${file}`
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

/** Appends one line of JSON for each. Never creates the file, because no command would read it. */
export async function appendLines(file: string, values: readonly object[]): Promise<void> {
  const lines = values.map((value) => `${JSON.stringify(value)}\n`)
  await appendFile(file, lines.join(''), { flag: constants.O_APPEND | constants.O_WRONLY })
}
