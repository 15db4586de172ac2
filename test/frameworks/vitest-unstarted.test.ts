import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProject, listVersions } from '../support/project'
import { startService, type Service } from '../support/service'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(async () => {
  await service.stop()
})

const CONFIG = `export default { test: { reporters: ['default', '@runledger/vitest'], environment: 'none-such' } }\n`
const PASSING = "import { test } from 'vitest'\ntest('holds', () => {})\n"

// Vitest 3 names no file in such an error.
const VERSIONS = listVersions('vitest').filter((version) => !version.startsWith('3.'))

test.each(VERSIONS)(
  'files whose worker does not start are failed runs of their own in Vitest %s',
  async (version) => {
    const files = {
      'vitest.config.mjs': CONFIG,
      'a.test.js': PASSING,
      'b.test.js': PASSING,
      'c.test.js': `// @vitest-environment node\n${PASSING}`,
    }
    const known = new Set((await service.listRuns()).map(({ id }) => id))
    const project = await createProject({ framework: 'vitest', version, files })
    try {
      const result = await project.run({ service })
      expect(result.exitCode).toBe(1)
      const runs = (await service.readAllRuns()).filter(({ id }) => !known.has(id))
      const told = runs.map(({ metadata, outcome, phases }) => [
        metadata['file'],
        outcome,
        phases.map(({ name }) => name),
      ])
      expect(told.toSorted(), result.stderr).toEqual([
        ['a.test.js', 'FAIL', ['Suite failed to load']],
        ['b.test.js', 'FAIL', ['Suite failed to load']],
        ['c.test.js', 'PASS', ['holds']],
      ])
      const failed = runs.filter(({ outcome }) => outcome === 'FAIL')
      for (const { phases } of failed) expect(JSON.stringify(phases)).toContain('none-such')
    } finally {
      await project.remove()
    }
  },
)
