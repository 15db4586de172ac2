import {
  CreateRunRequestSchema,
  CreateV2RunRequestSchema,
  PutExecutionRequestSchema,
} from '@runledger/protocol'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Build, RunToSend } from './build'
import type { BoardTests } from './line/map-line'
import { generateYear, type Year } from './year'

const NOW_MS = Date.parse('2026-11-28T16:20:00Z')
const DAY_MS = 24 * 3600 * 1000

const listAll = (year: Year): Build[] => year.projects.flatMap((project) => [...year.listBuilds(project)])
const generate = (days: number, nowMs = NOW_MS, seed = 1) => {
  const year = generateYear({ nowMs, days, seed })
  return { year, builds: listAll(year), boards: [...year.listBoards()] }
}
type Generated = ReturnType<typeof generate>

type Step = NonNullable<RunToSend['request']['steps']>[number]

interface Place {
  file: string
  name: string
}

const variablesOf = ({ report_variables: variables }: RunToSend['request']) =>
  (variables ?? {}) as Record<string, string>

/** Every result of a test, oldest first. */
function resultsOf(builds: readonly Build[], { file, name }: Place): { build: Build; step: Step }[] {
  return builds.flatMap((build) => {
    const runs = build.runs.filter(({ request }) => variablesOf(request)['file'] === file)
    const steps = runs.flatMap(({ request }) => request.steps ?? []).filter((step) => step.name === name)
    return steps.map((step) => ({ build, step }))
  })
}

const hasFailed = ({ step_passed: passed, attempts }: Step): boolean =>
  !passed || (attempts ?? []).some(({ outcome }) => outcome === 'FAIL')

const secondsOf = ({ duration }: Step): number => Number(/^PT(?:(\d+)M)?([\d.]+)S$/.exec(duration)?.[2])

