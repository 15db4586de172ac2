import type { CreateRunRequest } from '@runledger/protocol'
import { RUNLEDGER_VARIABLES } from '../environment/variables'
import type { Suite, SuiteTest } from '../model/suite'
import type { Said, SaidUnit } from '../test-side/said'
import { formatStepName } from './step-name'
import { Surveys } from './survey'

type Kind = Said['kind']
type SaidOf<K extends Kind> = Extract<Said, { kind: K }>

/** What was said in a suite outside of tests, and by each attempt of its tests, in the order of the calls. */
export function listSaid(suites: readonly Suite[], surveys = new Surveys()): Said[] {
  const all: Said[] = []
  const add = ({ said }: { said?: Said[] | undefined }): void => {
    if (said !== undefined) for (const each of said) all.push(each)
  }
  for (const suite of suites) {
    add(suite)
    for (const { attempts } of surveys.of(suite).special) attempts.forEach(add)
  }
  return all
}

/** The last attempt of a test that said something of these kinds; what earlier ones said is in the log. */
export function lastSaid<K extends Kind>(test: SuiteTest, kinds: readonly K[]): SaidOf<K>[] | undefined {
  const said = test.attempts.at(-1)?.said
  return said && filterKinds(said, kinds)
}

function filterKinds<K extends Kind>(said: readonly Said[], kinds: readonly K[]): SaidOf<K>[] {
  return said.filter((each): each is SaidOf<K> => (kinds as readonly Kind[]).includes(each.kind))
}

/** Everything of one kind in the order of time, as the last word of a run is looked for. */
function listInTime<K extends Kind>(said: readonly Said[], kind: K): SaidOf<K>[] {
  return filterKinds(said, [kind]).sort((a, b) => a.atMs - b.atMs || a.order - b.order)
}

/** Report variables that tests said: the last word of each name. */
export function mapSaidVariables(said: readonly Said[]): Record<string, string> {
  return Object.fromEntries(listInTime(said, 'variable').map(({ name, value }) => [name, value]))
}

/** The unit under test as tests named it: the last word. What they leave out of it, the configuration may tell. */
export function findSaidUnit(
  said: readonly Said[],
  configured: { partNumber?: string | undefined; revision?: string | undefined } = {},
): CreateRunRequest['unit_under_test'] | undefined {
  const last = listInTime(said, 'unit').at(-1)
  if (last === undefined) return undefined
  const { serialNumber, partNumber = configured.partNumber } = last
  const isOfConfigured = last.partNumber === undefined || last.partNumber === configured.partNumber
  const revision = last.revision ?? (isOfConfigured ? configured.revision : undefined)
  return { serial_number: serialNumber, part_number: partNumber, revision }
}

const SUB_UNIT = ['sub-unit'] as const
const NOTHING: SaidOf<'sub-unit'>[] = []

/** Serial numbers of sub-units, each once: of a test those that its last attempt named. */
export function listSaidSubUnits(suites: readonly Suite[]): string[] {
  const said = suites.flatMap((suite) => [
    ...filterKinds(suite.said ?? [], SUB_UNIT),
    ...suite.tests.flatMap((test) => lastSaid(test, SUB_UNIT) ?? NOTHING),
  ])
  return [...new Set(said.map(({ serialNumber }) => serialNumber))]
}

/** Lines for the head of a suite's log on what its tests said in vain: of several units one counts, ours stay as they are. */
export function describeRefused(suite: Suite): string[] {
  const said = listSaid([suite])
  if (said.length === 0) return []
  const named = listInTime(said, 'unit').map(({ serialNumber }) => serialNumber)
  const units = [...new Set(named)]
  const names = Object.keys(mapSaidVariables(said)).filter((name) => RUNLEDGER_VARIABLES.includes(name))
  return [
    ...(units.length > 1
      ? [`unit       tests named ${units.join(', ')}: the last one, ${named.at(-1)}, counts`]
      : []),
    ...names.map((name) => `variable   ${name} is Runledger's own and stays as it is`),
  ]
}

/** Who named a unit, for messages. */
export function nameUnit({ serialNumber, partNumber, revision }: SaidUnit): string {
  const of = [partNumber, revision].filter((part) => part !== undefined).join(' ')
  return of === '' ? serialNumber : `${serialNumber} (${of})`
}

/** Name of a step that was said, below its test's: the steps around it, then its own. */
export function nameSaid({ within = [], name }: { within?: string[] | undefined; name: string }): string {
  return formatStepName([...within, name])
}
