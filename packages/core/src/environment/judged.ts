import { VERDICT_FILE } from '../config/handed-file'

/** Whether `runledger run -- COMMAND` runs this process. Without it, no exit code changes. */
export function isJudged(): boolean {
  return process.env[VERDICT_FILE] !== undefined
}
