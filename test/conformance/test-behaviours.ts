import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
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

let service: Service

/** Defines a test of each behaviour with each version of a framework. */
export function testBehaviours(framework: Framework): void {
  beforeAll(async () => {
    if (!isWhole) console.log(`conformance of ${framework}: drawn by SOAK_SEED=${SOAK_SEED}`)
    service = await startService()
  })

  afterAll(() => service.stop())

  for (const target of listTargets(framework, { everyNode: isWhole })) {
    // In CI there are other tests beside these.
    describe(nameTarget(target), { concurrent: isWhole }, () => {
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
 * - The newest version of each framework: half of the core behaviours, a twentieth of the others of suites.
 * - Older versions: an eighth of the core behaviours of suites.
 */
function fitsCi(chapter: string, { name, isCore = false }: Behaviour, target: Target): boolean {
  const { isNewest } = target
  const random = new Random(`${SOAK_SEED}/${nameTarget(target)}/${chapter}/${name}`)
  const isOfExecutions = EXECUTION_CHAPTERS.some(({ title }) => title === chapter)
  if (isCore && isNewest) return random.chance(1 / 2)
  if (isOfExecutions) return false
  return random.chance(isCore ? 1 / 8 : isNewest ? 1 / 20 : 0)
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
