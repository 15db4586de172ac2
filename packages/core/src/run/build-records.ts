import { UnitUnderTestSchema, type CreateRunRequest } from '@runledger/protocol'
import { inspectAttachments } from '../attachment/inspect-attachments'
import { readSurroundings } from '../context/ci'
import { deriveDefaultUnit } from '../context/default-unit'
import { deriveGroup } from '../context/group'
import { PackageFinder } from '../context/package'
import { mapExecutionVariables } from '../context/variables'
import { ConfigError, describeError } from '../errors'
import type { ExecutionFacts } from '../execution'
import { SubUnitsOptionSchema, UnitUnderTestOptionSchema } from '../options/option-table'
import type { Environment, SuiteFacts, UnitUnderTestOption } from '../options/options'
import type { ResolvedOptions } from '../options/resolve-options'
import type { Suite } from '../suite'
import { mapRun, type RunRecord } from './map-suite'
import { collectRunSources, EXECUTION_FILE, isOnRecord, isPassed, type RunSource } from './run-source'

export interface RecordSettings {
  facts: ExecutionFacts
  options: ResolvedOptions
  env: Environment
}

/** A run that has no record: an option that is a function threw, or answered something that cannot be used. */
export interface RefusedRun {
  status: 'failed'
  passed: boolean
  error: unknown
}

/** Makes the records of all runs of an execution; one that cannot be made spares the others. */
export async function buildRecords(
  suites: readonly Suite[],
  settings: RecordSettings,
): Promise<{ records: RunRecord[]; refused: RefusedRun[] }> {
  const { facts, options, env } = settings
  const sources = collectRunSources(suites, options.runPer).filter(isOnRecord)
  if (sources.length === 0) return { records: [], refused: [] }
  const surroundings = await readSurroundings(env, facts.rootDir)
  const group = deriveGroup(options.group, surroundings)
  const packages = new PackageFinder(facts.rootDir)
  const findDefaultUnit = ({ suites: own }: RunSource) => {
    const files = own.map(({ file }) => file).filter((file) => file !== EXECUTION_FILE)
    return deriveDefaultUnit(packages.findOf(files), surroundings.commit)
  }
  const shared = {
    facts,
    variables: mapExecutionVariables(facts, { options, surroundings, group }),
    logs: options.logs,
    inspections: await inspectAttachments(options.attachments ? suites : [], options.maxAttachmentBytes),
    maxAttachmentBytes: options.maxAttachmentBytes,
  }
  return collect(sources, (source) =>
    mapRun(source, { ...shared, ...askOptions(source, settings, findDefaultUnit(source)) }),
  )
}

function collect(
  sources: readonly RunSource[],
  map: (source: RunSource) => RunRecord,
): { records: RunRecord[]; refused: RefusedRun[] } {
  const records: RunRecord[] = []
  const refused: RefusedRun[] = []
  for (const source of sources) {
    try {
      records.push(map(source))
    } catch (error) {
      refused.push({ status: 'failed', passed: isPassed(source), error })
    }
  }
  return { records, refused }
}

/** The options that may be functions, asked about one run. */
function askOptions(source: RunSource, { facts, options }: RecordSettings, defaultUnit: UnitUnderTestOption) {
  const suite: SuiteFacts = { framework: facts.framework, project: source.project, file: source.file }
  return {
    procedureId: ask('procedureId', () => askProcedure(options, suite)),
    unit: ask('unitUnderTest', () => askUnit(options, suite, defaultUnit)),
    subUnits: ask('subUnits', () => {
      const { subUnits } = options
      return typeof subUnits === 'function' ? SubUnitsOptionSchema.parse(subUnits(suite)) : subUnits
    }),
  }
}

function ask<Value>(option: string, question: () => Value): Value {
  try {
    return question()
  } catch (error) {
    throw new ConfigError(`option ${option} could not be worked out: ${describeError(error)}.`, {
      cause: error,
    })
  }
}

function askProcedure({ procedureId }: ResolvedOptions, suite: SuiteFacts): string {
  const answer = typeof procedureId === 'function' ? procedureId(suite) : procedureId
  if (typeof answer !== 'string' || answer.trim() === '')
    throw new Error("it must be a procedure's identifier")
  return answer
}

function askUnit(
  { unitUnderTest, unitVariables }: ResolvedOptions,
  suite: SuiteFacts,
  defaultUnit: UnitUnderTestOption,
): CreateRunRequest['unit_under_test'] {
  const given = typeof unitUnderTest === 'function' ? unitUnderTest(suite) : unitUnderTest
  const unit =
    given === undefined ? applyVariables(defaultUnit, unitVariables) : UnitUnderTestOptionSchema.parse(given)
  return UnitUnderTestSchema.parse({
    serial_number: unit.serialNumber,
    part_number: unit.partNumber,
    revision: unit.revision,
  })
}

/** A unit of one's own is not of the software's part: its default part and revision go only with its default number. */
function applyVariables(
  defaultUnit: UnitUnderTestOption,
  variables: Partial<UnitUnderTestOption>,
): UnitUnderTestOption {
  const { serialNumber, partNumber } = variables
  if (serialNumber !== undefined) return { ...variables, serialNumber }
  if (partNumber !== undefined) return { ...variables, serialNumber: defaultUnit.serialNumber }
  return { ...defaultUnit, ...variables }
}
