import { findSpools, listWaitingRuns, type WaitingRun } from '@runledger/core/tools'
import type { CommandContext } from './command-context'
import { findFolder } from './find-folder'

/** A run and its spool. If the log of the run cannot be read, its project is that of the spool. */
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
