import { lstatSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { type Credentials, CREDENTIALS_FILE, DATA_FOLDER } from '@runledger/protocol'
import { distance } from 'fastest-levenshtein'
import * as z from 'zod'
import { ConfigError, describeError } from '../model/errors'
import { codeOf, listFoldersUpward } from '../util/files'
import { normalizeServiceUrl, parseJson } from '../util/text'
import { describeIgnored, explainDistrust } from './trust'
import {
  HttpUrlSchema,
  nameOption,
  nameVariable,
  OPTION_TABLE,
  TextSchema,
  UNIT_FIELDS,
} from './option-table'
import type { OptionDefinition } from './option-table'
import type { Environment, Options, UnitUnderTestOption } from './options'
import { explainIgnoredFiles, findHandedFile, REPEAT_FILE, VERDICT_FILE } from './handed-file'

type OptionsWithDefaults = {
  [Name in keyof Required<Options>]: (typeof OPTION_TABLE)[Name] extends { fallback: unknown }
    ? NonNullable<Options[Name]>
    : Options[Name] | undefined
}

export interface ServiceIdentity {
  url: string
  secret: string
}

export interface ResolvedOptions extends OptionsWithDefaults {
  /** The unit's three variables; they apply one by one, over the default unit. */
  unitVariables: Partial<UnitUnderTestOption>
  /** One sentence for each option or variable that looks misspelt. */
  warnings: string[]
  /** One sentence for each file of local credentials that another user may have planted. */
  ignored: string[]
  credentialsFile?: string | undefined
  /** The proof that the service must give before any request. */
  identity?: ServiceIdentity | undefined
  credentialsError?: ConfigError | undefined
  /** The file that gets the runs of a repeated test, instead of the service. */
  repeatFile?: string | undefined
  /** The file that gets the decision on quarantined failures, if `runledger run -- COMMAND` set one. */
  verdictFile?: string | undefined
}

export type SendingOptions = ResolvedOptions & { url: string; apiKey: string }

/**
 * Applies option, then variable, then local credentials, then default, and checks every value. A repeated test is not `disabled`:
 * its command has no key, and configs disable the reporter without one.
 * @throws ConfigError naming the option and its variable, the value and the fix.
 */
export function resolveOptions(options: Options, env: Environment, rootDir: string): ResolvedOptions {
  const repeatFile = findHandedFile(REPEAT_FILE, env)
  const disabled = repeatFile === undefined && resolveValue('disabled', options.disabled, env)
  if (disabled) return resolveValues({ disabled }, {})
  const values = resolveValues({ ...options, disabled }, env)
  const warnings = [...findMisspellings(options, env), ...explainIgnoredFiles(env)]
  const verdictFile = findHandedFile(VERDICT_FILE, env)
  return applyCredentials({ ...values, warnings, repeatFile, verdictFile }, env, rootDir)
}

/** Read on its own, because it applies even if another option is invalid. */
export function readFailurePolicy(options: Options, env: Environment): boolean {
  try {
    return resolveValue('failOnUploadError', options.failOnUploadError, env) === true
  } catch {
    return false
  }
}

function resolveValues(options: { [Name in keyof Options]: unknown }, env: Environment): ResolvedOptions {
  const values: Record<string, unknown> = { unitVariables: readUnitVariables(env), warnings: [], ignored: [] }
  const refusals: string[] = []
  for (const name of OPTION_NAMES) {
    try {
      values[name] = resolveValue(name, options[name], env)
    } catch (error) {
      refusals.push(describeError(error))
    }
  }
  if (refusals.length > 0) throw new ConfigError(refusals.join(' '))
  return values as unknown as ResolvedOptions
}

/** The reason why nothing can be sent, or undefined. */
export function findMissingOption(options: ResolvedOptions): ConfigError | undefined {
  if (options.credentialsError) return options.credentialsError
  if (options.apiKey === undefined) return new ConfigError(NO_KEY)
  if (options.url === undefined) return new ConfigError(NO_ADDRESS)
  return options.procedureId === undefined ? new ConfigError(NO_PROCEDURE) : undefined
}

/** Options with address and key. @throws ConfigError if one is missing */
export function requireService(options: ResolvedOptions, use: 'ask' | 'send to'): SendingOptions {
  const { url, apiKey, credentialsError, ignored } = options
  if (url !== undefined && apiKey !== undefined) return { ...options, url, apiKey }
  if (credentialsError) throw credentialsError
  if (url !== undefined)
    throw new ConfigError(`no key for ${normalizeServiceUrl(url)}: set RUNLEDGER_API_KEY`)
  throw new ConfigError([`no service to ${use}: ${SERVICE_NEEDED}`, ...ignored].join('. '))
}

const SERVICE_NEEDED =
  'set RUNLEDGER_URL and RUNLEDGER_API_KEY, or start a service in this folder: npx runledger serve'
const NO_KEY =
  'no API key. Set apiKey or RUNLEDGER_API_KEY, or start a service in this folder: npx runledger serve'
const NO_ADDRESS = 'apiKey is set, but not the address: set url or RUNLEDGER_URL to the service'
export const NO_PROCEDURE =
  "no procedure: set procedureId or RUNLEDGER_PROCEDURE_ID to the name that runs are kept under, usually the package's"

function resolveValue(name: keyof Options, given: unknown, env: Environment): unknown {
  const definition: OptionDefinition = OPTION_TABLE[name]
  const label = nameOption(name)
  if (given !== undefined && given !== null) return checkValue(given, definition, label)
  const text = readVariable(name, env)
  return text === '' ? definition.fallback : checkValue(definition.parseText(text), definition, label)
}

export function readVariable(name: string, env: Environment): string {
  return env[nameVariable(name) ?? '']?.trim() ?? ''
}

function checkValue(value: unknown, definition: OptionDefinition, label: string): unknown {
  const checked = definition.schema.safeParse(value)
  if (checked.success) return checked.data
  throw new ConfigError(`${label} cannot be ${showValue(value, label)}: ${definition.expected}.`)
}

function showValue(value: unknown, label: string): string {
  if (/API_KEY|REDACT/.test(label)) return 'what it is set to'
  const shown = typeof value === 'function' ? 'a function' : (JSON.stringify(value) ?? String(value))
  const masked = shown.replace(/\/\/[^/@]*@/, '//…@')
  return masked.length > 60 ? `${masked.slice(0, 60)}…` : masked
}

function readUnitVariables(env: Environment): Partial<UnitUnderTestOption> {
  const unit: Partial<UnitUnderTestOption> = {}
  for (const name of UNIT_FIELDS) {
    const text = readVariable(name, env)
    if (text !== '') unit[name] = text
  }
  return unit
}

const CredentialsSchema = z.object({
  url: HttpUrlSchema,
  api_key: TextSchema,
  procedure_id: TextSchema.optional(),
  service_secret: TextSchema.optional(),
})

// The file's key never goes to another address, and another key never goes to the file's address.
function applyCredentials(given: ResolvedOptions, env: Environment, rootDir: string): ResolvedOptions {
  if (given.apiKey !== undefined) return given
  const { files, ignored } = findCredentials(rootDir, env)
  const options = { ...given, ignored }
  try {
    const { url, api_key: apiKey, procedure_id, service_secret: secret, file } = readCredentials(files) ?? {}
    const isOther = url && options.url !== undefined && new URL(options.url).origin !== new URL(url).origin
    if (!url || isOther) return options
    const procedureId = options.procedureId ?? procedure_id
    const identity = secret === undefined ? undefined : { url, secret }
    return { ...options, url: options.url ?? url, apiKey, credentialsFile: file, identity, procedureId }
  } catch (error) {
    return { ...options, credentialsError: error as ConfigError }
  }
}

/** Every `.runledger/credentials.json` from a folder upward, nearest first, and which of them are ignored. */
function findCredentials(fromDir: string, env: Environment): { files: string[]; ignored: string[] } {
  const files: string[] = []
  const ignored: string[] = []
  for (const folder of listFoldersUpward(fromDir)) {
    const dataDir = path.join(folder, DATA_FOLDER)
    const file = path.join(dataDir, CREDENTIALS_FILE)
    if (!mayBeThere(file)) continue
    const problem = explainDistrust(dataDir, env) ?? explainDistrust(file, env)
    if (problem === undefined) files.push(file)
    else ignored.push(describeIgnored(file, problem, folder))
  }
  return { files, ignored }
}

/** True also if this user may not look. */
function mayBeThere(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined
  } catch {
    return true
  }
}

