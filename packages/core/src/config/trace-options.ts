import { nameVariable, OPTION_TABLE, UNIT_FIELDS } from './option-table'
import type { OptionDefinition } from './option-table'
import type { Environment, Options } from './options'
import { OPTION_NAMES, readVariable, resolveOptions } from './resolve-options'

export interface OptionTrace {
  name: string
  /** Null for the unit, whose fields have variables of their own. */
  variable: string | null
  /** The displayable value: for a possible secret only that it is set. Null without a value. */
  value: string | null
  /** `option`, a variable's name, the credentials file, or `default`. */
  from: string
}

/** Options that may be or hold a secret. */
const HIDDEN = new Set<string>(['apiKey', 'redact', 'reportVariables', 'clientCertFile', 'clientKeyFile'])
const FROM_CREDENTIALS = new Set<string>(['url', 'apiKey', 'procedureId'])

/**
 * Every option with its value and where that is from, in the order of the documentation.
 * @throws ConfigError when a value cannot be used
 */
export function traceOptions(options: Options, env: Environment, rootDir: string): OptionTrace[] {
  const resolved = resolveOptions(options, { ...env, RUNLEDGER_DISABLED: undefined }, rootDir)
  const traces = OPTION_NAMES.map((name): OptionTrace => {
    const variable = nameVariable(name)
    const value = name === 'disabled' ? resolveOptions(options, env, rootDir).disabled : resolved[name]
    const isGiven = options[name] !== undefined && options[name] !== null
    const isFromFile = FROM_CREDENTIALS.has(name) && value !== undefined
    const otherwise = isFromFile ? (resolved.credentialsFile ?? 'default') : 'default'
    const from = isGiven ? 'option' : readVariable(name, env) === '' ? otherwise : (variable ?? otherwise)
    return { name, variable: variable ?? null, value: show(name, value), from }
  })
  const unit = UNIT_FIELDS.flatMap((name): OptionTrace[] => {
    const variable = nameVariable(name) ?? ''
    const value = resolved.unitVariables[name]
    return value === undefined ? [] : [{ name, variable, value, from: variable }]
  })
  return [...traces, ...unit]
}

function show(name: string, value: unknown): string | null {
  const { fallback }: OptionDefinition = OPTION_TABLE[name as keyof Options]
  if (value === undefined) return null
  if (typeof value === 'function') return 'a function'
  if (HIDDEN.has(name)) return value === fallback ? null : 'set'
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.replace(/\/\/[^/]*@/, '//…@')
}
