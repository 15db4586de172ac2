import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Framework } from '../../support/project'
import { SOAK_SEED } from '../../support/random'
import { startService, type Service } from '../../support/service'
import { listTargets } from '../target'
import { soak } from './soak'

// `npm run soak -- random-trees` sets these; without them it is a small round.
const { SOAK_TREES, SOAK_ONLY, SOAK_FRAMEWORK, SOAK_VERSION } = process.env
const FRAMEWORKS: Framework[] = ['jest', 'vitest', 'playwright']
const MOST_MINUTES = 60
// Playwright starts a process anew for each failed test.
const SMALL_ROUND: Record<Framework, number> = { jest: 8, vitest: 8, playwright: 3 }

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

for (const framework of FRAMEWORKS.filter((name) => name === (SOAK_FRAMEWORK ?? name))) {
  describe(framework, () => {
    test(
      `the record of random trees is what the oracle says (seed ${SOAK_SEED})`,
      { timeout: MOST_MINUTES * 60_000 },
      () =>
        soak({
          target: findTarget(framework),
          service,
          seed: SOAK_SEED,
          trees: Number(SOAK_TREES ?? SMALL_ROUND[framework]),
          only: SOAK_ONLY === undefined ? undefined : Number(SOAK_ONLY),
        }),
    )
  })
}

/** The version asked for, else the newest that the Node of this process can run. */
function findTarget(framework: Framework) {
  const targets = listTargets(framework, { everyNode: false })
  const current = Number(process.versions.node.split('.')[0])
  const target = SOAK_VERSION
    ? targets.find(({ version }) => version === SOAK_VERSION)
    : targets.findLast(({ nodeMajor }) => nodeMajor === current)
  if (!target) throw new Error(`${framework} ${SOAK_VERSION ?? ''} is not installed`)
  return target
}
