// npm run bench -- measurements [--framework F] [--count N]
// What a call of measure costs a test, and whether a suite with very many of them is on record whole and in order.
import { readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { measure, median } from './measure.mjs'
import { createSpeakingProject, FRAMEWORK_NAMES, newestVersion } from './overhead-project.mjs'
import { conclude } from './results.mjs'
import { startService } from './start-service.mjs'

/** Of Playwright Test only what is on record counts: each call there sends a message. */
const CALL_TARGET_US = { jest: 20, vitest: 20 }
const TESTS = 10

const { values } = parseArgs({
  options: { framework: { type: 'string' }, count: { type: 'string', default: '10000' } },
})
const count = Number(values.count)
const frameworks = values.framework === undefined ? FRAMEWORK_NAMES : [values.framework]

const results = []
for (const framework of frameworks) results.push(...(await benchFramework(framework)))
process.exitCode = conclude(results)

async function benchFramework(framework) {
  const version = newestVersion(framework)
  console.log(`\n${framework} ${version}: ${count} measurements in ${TESTS} tests of one suite`)
  const project = await createSpeakingProject({
    framework,
    version,
    files: { 'a.test.js': writeTest(framework) },
  })
  const service = await startService()
  try {
    const state = `${project.dir}.state`
    const env = { ...service.variables, XDG_STATE_HOME: state }
    const { exitCode, output, wallSeconds } = await measure(project.args, { cwd: project.dir, env })
    if (exitCode !== 0) throw new Error(`exit code ${exitCode}\n${output.slice(-2_000)}`)
    const misplaced = await countMisplaced(service)
    const callUs = median(
      (await readFile(path.join(project.dir, 'calls.txt'), 'utf8')).split(' ').map(Number),
    )
    await rm(state, { recursive: true, force: true })
    console.log(`  ${wallSeconds.toFixed(2)} s in all, ${callUs.toFixed(1)} µs a call`)
    const target = CALL_TARGET_US[framework]
    return [
      {
        name: `${framework}: not on record, or not in order`,
        target: 0,
        value: misplaced,
        unit: '',
        digits: 0,
      },
      ...(target === undefined
        ? []
        : [
            {
              name: `${framework}: a call of measure, median of ${TESTS} tests`,
              target,
              value: callUs,
              unit: 'µs',
              digits: 1,
            },
          ]),
    ]
  } finally {
    await service.stop()
    await rm(project.dir, { recursive: true, force: true })
  }
}

/** The tests time their own calls, on a clock of their own. */
function writeTest(framework) {
  const each = count / TESTS
  const isVitest = framework === 'vitest'
  const bring = (names, from) =>
    isVitest ? `import { ${names} } from '${from}'` : `const { ${names} } = require('${from}')`
  return `${bring('writeFileSync', 'node:fs')}
${bring('measure', `@runledger/${framework}`)}
const calls = []
let value = 0
for (let number = 0; number < ${TESTS}; number += 1) {
  test('reads ' + number, () => {
    const startedAtMs = performance.now()
    for (let index = 0; index < ${each}; index += 1) {
      measure('output', value, { unit: 'V', low: 0, high: ${count} })
      value += 1
    }
    calls.push(((performance.now() - startedAtMs) * 1000) / ${each})
    writeFileSync('calls.txt', calls.join(' '))
  })
}
`
}

/** The values count up from 0, test after test. */
async function countMisplaced(service) {
  const [run] = await service.readRuns()
  const measured = (run?.phases ?? []).flatMap(({ measurements }) => measurements)
  const wrong = measured.filter(({ measured_value: value }, index) => value !== index).length
  return wrong + Math.abs(count - measured.length)
}
