import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { parseJson, VERDICT_FILE } from '@runledger/core/tools'
import * as z from 'zod'
import { ExitError } from '../command-error'
import type { Surface } from '../command-context'
import { findFolder } from '../find-folder'
import { runInTerminal } from '../rerun/run-in-terminal'
import type { ServiceFlags } from '../with-service'

const VerdictSchema = z.object({ is_excused: z.boolean() })

/**
 * Runs a command, and ends with its exit code. The command gets a file by RUNLEDGER_VERDICT_FILE: with it, reporters end their framework
 * with 0 if every failure is quarantined, and they append their decisions to it.
 */
export async function runJudged(
  command: readonly string[],
  { url, dir }: ServiceFlags,
  { output, context }: Surface,
): Promise<void> {
  const folder = await realpath(findFolder(dir, context.cwd))
  const temporary = await mkdtemp(path.join(tmpdir(), 'runledger-verdict-'))
  try {
    const file = path.join(temporary, 'verdicts.jsonl')
    // The reporters ignore a file that others may write to.
    await writeFile(file, '', { mode: 0o600 })
    const env = { ...context.env, ...(url !== undefined && { RUNLEDGER_URL: url }), [VERDICT_FILE]: file }
    const exitCode = await runInTerminal(command, { cwd: folder, env, stdout: 'inherit' })
    if (exitCode === 0) return
    const remark = describeFailure(await readVerdicts(file), exitCode)
    if (remark !== undefined) output.err(`runledger: ${remark}`)
    throw new ExitError(exitCode)
  } finally {
    await rm(temporary, { recursive: true, force: true })
  }
}

/** Whether each execution is excused; false for a line that cannot be read. */
async function readVerdicts(file: string): Promise<boolean[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  return lines.map((line) => VerdictSchema.safeParse(parseJson(line)).data?.is_excused === true)
}

/** Explains why a command failed. Undefined if a reporter has printed the reason. */
function describeFailure(verdicts: readonly boolean[], exitCode: number): string | undefined {
  if (verdicts.length === 0)
    return 'no reporter decided on quarantined failures: set its option quarantine, or RUNLEDGER_QUARANTINE=1'
  return verdicts.every(Boolean)
    ? `every failure is quarantined, but the command ended with ${exitCode} for another reason`
    : undefined
}
