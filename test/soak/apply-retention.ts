import { US_PER_DAY } from '../../packages/server/src/base/clock'
import { resolveServerConfig } from '../../packages/server/src/base/config/server-config'
import { createContext } from '../../packages/server/src/open-context'
import { writeSetting } from '../../packages/server/src/record/access/settings/store'
import { sweepOnce } from '../../packages/server/src/upkeep/sweep'

/**
 * Lets retention delete about so many of the oldest runs, at a place of which no service runs: a day after they were received.
 * Returns the ids of those that are left. Most of the work is left to the next service.
 */
export async function applyRetention(
  { dataDir, database }: { dataDir: string; database: string | undefined },
  count: number,
): Promise<ReadonlySet<string>> {
  const silent = () => undefined
  let nowUs = Date.now() * 1000
  const context = await createContext(
    resolveServerConfig({ data: dataDir, database, projectDir: dataDir }, {}),
    {
      clock: () => nowUs,
      log: { error: silent, warn: silent, info: silent },
    },
  )
  const listRuns = () =>
    context.database.query
      .selectFrom('live_runs')
      .select(['public_id', 'created_at_us'])
      .orderBy('created_at_us')
      .execute()
  try {
    const first = (await listRuns())[count]
    if (first) {
      await context.database.write((transaction) => writeSetting(transaction, 'retention.days', 1))
      nowUs = first.created_at_us + US_PER_DAY
      await sweepOnce(context, new AbortController().signal)
    }
    return new Set((await listRuns()).map(({ public_id: id }) => id))
  } finally {
    await context.close()
  }
}
