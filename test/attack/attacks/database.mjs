import path from 'node:path'
import { PROCEDURES } from '../../bench/service-fill.mjs'
import { loadSqlite } from '../../bench/sqlite.mjs'
import { atOnce, send, sleep } from '../client.mjs'

/** @type {Record<string, import('./index.mjs').Attack>} */
export const DATABASE_ATTACKS = {
  'failing-searches': {
    about: 'twenty tabs that search for what is not there',
    run: searchInVain,
    isFilled: true,
  },
  'large-deletion': {
    about: 'deletion of a procedure with all its runs',
    run: deleteProcedure,
    isFilled: true,
  },
}

const SLOW_MS = 1_000

async function searchInVain({ target, claim, claimFast, isSmall }) {
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

async function deleteProcedure({ target, claim, claimFast }) {
  const { DatabaseSync } = await loadSqlite()
  const database = new DatabaseSync(path.join(target.dataDir, 'runledger.db'), { readOnly: true })
  const find = database.prepare('SELECT count(*) AS count FROM procedures WHERE identifier = ?')
  const deletion = send(target, 'DELETE', `/v2/procedures/${PROCEDURES.bulk}`)
  const startedAt = performance.now()
  const reads = []
  do {
    await sleep(50)
    const { ms } = await send(target, 'GET', '/v2/runs?limit=10')
    reads.push(ms)
  } while (find.get(PROCEDURES.bulk).count > 0)
  const seconds = (performance.now() - startedAt) / 1000
  database.close()
  const { status, ms } = await deletion
  claim(status === 200, `the deletion was answered ${status}`)
  const slow = Math.max(...reads)
  claimFast(slow, SLOW_MS, 'a list of runs meanwhile')
  return `answered after ${(ms / 1000).toFixed(1)} s, all gone after ${seconds.toFixed(0)} s; the slowest of ${reads.length} lists meanwhile ${slow.toFixed(0)} ms`
}
