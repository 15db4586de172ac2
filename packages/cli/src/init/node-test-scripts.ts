import { findTestCalls, type TestCall, writeMissingFlags } from '../node-test-command'
import { findObject } from './config-objects'
import { type ConfigSource, type Edit, placeOf, textOf } from './config-source'

interface ScriptCall extends TestCall {
  /** The place of `end` in the file. */
  place: number
}

/** What adds the reporter to each call of `node --test` in the scripts of a package.json. */
export function addToScripts(source: ConfigSource, reporter: string): Edit[] {
  return listCalls(source).flatMap((call) => {
    const flags = writeMissingFlags(call, reporter)
    return flags === undefined ? [] : [{ start: call.place, end: call.place, text: flags }]
  })
}

/** The reporters that scripts name, of Node's test runner. */
export function readReporters(source: ConfigSource): string[] {
  return listCalls(source).flatMap(({ reporters }) => reporters)
}

function listCalls({ json, text }: ConfigSource): ScriptCall[] {
  const scripts = json?.type === 'ObjectExpression' ? findObject(json, 'scripts', []) : undefined
  return (scripts?.properties ?? []).flatMap((each) => {
    if (each.type !== 'ObjectProperty') return []
    const { start, end } = placeOf(each.value)
    const raw = text.slice(start + 1, end - 1)
    return findTestCalls(textOf(each.value) ?? '').map((call) => ({
      ...call,
      place: start + 1 + placeInRaw(raw, call.end),
    }))
  })
}

/** Where a character of a text stands in what JSON writes for it. */
function placeInRaw(raw: string, index: number): number {
  const characters = raw.match(/\\u.{4}|\\.|[^\\]/gs) ?? []
  return characters.slice(0, index).join('').length
}
