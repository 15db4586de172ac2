import { describeIgnored, explainDistrust } from '@runledger/core/tools'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { CommandError } from './command-error'
import type { Surroundings } from './surroundings'

/** @throws CommandError for a file or folder that is there, that nobody named, and that another user may have put there */
export function refuseDistrusted(file: string, env: Surroundings['env']): void {
  const problem = existsSync(file) ? explainDistrust(file, env) : undefined
  if (problem !== undefined) throw new CommandError(describeIgnored(file, problem, path.dirname(file)))
}
