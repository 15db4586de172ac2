import path from 'node:path'
import { FRAMEWORKS } from '../find-frameworks'
import type { CallWord, TestCall } from '../test-calls/test-call'
import { nameReporterFlag, readFlags } from '../test-calls/read-flags'
import { applyEdits, type Edit, parseConfig } from './config-source'
import { listScripts } from './script-places'

/** Whether only a flag can add a reporter to a command: it names its own, or its config is in no file. */
export function needsFlag(call: TestCall): boolean {
  const { reporters, config } = readFlags(call)
  return reporters.length > 0 || call.program.isWrapper === true || (config?.startsWith('{') ?? false)
}

export function hasFlag(call: TestCall): boolean {
  return readFlags(call).reporters.includes(findReporter(call))
}

function findReporter({ program }: TestCall): string {
  return FRAMEWORKS.find(({ name }) => name === program.framework)?.reporter ?? ''
}

/** The package.json with the script that the reporters of a command stand in, or the command. */
export function findScriptFile(call: TestCall): string {
  return path.join(findWord(call)?.dir ?? call.dir, 'package.json')
}

function findWord(call: TestCall): CallWord | undefined {
  return readFlags(call).lastReporter ?? call.head
}

export function addFlags(text: string, calls: readonly TestCall[]): string {
  const scripts = listScripts(parseConfig(text, 'package.json'))
  const edits = calls.flatMap((call): Edit[] => {
    const word = findWord(call)
    const script = scripts.find(({ name }) => name === word?.script)
    if (!word || !script) return []
    const at = script.place(word.end)
    return [{ start: at, end: at, text: writeFlag(call) }]
  })
  // Scripts that call one another may lead to the same place.
  return applyEdits(
    text,
    edits.filter(({ start }, index) => edits.findIndex((each) => each.start === start) === index),
  )
}

function writeFlag(call: TestCall): string {
  const flag = nameReporterFlag(call)
  const reporter = findReporter(call)
  if (!readFlags(call).lastReporter) return ` ${flag}=default ${flag}=${reporter}`
  return call.program.framework === 'Playwright' ? `,${reporter}` : ` ${flag}=${reporter}`
}
