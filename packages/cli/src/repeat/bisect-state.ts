import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import * as z from 'zod'
import { UsageError } from '../command-error'

const StateSchema = z.object({
  version: z.literal(1),
  command: z.array(z.string()),
  setup: z.optional(z.string()),
  group: z.string(),
  /** The first is taken for good, the last for bad. */
  commits: z.array(z.string()).min(2),
  /** As `startSearch` made them of the record. */
  start: z.object({ prior: z.array(z.number()), rates: z.array(z.number()), rateBefore: z.number() }),
  results: z.array(z.object({ commit: z.string(), outcome: z.enum(['passed', 'failed', 'skipped']) })),
  ms: z.number(),
  /** Working tree that an earlier execution of the command could not remove. */
  worktree: z.string().optional(),
})

export type BisectState = z.output<typeof StateSchema>

export interface StateFile {
  /** @throws UsageError for the state of another command */
  read(command: Pick<BisectState, 'command' | 'setup'>): Promise<BisectState | undefined>
  write(state: BisectState): Promise<void>
  remove(): Promise<void>
}

export function openState(gitDir: string, testId: string): StateFile {
  const file = path.join(gitDir, 'runledger', `bisect-${testId}.json`)
  return {
    read: async ({ command, setup }) => {
      const text = await readFile(file, 'utf8').catch(() => undefined)
      if (text === undefined) return undefined
      const { data } = StateSchema.safeParse(parse(text))
      if (data && JSON.stringify([data.command, data.setup]) === JSON.stringify([command, setup])) return data
      throw new UsageError(
        data
          ? `a search with another command has begun (${data.command.join(' ')}): --restart forgets it`
          : `${file} cannot be read: --restart forgets it`,
      )
    },
    write: async (state) => {
      await mkdir(path.dirname(file), { recursive: true })
      await writeFile(`${file}.new`, JSON.stringify(state))
      await rename(`${file}.new`, file)
    },
    remove: () => rm(file, { force: true }),
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
