import { appendFileSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { drawCases } from '../support/draw'
import type { Framework } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'
import { isPossible, type Behaviour, type Scenario } from './behaviour'
import { EXECUTION_CHAPTERS, SUITE_CHAPTERS } from './chapters'
import { compare } from './compare'
import { DIALECTS } from './dialect'
import { observe } from './observe'
import { listTargets, nameTarget, type Target } from './target'

/** The whole matrix for `npm run conformance`; else what fits the time of CI. */
export const isWholeMatrix = process.env['CONFORMANCE'] === 'whole'
const RESULTS = path.join(REPOSITORY, '.cache/conformance/results.jsonl')

let service: Service

/** Defines a test of each behaviour with each version of a framework that is wanted. */
export function testBehaviours(framework: Framework, isWanted: (target: Target) => boolean): void {
  beforeAll(async () => {
    service = await startService()
  })

  afterAll(() => service.stop())

  for (const target of listTargets(framework, { everyNode: isWholeMatrix }).filter(isWanted)) {
    const cases = listCases(target)
    // In CI there are other tests beside these.
    describe(nameTarget(target), { concurrent: isWholeMatrix }, () => {
      for (const each of isWholeMatrix ? cases : drawForCi(cases, target)) defineTest(each)
    })
  }
}

interface Case {
  chapter: string
  behaviour: Behaviour
  target: Target
  scenario: Scenario
}

/** The behaviours that there can be with this version, each with its scenario. */
function listCases(target: Target): Case[] {
  return [...SUITE_CHAPTERS, ...EXECUTION_CHAPTERS].flatMap(({ title: chapter, behaviours }) =>
    behaviours.flatMap((behaviour) => {
      const scenario = behaviour.scenario(DIALECTS[target.framework], target)
      // What is missing from the results shows as a gap: a line for each, even if its test never begins.
      const result = isPossible(scenario) ? { missing: true } : scenario
      keepResult({ chapter, behaviour, target, result })
      return isPossible(scenario) ? [{ chapter, behaviour, target, scenario }] : []
    }),
  )
}

/**
 * - With the newest version of a framework: a third of the core behaviours, and some of the others of suites.
 * - With older ones: some of the core behaviours of suites.
 */
function drawForCi(cases: readonly Case[], target: Target): Case[] {
  const name = nameTarget(target)
  const ofSuites = cases.filter(({ chapter }) => EXECUTION_CHAPTERS.every(({ title }) => title !== chapter))
  const isCore = ({ behaviour }: Case): boolean => behaviour.isCore ?? false
  if (!target.isNewest)
    return drawCases(`core behaviours with ${name}`, ofSuites.filter(isCore), DRAWN_WITH_OLDER)
  const core = cases.filter(isCore)
  return [
    ...drawCases(`core behaviours with ${name}`, core, Math.ceil(core.length / 3)),
    ...drawCases(
      `other behaviours with ${name}`,
      ofSuites.filter((each) => !isCore(each)),
      DRAWN_OTHERS,
    ),
  ]
}

const DRAWN_WITH_OLDER = 3
const DRAWN_OTHERS = 6

function defineTest({ chapter, behaviour, target, scenario }: Case): void {
  test(`${chapter}: ${behaviour.name}`, { tags: behaviour.tags ?? [] }, async () => {
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
  if (!isWholeMatrix) return
  const { framework, version, nodeMajor } = target
  const line = { framework, version, node: nodeMajor, chapter, behaviour: behaviour.name, ...result }
  mkdirSync(path.dirname(RESULTS), { recursive: true })
  appendFileSync(RESULTS, `${JSON.stringify(line)}\n`)
}
