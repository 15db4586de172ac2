import {
  isStorable,
  MAX_IDENTIFIER_LENGTH,
  UNSTORABLE_MESSAGE,
  type CreateRunRequest,
} from '@runledger/protocol'
import { readSurroundings } from '../environment/ci'
import { deriveDefaultUnit } from '../environment/default-unit'
import { deriveGroup } from '../environment/group'
import { PackageFinder, type PackageFacts } from '../environment/package'
import { mapExecutionVariables, type PackageVariables } from '../environment/variables'
import { ConfigError, describeError } from '../model/errors'
import type { ExecutionFacts } from '../execution'
import { filledTexts, legalUnit } from '../config/option-checks'
import { OPTION_TABLE } from '../config/option-table'
import type { Environment, SuiteFacts, UnitUnderTestOption } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import type { Suite } from '../model/suite'
import type { RunContext } from './map-suite'
import { EXECUTION_FILE, type RunSource } from './run-source'

export interface RecordSettings {
  facts: ExecutionFacts
  options: ResolvedOptions
  env: Environment
}

/** What all runs of an execution share. */
interface SharedFacts {
  variables: RunContext['variables']
  commit: string | undefined
}

type PackageContext = Omit<RunContext, 'submissionId' | 'inspections'>

/** Makes the records of an execution's runs. The surroundings (CI, git) are asked once. */
export class RecordBuilder {
  readonly #packages: PackageFinder
  readonly #answers = new Map<string, OptionAnswers>()
  /** Files of suites as they were first described: what is masked in one since leads to no package. */
  readonly #files = new WeakMap<Suite, string>()
  /** An option is a function, which may answer something else for each run. */
  readonly #mayDiffer: boolean
  /** What all runs of a package share, where no option tells them apart. */
  readonly #ofPackages = new Map<PackageFacts, PackageContext>()
  #shared: Promise<SharedFacts> | undefined
  #known: SharedFacts | undefined

  constructor(private readonly settings: RecordSettings) {
    this.#packages = new PackageFinder(settings.facts.rootDir)
    const { procedureId, unitUnderTest, subUnits } = settings.options
    this.#mayDiffer = [procedureId, unitUnderTest, subUnits].some((option) => typeof option === 'function')
  }

  /** @throws ConfigError when an option that is a function throws, or answers something that cannot be used. */
  async describe(source: RunSource, submissionId: string): Promise<Omit<RunContext, 'inspections'>> {
    await this.prepare()
    return this.describeAtOnce(source, submissionId) as Omit<RunContext, 'inspections'>
  }

  /** Asks for the surroundings. */
  async prepare(): Promise<void> {
    this.#shared ??= this.#gather()
    this.#known = await this.#shared
  }

  /** Undefined before the surroundings are known. @throws ConfigError, as `describe` does */
  describeAtOnce(source: RunSource, submissionId: string): Omit<RunContext, 'inspections'> | undefined {
    if (this.#known === undefined) return undefined
    const found = this.#findPackage(source)
    if (this.#mayDiffer) return { submissionId, ...this.#describe(found, this.#ask(source)) }
    let shared = this.#ofPackages.get(found)
    if (shared === undefined) {
      shared = this.#describe(found, this.#ask(source))
      this.#ofPackages.set(found, shared)
    }
    return { submissionId, ...shared }
  }

  #describe(found: PackageFacts, answers: OptionAnswers): PackageContext {
    const { facts, options } = this.settings
    const { commit, variables: known } = this.#known as SharedFacts
    const variables = { ...known, ...describePackage(found) }
    const { logs, maxAttachmentBytes } = options
    const unit = ask('unitUnderTest', () =>
      completeUnit(answers.unit, options, () => deriveDefaultUnit(found, commit)),
    )
    const { procedureId, subUnits } = answers
    const { partNumber, revision } = answers.unit ?? options.unitVariables
    const configuredPart = { partNumber, revision }
    return { facts, variables, logs, maxAttachmentBytes, procedureId, subUnits, unit, configuredPart }
  }

  async #gather(): Promise<SharedFacts> {
    const { facts, options, env } = this.settings
    const surroundings = await readSurroundings(env, facts.rootDir)
    const group = deriveGroup(options.group, surroundings)
    const variables = mapExecutionVariables(facts, { options, surroundings, group })
    return { variables, commit: surroundings.commit }
  }

  /** Asks once for each run, though a run may be written down several times. */
  #ask(source: RunSource): OptionAnswers {
    const key = JSON.stringify([source.project, source.file])
    const answers = this.#answers.get(key) ?? askOptions(source, this.settings)
    this.#answers.set(key, answers)
    return answers
  }

  #findPackage({ suites }: RunSource): PackageFacts {
    const files = suites.map((suite) => this.#fileOf(suite)).filter((file) => file !== EXECUTION_FILE)
    return this.#packages.findOf(files)
  }

  #fileOf(suite: Suite): string {
    const file = this.#files.get(suite) ?? suite.file
    this.#files.set(suite, file)
    return file
  }
}

/** On record also where the unit is another than the software. */
function describePackage({ name, version, isUnnamed }: PackageFacts): PackageVariables {
  return isUnnamed ? {} : { package: name, package_version: version }
}

interface OptionAnswers {
  procedureId: string
  /** Undefined when the unit is the software itself. */
  unit: UnitUnderTestOption | undefined
  subUnits: string[]
}

/** The options that may be functions, asked about one run. */
function askOptions(source: RunSource, { facts, options }: RecordSettings): OptionAnswers {
  const suite: SuiteFacts = { framework: facts.framework, project: source.project, file: source.file }
  return {
    procedureId: ask('procedureId', () => askProcedure(options, suite)),
    unit: ask('unitUnderTest', () => askUnit(options, suite)),
    subUnits: ask('subUnits', () => {
      const { subUnits } = options
      return typeof subUnits === 'function'
        ? requireLegal('subUnits', filledTexts(subUnits(suite)))
        : subUnits
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

function askUnit({ unitUnderTest }: ResolvedOptions, suite: SuiteFacts): UnitUnderTestOption | undefined {
  const given = typeof unitUnderTest === 'function' ? unitUnderTest(suite) : unitUnderTest
  return given && requireLegal('unitUnderTest', legalUnit(given))
}

function requireLegal<Value>(option: 'subUnits' | 'unitUnderTest', checked: Value | undefined): Value {
  if (checked === undefined) throw new Error(`its answer is not legal: ${OPTION_TABLE[option].expected}`)
  return checked
}

function completeUnit(
  given: UnitUnderTestOption | undefined,
  { unitVariables }: ResolvedOptions,
  findDefault: () => UnitUnderTestOption,
): CreateRunRequest['unit_under_test'] {
  const unit = given ?? applyVariables(findDefault(), unitVariables)
  return {
    serial_number: checkIdentifier('serial_number', unit.serialNumber) as string,
    part_number: checkIdentifier('part_number', unit.partNumber),
    revision: checkIdentifier('revision', unit.revision),
  }
}

/** As the service will take it (specification 2.2). */
function checkIdentifier(field: string, given: string | undefined): string | undefined {
  const text = given?.trim()
  if (text === undefined) return undefined
  if (text === '') throw new Error(`${field} is empty`)
  if (text.length > MAX_IDENTIFIER_LENGTH)
    throw new Error(`${field} has ${text.length} characters: use at most ${MAX_IDENTIFIER_LENGTH}`)
  if (!isStorable(text)) throw new Error(`${field} ${UNSTORABLE_MESSAGE}`)
  return text
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
