import { describeIgnored, explainDistrust } from '@runledger/core/tools'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from './command-error'
import type { CommandContext } from './command-context'

/** @throws CommandError for an existing file or folder that the user did not name and another user may have made */
export function refuseDistrusted(file: string, env: CommandContext['env']): void {
  const problem = existsSync(file) ? explainDistrust(file, env) : undefined
  if (problem !== undefined) throw new CommandError(describeIgnored(file, problem, path.dirname(file)))
}