describe('generateYear', () => {
  it('makes equal bytes from equal seeds, and different bytes from different seeds', () => {
    const bytes = (seed: number) => {
      const { builds, boards, year } = generate(20, NOW_MS, seed)
      return JSON.stringify([builds, boards, year.planted])
    }
    expect(bytes(1)).toBe(bytes(1))
    expect(bytes(2)).not.toBe(bytes(1))
  })

  it('ends now, begins the given number of days before, and keeps the order of starts', () => {
    const { builds, year } = generate(30)
    for (const project of year.projects) {
      const starts = builds.filter((build) => build.project === project).map((build) => build.startedAtMs)
      expect(starts).toEqual(starts.toSorted((a, b) => a - b))
      expect(starts.at(0)).toBeGreaterThan(NOW_MS - 30 * DAY_MS)
      expect(starts.at(-1)).toBeGreaterThan(NOW_MS - DAY_MS)
    }
    const ends = builds.flatMap(({ executions }) => executions.map(({ request }) => request.ended_at ?? ''))
    expect(Math.max(...ends.filter(Boolean).map((text) => Date.parse(text)))).toBeLessThan(NOW_MS)
  })

  it('gives a commit one subject, one author and one branch', () => {
    const known = new Map<string, string>()
    for (const { commit, branch } of generate(60).builds) {
      const facts = JSON.stringify([commit.subject, commit.author, branch])
      expect(known.get(commit.sha) ?? facts).toBe(facts)
      known.set(commit.sha, facts)
    }
  })

  it('has thousands of builds in a year', () => {
    const { builds, boards } = generate(365)
    const runs = builds.flatMap((build) => build.runs)
    expect(builds.length).toBeGreaterThan(1500)
    expect(builds.length).toBeLessThan(2500)
    expect(runs.length).toBeGreaterThan(10_000)
    expect(runs.length).toBeLessThan(15_000)
    expect(boards.length).toBeGreaterThan(1000)
  })

  it('makes valid requests with unique ids', () => {
    const { builds, boards } = generate(30)
    const runs = builds.flatMap((build) => build.runs)
    const modules = boards.flatMap(({ module }) => module ?? [])
    for (const { request } of [...runs, ...modules])
      expect(CreateRunRequestSchema.safeParse(request).error).toBeUndefined()
    const finalTests = boards.flatMap((board) => board.finalTests)
    for (const { request } of finalTests)
      expect(CreateV2RunRequestSchema.safeParse(request).error).toBeUndefined()
    const executions = builds.flatMap((build) => build.executions)
    for (const { request } of executions)
      expect(PutExecutionRequestSchema.safeParse(request).error).toBeUndefined()
    const ids = [
      ...[...runs, ...modules, ...finalTests].map(({ idempotencyKey }) => idempotencyKey),
      ...executions.map(({ id }) => id),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refuses too few days', () => {
    expect(() => generateYear({ nowMs: NOW_MS, days: 10 })).toThrow('20 to 3650 days, not 10')
  })
})

// Seven end dates, one for each weekday, because weekends have fewer builds.
const SPANS = [
  { days: 365, nowMs: NOW_MS },
  ...Array.from({ length: 7 }, (_, day) => ({ days: 20 + 5 * (day % 3), nowMs: NOW_MS - day * DAY_MS })),
]

describe.each(SPANS)('planted facts in $days days until $nowMs', ({ days, nowMs }) => {
  let known: Generated
  const planted = () => known.year.planted
  const groupsOf = (found: readonly { build: Build }[]) => [...new Set(found.map(({ build }) => build.group))]

  beforeAll(() => {
    known = generate(days, nowMs)
  })

  it('ten flaky tests that fail at their rate, and pass on the same commit', () => {
    const outage = planted().outage.builds.map(({ group }) => group)
    for (const test of planted().flaky) {
      const results = resultsOf(known.builds, test).filter(({ build }) => !outage.includes(build.group))
      const hits = results.filter(({ step }) => hasFailed(step))
      const flaky = hits.filter(
        ({ step, build }) =>
          step.step_passed || results.some((other) => other.build === build && other.step.step_passed),
      )
      expect(hits.length / results.length).toBeGreaterThan(0.4 / test.oneIn)
      expect(hits.length / results.length).toBeLessThan(1.7 / test.oneIn)
      expect(flaky.length).toBeGreaterThan(days === 365 ? hits.length / 2 : 0)
      expect(flaky.filter(({ build }) => build.startedAtMs > nowMs - 20 * DAY_MS).length).toBeGreaterThan(0)
      expect(hits.some(({ step }) => JSON.stringify(step).includes(JSON.stringify(test.message)))).toBe(true)
    }
    expect(planted().flaky).toHaveLength(10)
  })

  it('a test that is slower since a commit', () => {
    const { slower } = planted()
    const results = resultsOf(known.builds, slower).filter(({ build, step }) => {
      return build.kind === 'main' && step.step_passed
    })
    const at = results.findIndex(({ build }) => build.commit.sha === slower.since.sha)
    const mean = (some: typeof results) =>
      some.reduce((sum, { step }) => sum + secondsOf(step), 0) / some.length
    const factor = mean(results.slice(at)) / mean(results.slice(0, at))
    expect(Math.abs(factor - slower.factor)).toBeLessThan(0.15)
  })

  it('tests that one commit of main breaks and another fixes', () => {
    for (const test of planted().broken) {
      const onMain = resultsOf(known.builds, test).filter(({ build }) => build.kind === 'main')
      const failed = onMain.filter(({ step }) => step.error?.message === test.message)
      const order = onMain.map(({ build }) => build.group)
      const [from, until] = [order.indexOf(test.brokenBy.group), order.indexOf(test.fixedBy.group)]
      expect(until).toBeGreaterThan(from)
      expect(groupsOf(failed)).toEqual([...new Set(order.slice(from, until))])
      expect(onMain[from]?.build.commit).toMatchObject({ author: test.brokenBy.author })
    }
  })

  it('a day on which one error fails at least 80 % of the tests of a project', () => {
    const { builds, message } = planted().outage
    expect(builds.length).toBeGreaterThanOrEqual(4)
    for (const { group } of builds) {
      const steps = known.builds
        .find((build) => build.group === group)
        ?.runs.flatMap(({ request }) => request.steps ?? [])
      const hit = steps?.filter(({ error }) => error?.message === message) ?? []
      expect(hit.length / (steps?.length ?? 0)).toBeGreaterThanOrEqual(0.8)
    }
  })

  it('renames after which the old name is gone from main', () => {
    expect(new Set(planted().renames.map(({ kind }) => kind))).toEqual(new Set(['file', 'describe', 'test']))
    for (const { before, after, since } of planted().renames) {
      const onMain = known.builds.filter(({ kind, project }) => kind === 'main' && project === after.project)
      const at = onMain.findIndex(({ group }) => group === since.group)
      expect(resultsOf(onMain.slice(0, at), before).length).toBeGreaterThan(0)
      expect(resultsOf(onMain.slice(0, at), after)).toEqual([])
      expect(resultsOf(onMain.slice(at), before)).toEqual([])
      expect(resultsOf(onMain.slice(at), after).length).toBeGreaterThan(0)
    }
  })

  it('a build in which one shard never reported, followed by another build of its branch', () => {
    const { group, shard } = planted().incomplete
    const build = known.builds.find((each) => each.group === group)
    const shards = build?.executions.map(({ request }) => [
      request.shard_index,
      request.ended_at !== undefined,
    ])
    expect(new Map(shards as [number, boolean][])).toEqual(
      new Map([
        [1, true],
        [2, true],
        [3, false],
        [4, true],
      ]),
    )
    expect(build?.runs.filter(({ request }) => variablesOf(request)['shard'] === shard)).toEqual([])
    const later = known.builds.filter(({ kind, project, index }) => {
      return kind === 'main' && project === build?.project && index > build.index
    })
    expect(later).toHaveLength(1)
  })

  it('a test that fails only on one branch, in each of its builds', () => {
    const { branchOnly } = planted()
    const failed = resultsOf(known.builds, branchOnly).filter(
      ({ step }) => step.error?.message === branchOnly.message,
    )
    expect(groupsOf(failed)).toEqual(branchOnly.builds.map(({ group }) => group))
    expect(branchOnly.builds.length).toBeGreaterThanOrEqual(5)
    expect(new Set(failed.map(({ build }) => build.branch))).toEqual(new Set([branchOnly.branch]))
  })

  it('a test that a late commit adds', () => {
    const { added } = planted()
    const onMain = resultsOf(known.builds, added).filter(({ build }) => build.kind === 'main')
    expect(onMain[0]?.build.group).toBe(added.since.group)
  })

  it('a line with a drift, a bad batch, an odd station, a retested unit, and a bad value in a passed run', () => {
    const { line } = planted()
    const values = (name: string, boards: readonly BoardTests[]) => {
      const first = boards.flatMap(({ finalTests }) => finalTests[0]?.request.phases ?? [])
      const measured = first
        .flatMap(({ measurements }) => measurements ?? [])
        .filter((one) => one.name === name)
      return measured.map((one) => one.measured_value as number)
    }
    const mean = (numbers: readonly number[]) => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
    const ordinary = known.boards.filter(({ isGolden }) => !isGolden)
    const last = ordinary.slice(-Math.ceil(ordinary.length * 0.05))
    const first = ordinary.slice(0, Math.floor(ordinary.length / 2))
    const { drift, badBatch, oddStation, retested, soft } = line
    expect(mean(values(drift.measurement, last)) - mean(values(drift.measurement, first))).toBeGreaterThan(
      0.02,
    )
    const isBad = ({ finalTests }: BoardTests) => finalTests[0]?.request.batch_number === badBatch.batch
    const [bad, good] = [ordinary.filter(isBad), ordinary.filter((board) => !isBad(board))]
    expect(bad.length).toBe(badBatch.boards)
    expect(
      mean(values(badBatch.measurement, bad)) - mean(values(badBatch.measurement, good)),
    ).toBeGreaterThan(2)
    const odd = ordinary.filter(({ station }) => station === 2)
    const even = ordinary.filter(({ station }) => station !== 2)
    expect(
      mean(values(oddStation.measurement, odd)) - mean(values(oddStation.measurement, even)),
    ).toBeLessThan(-0.7)
    const outcomesOf = (serialNumber: string) => {
      const board = ordinary.find((each) => each.serialNumber === serialNumber)
      return board?.finalTests.map(({ request }) => request.outcome)
    }
    expect(outcomesOf(retested.serialNumber)).toEqual(['FAIL', 'FAIL', 'FAIL', 'FAIL', 'PASS'])
    expect(outcomesOf(soft.serialNumber)).toEqual(['PASS'])
    const softBoard = ordinary.filter(({ serialNumber }) => serialNumber === soft.serialNumber)
    expect(values(soft.measurement, softBoard)).toEqual([soft.value])
  })
})
