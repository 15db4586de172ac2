import path from 'node:path'
import type { CallWord, TestCall } from './test-call'
import type { ReportingFramework } from './programs'

/** The flags of a call that choose its config and its reporters. */
export interface CallFlags {
  /** As it is written; a path, or JSON for Jest. */
  config: string | undefined
  /** The folder in which the config is looked for. */
  root: string
  /** These replace the config's reporters. */
  reporters: readonly string[]
  /** The word of the last reporter. */
  lastReporter: CallWord | undefined
}

interface FlagNames {
  config: readonly string[]
  root: readonly string[]
  reporter: string
}

const FLAGS: Record<ReportingFramework, FlagNames> = {
  Jest: { config: ['--config', '-c'], root: ['--rootDir'], reporter: '--reporters' },
  Vitest: { config: ['--config', '-c'], root: ['--root', '-r'], reporter: '--reporter' },
  Playwright: { config: ['--config', '-c'], root: [], reporter: '--reporter' },
}

export function nameReporterFlag({ program }: Pick<TestCall, 'program'>): string {
  return FLAGS[program.framework].reporter
}

export function readFlags({ program, args, dir }: TestCall): CallFlags {
  const names = FLAGS[program.framework]
  const found = readValues(args, [names.reporter], program.framework === 'Jest')
  // Playwright takes one list, the last.
  const reporters =
    program.framework === 'Playwright' ? (found.at(-1)?.text.split(',') ?? []) : found.map(({ text }) => text)
  return {
    config: readValues(args, names.config).at(-1)?.text,
    root: path.resolve(dir, readValues(args, names.root).at(-1)?.text ?? '.'),
    reporters,
    lastReporter: found.at(-1)?.word,
  }
}

/** The values of a flag, written as `--flag=value` or `--flag value`; a flag that takes a list may have several. */
function readValues(
  args: readonly CallWord[],
  names: readonly string[],
  isList = false,
): { text: string; word: CallWord }[] {
  return args.flatMap((word, index) => {
    const name = names.find((each) => word.text === each || word.text.startsWith(`${each}=`))
    if (name === undefined) return []
    if (word.text !== name) return [{ text: word.text.slice(name.length + 1), word }]
    const following = args.slice(index + 1)
    const end = following.findIndex(({ text }) => text.startsWith('-'))
    const values = following.slice(0, end === -1 ? undefined : end).slice(0, isList ? undefined : 1)
    return values.map((value) => ({ text: value.text, word: value }))
  })
}

const SILENT_FLAGS: Record<ReportingFramework, RegExp> = {
  Jest: /^--(?:watch|watchAll|listTests|showConfig|clearCache|init|version|help)$/,
  Vitest: /^(?:--watch|-w|--version|--help|--clearCache)$/,
  Playwright: /^--(?:ui|ui-host.*|ui-port.*|list|version|help)$/,
}
const OTHER_MODES = /^(?:watch|dev|bench|list|init|typecheck)$/

/** Whether a call runs tests once: reporters record neither watch mode nor lists. */
export function isRecorded({ program: { framework }, args }: TestCall): boolean {
  const [first] = args
  if (framework === 'Vitest' && OTHER_MODES.test(first?.text ?? '')) return false
  return !args.some(({ text }) => SILENT_FLAGS[framework].test(text))
}
