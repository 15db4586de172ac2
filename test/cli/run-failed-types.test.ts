import { afterAll, beforeAll, expect, it } from 'vitest'
import { drawCases } from '../support/draw'
import { createProject, findNode, listVersions } from '../support/project'
import { type Service, startService } from '../support/service'
import { runledger } from './run-failed-projects'

let service: Service

beforeAll(async () => {
  service = await startService()
})

afterAll(() => service.stop())

const FILES = {
  'vitest.config.mjs': `export default { test: {
    reporters: ['default', '@runledger/vitest'], typecheck: { enabled: true, include: ['src/*.test-d.ts'] } } }\n`,
  'tsconfig.json': `{ "compilerOptions": { "strict": true, "module": "esnext", "moduleResolution": "bundler",
    "skipLibCheck": true, "noEmit": true } }\n`,
  'src/a.test-d.ts': `import { describe, expectTypeOf, test } from 'vitest'
    test('top', () => { expectTypeOf(1).toBeString() })
    describe('types', () => {
      test('inner', () => { expectTypeOf(1).toBeString() })
      test('passes', () => { expectTypeOf(1).toBeNumber() })
    })\n`,
}

it.each(drawCases('versions of Vitest with failed type tests', listVersions('vitest'), 1))(
  'runledger run --failed runs failed type tests of Vitest %s again',
  async (version) => {
    const project = await createProject({ framework: 'vitest', version, files: FILES })
    const { dir } = project
    try {
      const env = { RUNLEDGER_GROUP: `types-${version}` }
      const command = [findNode('vitest', version), 'node_modules/vitest/vitest.mjs', 'run']
      await project.run({ env, service })
      const given = ['run', '--failed', '--build', env.RUNLEDGER_GROUP, '--', ...command]
      const again = await runledger({ dir, service, given, env })
      expect(again.stderr, again.stdout).toContain(
        '2 of 2 failed tests ran again: 0 passed, 2 failed, 0 did not run.',
      )
    } finally {
      await project.remove()
    }
  },
)
