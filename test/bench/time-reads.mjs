// How long reads of a service take, each with an address for a round number.
import { median } from './measure.mjs'
import { percentile } from './service-client.mjs'

export const TARGET_MS = 200
const WARM_READS = 2

/**
 * Times the operations whose names begin with `only`, and prints each. Returns the median and the 95th percentile by the
 * operation's name. @param {{ name: string, path: (round: number, known: any) => string }[]} operations
 */
export async function timeReads(client, operations, { only = '', rounds, known }) {
  const times = new Map()
  for (const { name, path } of operations.filter((operation) => operation.name.startsWith(only))) {
    const all = []
    for (let round = 0; round < WARM_READS + rounds; round += 1) {
      const { ms } = await timeRead(client, path(round, known))
      if (round >= WARM_READS) all.push(ms)
    }
    const [p50, p95] = [median(all), percentile(all, 0.95)]
    times.set(name, { p50, p95 })
    console.log(
      `  ${name.padEnd(34)} p50 ${p50.toFixed(1).padStart(8)}  p95 ${p95.toFixed(1).padStart(8)} ms`,
    )
  }
  return times
}

const STOPPED = 503

/** A read that the service stopped because it took too long took so long. */
async function timeRead(client, pathname) {
  const startedAt = performance.now()
  const { status, text } = await client.send('GET', pathname)
  const ms = performance.now() - startedAt
  if (status !== 200 && status !== STOPPED)
    throw new Error(`GET ${pathname}: ${status} ${text.slice(0, 500)}`)
  return { ms }
}
