import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Framework } from '../support/project'
import { Random, SOAK_SEED } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { isPossible, type Behaviour } from './behaviour'
import { EXECUTION_CHAPTERS, SUITE_CHAPTERS } from './chapters'
import { compare } from './compare'
import { DIALECTS } from './dialect'
import { observe } from './observe'
import { listTargets, nameTarget, type Target } from './target'

// The whole matrix for `npm run conformance`; else what fits the time of CI.
const isWhole = process.env['CONFORMANCE'] === 'whole'
const RESULTS = path.join(REPOSITORY, '.cache/conformance/results.jsonl')
// `npm run conformance -- --framework F` asks for one of them.
const { CONFORMANCE_FRAMEWORK } = process.env
const FRAMEWORKS = (Object.keys(DIALECTS) as Framework[]).filter(
  (framework) => framework === (CONFORMANCE_FRAMEWORK ?? framework),
)

let service: Service

beforeAll(async () => {
  if (!isWhole) console.log(`conformance: drawn by SOAK_SEED=${SOAK_SEED}`)
  mkdirSync(path.dirname(RESULTS), { recursive: true })
  service = await startService()
})

afterAll(() => service.stop())

// FEATURES.md and the results tell behaviours apart by these.
test.each([...SUITE_CHAPTERS, ...EXECUTION_CHAPTERS])(
  '$title: each behaviour has a name of its own',
  ({ behaviours }) => {
    const names = behaviours.map(({ name }) => name)
    expect(names).toEqual([...new Set(names)])
  },
)

for (const framework of FRAMEWORKS) {
  for (const target of listTargets(framework, { everyNode: isWhole })) {
    describe.concurrent(nameTarget(target), () => {
      for (const { title, behaviours } of [...SUITE_CHAPTERS, ...EXECUTION_CHAPTERS]) {
        for (const behaviour of behaviours) {
          // What is missing from the results shows as a gap: a line for each, even if its test never begins.
          keepResult({ chapter: title, behaviour, target, result: { missing: true } })
          defineTest(title, behaviour, target)
        }
      }
    })
  }
}

/**
 * - The newest version of each framework: every core behaviour, and a twentieth of the other behaviours of suites.
 * - Older versions: an eighth of the core behaviours of suites.
 */
function fitsCi(chapter: string, { name, isCore = false }: Behaviour, target: Target): boolean {
  const { isNewest } = target
  const random = new Random(`${SOAK_SEED}/${nameTarget(target)}/${chapter}/${name}`)
  const isOfExecutions = EXECUTION_CHAPTERS.some(({ title }) => title === chapter)
  if (isOfExecutions) return isNewest && isCore
  if (isCore) return isNewest || random.chance(1 / 8)
  return isNewest && random.chance(1 / 20)
}

function defineTest(chapter: string, behaviour: Behaviour, target: Target): void {
  if (!isWhole && !fitsCi(chapter, behaviour, target)) return
  const scenario = behaviour.scenario(DIALECTS[target.framework], target)
  if (!isPossible(scenario)) {
    keepResult({ chapter, behaviour, target, result: scenario })
    return
  }
  test(`${chapter}: ${behaviour.name}`, async () => {
    let result: object = { fails: true }
    try {
      await compare(scenario, await observe(scenario, target, service))
      result = scenario.invariantException
        ? { works: true, exception: scenario.invariantException }
        : { works: true }
    } finally {
      keepResult({ chapter, behaviour, target, result })
    }
  })
}

interface Result {
  chapter: string
  behaviour: Behaviour
  target: Target
  result: object
}

function keepResult({ chapter, behaviour, target, result }: Result): void {
  if (!isWhole) return
  const { framework, version, nodeMajor } = target
  const line = { framework, version, node: nodeMajor, chapter, behaviour: behaviour.name, ...result }
  mkdirSync(path.dirname(RESULTS), { recursive: true })
  appendFileSync(RESULTS, `${JSON.stringify(line)}\n`)
}
