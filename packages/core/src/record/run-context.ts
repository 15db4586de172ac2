import { type CreateRunRequest, UnitUnderTestSchema } from '@runledger/protocol'
import { OPTION_TABLE, SerialNumbersSchema, UnitSchema } from '../config/option-table'
import type { Environment, SuiteFacts, UnitUnderTestOption } from '../config/options'
import type { ResolvedOptions } from '../config/resolve-options'
import { type CiFacts, readCiFacts } from '../environment/ci'
import { deriveDefaultUnit, type PackageFacts, PackageFinder } from '../environment/package'
import { deriveGroup, mapExecutionVariables } from '../environment/report-variables'
import { locateInRepository, readRepository, type RepositoryFacts } from '../environment/repository'
import { ConfigError, describeError, describeIssues } from '../model/errors'
import type { ExecutionFacts, Suite } from '../model/suite'
import type { CiExecution } from './map-execution'
import type { RunContext } from './map-run'
import { EXECUTION_FILE, type RunSource } from './run-source'

export interface RunContextSettings {
  facts: ExecutionFacts
  options: ResolvedOptions
  env: Environment
}

export class RunContexts {
  readonly #packages: PackageFinder
  readonly #values = new Map<string, OptionValues>()
  /** Files as first described: a masked name leads to no package. */
  readonly #files = new WeakMap<Suite, string>()
  /** The same for all runs; until `prepare` is done, only facts that need no waiting. */
  #shared: { variables: RunContext['variables']; commit?: string | undefined }
  #repository: RepositoryFacts = {}
  #ci: CiFacts = {}
  #prepared: Promise<void> | undefined

  constructor(private readonly settings: RunContextSettings) {
    const { facts, options, env } = settings
    this.#packages = new PackageFinder(facts.rootDir)
    const known = { options, env, ci: {}, repository: {}, group: options.group }
    this.#shared = { variables: mapExecutionVariables(facts, known) }
  }

  /** Reads CI and git facts, once, before the first run is described. Never rejects. */
  prepare(): Promise<void> {
    return (this.#prepared ??= this.#prepare())
  }

  async #prepare(): Promise<void> {
    const { facts, options, env } = this.settings
    const { defaultBranch } = options
    const asked = [
      readRepository(env, facts.rootDir, defaultBranch),
      readCiFacts(env, facts.rootDir),
    ] as const
    const [repository, ci] = await Promise.all(asked)
    this.#repository = repository
    this.#ci = ci
    const group = deriveGroup(options.group, ci)
    const variables = mapExecutionVariables(facts, { options, env, ci, repository, group })
    this.#shared = { variables, commit: ci.commit }
  }

  /** Undefined outside of a CI, and if procedures differ. Never rejects. */
  async findCiExecution(): Promise<CiExecution | undefined> {
    await this.prepare()
    const { facts, options } = this.settings
    const { procedureId } = options
    const isOfCi = this.#ci.ci !== undefined && facts.isImported !== true
    if (!isOfCi || typeof procedureId !== 'string') return undefined
    const placed = { ...facts, shard: facts.shard ?? options.shard }
    return { facts: placed, procedureId, variables: this.#shared.variables, attempt: this.#ci.attempt ?? 0 }
  }

  get ignored(): string | undefined {
    return this.#repository.ignored
  }

  /** Tests without an owner get that of their file. */
  addOwners(suite: Suite): void {
    const file = this.#locate(this.#fileOf(suite))
    const owner = file === undefined ? undefined : this.#repository.findOwner?.(file)
    if (owner !== undefined) for (const test of suite.tests) test.owner ??= owner
  }

  /** @throws ConfigError if an option's function throws or returns an invalid value */
  describe(source: RunSource, submissionId: string): RunContext {
    const { facts, options } = this.settings
    const { variables, commit } = this.#shared
    const found = this.#findPackage(source)
    const { procedureId, subUnits, unit: given } = this.#evaluateOptions(source)
    const unit = evaluate('unitUnderTest', () =>
      completeUnit(given, options, () => deriveDefaultUnit(found, commit)),
    )
    const { partNumber, revision, batchNumber } = given ?? options.unitVariables
    const file_in_repository = source.namesFiles ? undefined : this.#locate(source.file)
    return {
      submissionId,
      facts,
      procedureId,
      unit,
      configuredUnit: { partNumber, revision, batchNumber },
      subUnits,
      variables: { ...variables, ...describePackage(found), file_in_repository },
      logs: options.logs,
      maxAttachmentBytes: options.maxAttachmentBytes,
    }
  }

  /** Calls the user's functions once for each run, though a run may be written several times. */
  #evaluateOptions(source: RunSource): OptionValues {
    const key = JSON.stringify([source.project, source.file])
    const values = this.#values.get(key) ?? evaluateOptions(source, this.settings)
    this.#values.set(key, values)
    return values
  }

