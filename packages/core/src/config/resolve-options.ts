import { ConfigError } from '../model/errors'
import { findCredentials } from './credentials'
import { findMisspellings } from './misspelling'
import { OPTION_TABLE, UNIT_VARIABLES, type OptionDefinition } from './option-table'
import type { Environment, Options, RunPer, UnitUnderTestOption } from './options'

/** Options with their variables and defaults applied; what stays optional has its default worked out for each suite. */
export interface ResolvedOptions {
  url: string | undefined
  apiKey: string | undefined
  procedureId: Options['procedureId']
  unitUnderTest: Options['unitUnderTest']
  /** The unit's three variables; they apply one by one, over the default unit. */
  unitVariables: Partial<UnitUnderTestOption>
  subUnits: NonNullable<Options['subUnits']>
  reportVariables: Record<string, string | number | boolean>
  runPer: RunPer
  group: string | undefined
  logs: boolean
  attachments: boolean
  maxAttachmentBytes: number
  deadlineMs: number
  requestTimeoutMs: number
  maxRetries: number
  concurrency: number
  /** Absent: the user's and the project's own. */
  spoolDir: string | undefined
  failOnUploadError: boolean
  caFile: string | undefined
  clientCertFile: string | undefined
  clientKeyFile: string | undefined
  redact: (string | RegExp)[]
  summary: boolean
  annotations: boolean
  outputFile: string | undefined
  linksFile: string | undefined
  createPath: string
  updatePath: string
  disabled: boolean
  /** One sentence for each option or variable that looks misspelt. */
  warnings: string[]
}

/**
 * Applies option, then variable, then local credentials, then default, and checks every value.
 * @throws ConfigError naming the option and its variable, the value and the fix.
 */
export function resolveOptions(options: Options, env: Environment, rootDir: string): ResolvedOptions {
  const { disabled } = resolveValues(
    { disabled: options.disabled },
    { RUNLEDGER_DISABLED: env['RUNLEDGER_DISABLED'] },
  )
  if (disabled) return resolveValues({ disabled }, {})
  const warnings = findMisspellings(options, env)
  return applyCredentials({ ...resolveValues(options, env), warnings }, rootDir)
}

function resolveValues(options: { [Name in keyof Options]: unknown }, env: Environment): ResolvedOptions {
  const values: Record<string, unknown> = { unitVariables: readUnitVariables(env), warnings: [] }
  for (const [name, definition] of Object.entries(OPTION_TABLE)) {
    values[name] = resolveValue(name, definition, { given: options[name as keyof Options], env })
  }
  return values as unknown as ResolvedOptions
}

/** What stops delivery before it begins, or undefined: no key anywhere is no error, everything else is. */
export function findMissingOption(options: ResolvedOptions): ConfigError | undefined {
  if (options.url === undefined) {
    return new ConfigError('apiKey is set, but not the address: set url or RUNLEDGER_URL to the service.')
  }
  if (options.procedureId === undefined) {
    return new ConfigError(
      "no procedure: set procedureId or RUNLEDGER_PROCEDURE_ID to a procedure's identifier.",
    )
  }
  return undefined
}

interface ValueSources {
  given: unknown
  env: Environment
}

function resolveValue(name: string, definition: OptionDefinition, { given, env }: ValueSources): unknown {
  if (given !== undefined && given !== null)
    return checkValue(given, definition, nameOption(name, definition))
  const text = definition.variable === undefined ? undefined : env[definition.variable]
  if (text === undefined || text.trim() === '') return definition.fallback
  return checkValue(definition.parseText(text.trim()), definition, nameOption(name, definition))
}

function nameOption(name: string, { variable }: OptionDefinition): string {
  return variable === undefined ? `option ${name}` : `option ${name} (${variable})`
}

function checkValue(value: unknown, definition: OptionDefinition, label: string): unknown {
  const checked = definition.check(value)
  if (checked !== undefined) return checked
  throw new ConfigError(`${label} cannot be ${showValue(value, label)}: ${definition.expected}.`)
}

function showValue(value: unknown, label: string): string {
  if (label.includes('API_KEY')) return 'what it is set to'
  const shown = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value))
  const masked = shown.replace(/\/\/[^/@]*@/, '//…@')
  return masked.length > 60 ? `${masked.slice(0, 60)}…` : masked
}

function readUnitVariables(env: Environment): Partial<UnitUnderTestOption> {
  const unit: Partial<UnitUnderTestOption> = {}
  for (const [name, variable] of Object.entries(UNIT_VARIABLES)) {
    const value = env[variable]?.trim()
    if (value) unit[name as keyof UnitUnderTestOption] = value
  }
  return unit
}

// A key is sent only where it belongs: the file's key never goes to another address, nor another key to the file's.
function applyCredentials(options: ResolvedOptions, rootDir: string): ResolvedOptions {
  if (options.apiKey !== undefined) return options
  const credentials = findCredentials(rootDir)
  if (!credentials) return options
  if (options.url !== undefined && !isSameService(options.url, credentials.url)) return options
  return {
    ...options,
    url: options.url ?? credentials.url,
    apiKey: credentials.api_key,
    procedureId: options.procedureId ?? credentials.procedure_id,
  }
}

function isSameService(url: string, other: string): boolean {
  return new URL(url).origin === new URL(other).origin
}
