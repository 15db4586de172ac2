import type { CreateRunRequest } from '@runledger/protocol'
import { appendFile } from 'node:fs/promises'
import type { Environment } from '../config/options'
import { FILE_MODE } from '../util/files'

/**
 * Set by `runledger prove-fixed` and `bisect`: the file to which an execution appends its runs. It sends nothing, because many
 * executions in a row would distort the failure rates on record.
 */
export const REPEAT_FILE = 'RUNLEDGER_REPEAT_FILE'

export const REPEATED = 'runledger repeats a test: nothing is sent'

export function findRepeatFile(env: Environment): string | undefined {
  return env[REPEAT_FILE] || undefined
}

/** One line of JSON for each run. */
export async function appendRuns(file: string, requests: readonly CreateRunRequest[]): Promise<void> {
  await appendFile(file, requests.map((request) => `${JSON.stringify(request)}\n`).join(''), {
    mode: FILE_MODE,
  })
}