  #findPackage({ suites }: RunSource): PackageFacts {
    const files = suites.map((suite) => this.#fileOf(suite)).filter((file) => file !== EXECUTION_FILE)
    return this.#packages.findOf(files)
  }

  #locate(file: string): string | undefined {
    return file === EXECUTION_FILE ? undefined : locateInRepository(file, this.#repository)
  }

  #fileOf(suite: Suite): string {
    const file = this.#files.get(suite) ?? suite.file
    this.#files.set(suite, file)
    return file
  }
}

/** Recorded even if the unit is not the software. */
function describePackage({ name, version, isUnnamed }: PackageFacts): RunContext['variables'] {
  return isUnnamed ? {} : { package: name, package_version: version }
}

interface OptionValues {
  procedureId: string
  unit: UnitUnderTestOption | undefined
  subUnits: string[]
}

function evaluateOptions(source: RunSource, { facts, options }: RunContextSettings): OptionValues {
  const suite: SuiteFacts = { framework: facts.framework, project: source.project, file: source.file }
  return {
    procedureId: evaluate('procedureId', () => evaluateProcedure(options, suite)),
    unit: evaluate('unitUnderTest', () => evaluateUnit(options, suite)),
    subUnits: evaluate('subUnits', () => {
      const { subUnits } = options
      return typeof subUnits === 'function'
        ? requireLegal('subUnits', SerialNumbersSchema.safeParse(subUnits(suite)).data)
        : subUnits
    }),
  }
}

function evaluate<Value>(option: string, compute: () => Value): Value {
  try {
    return compute()
  } catch (error) {
    throw new ConfigError(`option ${option} could not be worked out: ${describeError(error)}.`, {
      cause: error,
    })
  }
}

/** Without a procedure, the run waits until there is one. */
function evaluateProcedure({ procedureId = '' }: ResolvedOptions, suite: SuiteFacts): string {
  if (procedureId === '') return procedureId
  const id = typeof procedureId === 'function' ? procedureId(suite) : procedureId
  if (typeof id !== 'string' || id.trim() === '') throw new Error("it must be a procedure's identifier")
  return id
}

function evaluateUnit(
  { unitUnderTest }: ResolvedOptions,
  suite: SuiteFacts,
): UnitUnderTestOption | undefined {
  const given = typeof unitUnderTest === 'function' ? unitUnderTest(suite) : unitUnderTest
  return given && requireLegal('unitUnderTest', UnitSchema.safeParse(given).data as UnitUnderTestOption)
}

function requireLegal<Value>(option: 'subUnits' | 'unitUnderTest', checked: Value | undefined): Value {
  if (checked === undefined)
    throw new Error(`what it returns cannot be used: ${OPTION_TABLE[option].expected}`)
  return checked
}

function completeUnit(
  given: UnitUnderTestOption | undefined,
  { unitVariables }: ResolvedOptions,
  findDefault: () => UnitUnderTestOption,
): CreateRunRequest['unit_under_test'] {
  const unit = given ?? applyVariables(findDefault(), unitVariables)
  const { serialNumber: serial_number, partNumber: part_number, revision, batchNumber: batch_number } = unit
  const { success, data, error } = UnitUnderTestSchema.safeParse({
    serial_number,
    part_number,
    revision,
    batch_number,
  })
  if (!success) throw new Error(describeIssues(error.issues))
  return data
}

/** A unit with its own serial or part number does not get the defaults of the software's part. */
function applyVariables(
  defaultUnit: UnitUnderTestOption,
  variables: Partial<UnitUnderTestOption>,
): UnitUnderTestOption {
  const { serialNumber, partNumber } = variables
  if (serialNumber !== undefined) return { ...variables, serialNumber }
  if (partNumber !== undefined) return { ...variables, serialNumber: defaultUnit.serialNumber }
  return { ...defaultUnit, ...variables }
}