/** The content of the first file that exists. @throws ConfigError when it cannot be read. */
function readCredentials(files: readonly string[]): (Credentials & { file: string }) | undefined {
  for (const file of files) {
    const text = readIfThere(file)
    if (text === undefined) continue
    const { success, data } = CredentialsSchema.safeParse(parseJson(text))
    if (success) return { ...data, file }
    throw new ConfigError(`${file} holds no credentials: start runledger serve again, or set url and apiKey.`)
  }
  return undefined
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new ConfigError(`cannot read ${file} (${code}): mend its permissions, or set url and apiKey.`)
  }
}

/** The only place in core that reads `process.env`. */
export function readProcessEnvironment(): Environment {
  return process.env
}

export const OPTION_NAMES = Object.keys(OPTION_TABLE) as (keyof Options)[]
const VARIABLES = [...OPTION_NAMES, ...UNIT_FIELDS].flatMap((name) => nameVariable(name) ?? [])

// Excludes variables of the service, which may run in the same environment.
const OUR_VARIABLE =
  /^RUNLEDGER_(?!(?:PUBLIC_URL|DATA|PORT|HOST|CHANNEL_FOLDER|LISTENS|TRUSTED_FOLDERS|REPEAT_FILE|VERDICT_FILE)$)/

/** One sentence for each unknown option and each variable that is close to a known one; other variables may be anything. */
function findMisspellings(options: Options, env: Environment): string[] {
  // Frameworks add options of their own, with an underscore.
  const unknown = Object.keys(options).filter(
    (name) => !name.startsWith('_') && !Object.hasOwn(OPTION_TABLE, name),
  )
  const misspelt = Object.keys(env)
    .filter((name) => OUR_VARIABLE.test(name) && !VARIABLES.includes(name))
    .filter((name) => findNearest(name, VARIABLES) !== undefined)
  return [
    ...unknown.map((name) => describeMisspelling(`option "${name}"`, findNearest(name, OPTION_NAMES))),
    ...misspelt.map((name) => describeMisspelling(`variable ${name}`, findNearest(name, VARIABLES))),
  ]
}

function describeMisspelling(what: string, nearest: string | undefined): string {
  return `unknown ${what}${nearest ? `: did you mean ${nearest}?` : ''}`
}

const fold = (name: string): string => name.toLowerCase().replaceAll(/[_-]/g, '')

/** The known name that was probably meant: it differs in a few letters, in case or in separators. */
export function findNearest(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name)
  const [best] = known
    .map((candidate) => ({ candidate, edits: distance(folded, fold(candidate)) }))
    .sort((a, b) => a.edits - b.edits)
  return best && best.edits <= Math.min(3, Math.floor(folded.length / 3)) ? best.candidate : undefined
}
