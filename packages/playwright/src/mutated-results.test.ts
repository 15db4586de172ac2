import { expect, test } from 'vitest'
import { mutate } from '../../../test/support/mutate'
import type { Random } from '../../../test/support/random'
import { expectTrueVerdicts, MUTANT_COUNT, type Mutant } from '../../../test/support/store-mutants'
import { listRecordings, readRecording, replayRecorded, type Recorded } from '../recordings/replay'

type RecordedEvent = Recorded['events'][number]
type ResultEvent = Extract<RecordedEvent, { kind: 'testBegin' | 'testEnd' }>

interface RecordedExecution {
  name: string
  recorded: Recorded
}

function listExecutions(): RecordedExecution[] {
  return listRecordings()
    .map((name) => ({ name, recorded: readRecording(name) }))
    .filter(({ recorded }) => recorded.events.some(isResult))
}

function isResult(event: RecordedEvent): event is ResultEvent {
  return event.kind === 'testBegin' || event.kind === 'testEnd'
}

/** The tests of the file that a test is in, with the file's project and name. */
function findFile({ projects }: Recorded, id: string): { project: string; title: string; ids: string[] } {
  const files = projects.flatMap((project) =>
    project.files.map(({ title, tests }) => ({
      project: project.name,
      title,
      ids: tests.map((each) => each.id),
    })),
  )
  const found = files.find(({ ids }) => ids.includes(id))
  if (!found) throw new Error(`no file has the test ${id}`)
  return found
}

/**
 * What Playwright itself makes of the tests: `ok()` of each decides how the execution ends. Undefined where an outcome is none,
 * where a test passed in a retry (one that never passed counts as failed with us), and when the execution was cut short.
 */
function judge({ events }: Recorded, outcomes: readonly unknown[]): boolean | undefined {
  if (outcomes.includes('unexpected')) return false
  const hasPassed = events.some((event) => event.kind === 'end' && event.status === 'passed')
  const isWhole = hasPassed && outcomes.every((each) => each === 'expected' || each === 'skipped')
  return isWhole ? true : undefined
}

/** What Playwright said last of each test. */
function listOutcomes({ events }: Recorded, ids: readonly string[]): unknown[] {
  const outcomes = new Map<string, unknown>()
  for (const event of events)
    if (event.kind === 'testEnd' && ids.includes(event.id)) outcomes.set(event.id, event.test.outcome)
  return [...outcomes.values()]
}

/** What Playwright's own objects always have. */
const OF_PLAYWRIGHT = /^(without )?(kind|id|atMs|test|result)( |$)/

function mutateExecution({ name, recorded }: RecordedExecution, random: Random): Mutant {
  const results = recorded.events.filter(isResult) as [ResultEvent, ...ResultEvent[]]
  const event = random.pick(results)
  let { data, change } = mutate(event, random)
  while (OF_PLAYWRIGHT.test(change)) ({ data, change } = mutate(event, random))
  const mutated = { ...recorded, events: recorded.events.with(recorded.events.indexOf(event), data) }
  const { project, title, ids } = findFile(recorded, event.id)
  const what = `${name} ${project} ${title}: ${event.kind} ${change}`
  const { suites, unmapped } = replayRecorded(mutated)
  expect(unmapped, what).toEqual([])
  const ofFile = suites.filter((suite) => suite.project === project && suite.file.endsWith(title))
  const outcomes = listOutcomes(mutated, ids)
  const mustBeStored = outcomes.includes('expected') || outcomes.includes('unexpected')
  return { what, suites: ofFile, hasPassed: judge(mutated, outcomes), mustBeStored }
}

test(`${MUTANT_COUNT} results, each with one field that is anything, are runs with the verdicts of Playwright`, async () => {
  const executions = listExecutions() as [RecordedExecution, ...RecordedExecution[]]
  await expectTrueVerdicts((random) => mutateExecution(random.pick(executions), random))
}, 300_000)
