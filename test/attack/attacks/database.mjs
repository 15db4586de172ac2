import { atOnce, send, sleep } from '../client.mjs'
import { createRun, createStep } from './bodies.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const DATABASE_ATTACKS = {
  'failing-searches': { about: 'twenty tabs that search for what is not there', run: searchInVain },
  'large-deletion': { about: 'deletion of a procedure with all its runs', run: deleteProcedure },
}

const SLOW_MS = 1_000

/** Creates runs until there are enough. */
async function fill(target, count) {
  let left = count
  const steps = Array.from({ length: 20 }, (_, index) =>
    createStep({ name: `step ${index}`, measurement_value: index }),
  )
  await atOnce(4, async (writer) => {
    while (left > 0) {
      left -= 1
      const unit_under_test = {
        serial_number: `SN-${writer}-${left % 200}`,
        part_number: 'LAMP',
        revision: 'A',
      }
      const { status } = await send(
        target,
        'POST',
        '/v1/runs/create',
        createRun(target, { unit_under_test, steps }),
      )
      if (status !== 200) throw new Error(`a run was answered ${status}`)
    }
  })
}

async function searchInVain({ target, claim, claimFast, isSmall }) {
  await fill(target, isSmall ? 1_000 : 10_000)
  const seconds = isSmall ? 5 : 20
  const until = performance.now() + seconds * 1_000
  const took = []
  await atOnce(20, async (tab) => {
    await sleep(tab * 50)
    while (performance.now() < until) {
      const { status, ms } = await send(target, 'GET', `/v2/runs?search_query=nowhere-${tab}-${took.length}`)
      claim(status === 200 || status === 503, `a search was answered ${status}`)
      took.push(ms)
      await sleep(1_000)
    }
  })
  const slow = Math.max(...took)
  claimFast(slow, SLOW_MS, 'a search')
  return `${took.length} searches, the slowest ${slow.toFixed(0)} ms`
}

async function deleteProcedure({ target, claim, claimFast, isSmall }) {
  await fill(target, isSmall ? 1_000 : 10_000)
  const [{ id }] = (await send(target, 'GET', '/v2/procedures')).json.data
  const reads = []
  const deletion = send(target, 'DELETE', `/v2/procedures/${id}`, undefined, { timeoutMs: 600_000 })
  while ((await Promise.race([deletion, sleep(50)])) === undefined) {
    const { ms } = await send(target, 'GET', '/v2/runs?limit=10')
    reads.push(ms)
  }
  const { status, ms } = await deletion
  claim(status === 200, `the deletion was answered ${status}`)
  const slow = Math.max(...reads)
  claimFast(slow, SLOW_MS, 'a list of runs meanwhile')
  return `the deletion was answered ${status} after ${(ms / 1000).toFixed(1)} s; the slowest of ${reads.length} lists meanwhile ${slow.toFixed(0)} ms`
}
