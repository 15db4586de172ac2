import { Lease, parseJson } from '@runledger/core/tools'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { CommandError, UsageError } from '../command-error'

const OptionsSchema = z.object({
  command: z.array(z.string()),
  setup: z.string().optional(),
  good: z.string().optional(),
  bad: z.string().optional(),
  branch: z.string().optional(),
  /** The folder in which the command runs, relative to the top of the repository. */
  folder: z.string(),
})

const StateSchema = z.object({
  version: z.literal(2),
  options: OptionsSchema,
  /** The first commit is assumed good, the last one bad. */
  commits: z.array(z.string()).min(2),
  /** The result of `startSearch`. */
  start: z.object({ prior: z.array(z.number()), rates: z.array(z.number()), rateBefore: z.number() }),
  results: z.array(
    z.object({
      commit: z.string(),
      outcome: z.enum(['passed', 'failed', 'skipped']),
      /** Why the commit was skipped. */
      reason: z.string().optional(),
    }),
  ),
  ms: z.number(),
})

/** The options of a search. A search with other options is another search. */
export type SearchOptions = z.output<typeof OptionsSchema>
export type BisectState = z.output<typeof StateSchema>
export type CommitOutcome = BisectState['results'][number]

export interface StateFile {
  /** @throws UsageError if the stored search has other options */
  read(options: SearchOptions): Promise<BisectState | undefined>
  write(state: BisectState): Promise<void>
  remove(): Promise<void>
}

export function openState(folder: string, testId: string): StateFile {
  const file = path.join(folder, `bisect-${encodeURIComponent(testId)}.json`)
  return {
    read: async (options) => {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      const { data } = StateSchema.safeParse(parseJson(text))
      if (!data) throw new UsageError(`${file} cannot be read. Use --restart to delete it and search anew`)
      refuseOtherOptions(data.options, options)
      return data
    },
    write: async (state) => {
      await writeFile(`${file}.new`, JSON.stringify(state), { mode: 0o600 })
      await rename(`${file}.new`, file)
    },
    remove: () => rm(file, { force: true }),
  }
}

function refuseOtherOptions(earlier: SearchOptions, now: SearchOptions): void {
  const names = Object.keys(OptionsSchema.shape) as (keyof SearchOptions)[]
  const show = (value: SearchOptions[keyof SearchOptions]) => JSON.stringify(value ?? null)
  const different = names.filter((name) => show(earlier[name]) !== show(now[name]))
  if (different.length === 0) return
  const changes = different.map((name) => `${name} was ${show(earlier[name])} and is ${show(now[name])}`)
  throw new UsageError(
    `an unfinished search of this test has other options: ${changes.join(', ')}. Use the same options to continue it, or --restart to search anew`,
  )
}

/**
 * Calls `act` with the folder of searches in a repository. Only one process uses the folder at a time.
 * @throws CommandError while another process uses it
 */
export async function inSearchFolder<Result>(
  gitDir: string,
  act: (folder: string) => Promise<Result>,
): Promise<Result> {
  const folder = path.join(gitDir, 'runledger')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const lease = await Lease.take(folder)
  if (!lease) throw new CommandError('another bisect runs in this repository: wait until it has ended')
  try {
    return await act(folder)
  } finally {
    await lease.release()
  }
}
