import { findSpools, listWaitingRuns, type WaitingRun } from '@runledger/core/tools'
import type { CommandContext } from './command-context'
import { findFolder } from './find-folder'

/** A run with the spool that it is in; its project is the spool's where its own log cannot be read. */
export type FoundRun = WaitingRun & { spoolDir: string; projectRoot: string }

export async function findRuns({ dir }: { dir?: string }, { cwd, env }: CommandContext): Promise<FoundRun[]> {
  const spools = await findSpools(findFolder(dir, cwd), env, cwd)
  const lists = await Promise.all(
    spools.map(async ({ spool, projectRoot }) =>
      (await listWaitingRuns(spool)).map((run) => ({ projectRoot, spoolDir: spool.dir, ...run }) as FoundRun),
    ),
  )
  return lists.flat()
}
