import { nameProgram } from './launchers'
import type { CallWord } from './test-call'

const RUN_ALL = /^(?:npm-run-all2?|run-[sp])$/
const RUN_ALL_VALUES = /^--(?:max-parallel|npm-path)$/
const CONCURRENTLY_VALUES =
  /^(?:-[ncpmslt]|--(?:names|name-separator|prefix|prefix-colors|prefix-length|max-processes|success|restart-tries|restart-after|kill-signal|timestamp-format|default-input-target|hide|teardown|cwd))$/
const PLACEHOLDER = /\{[\d@*][^}]*\}/

/** The scripts that `npm-run-all`, `run-s` and `run-p` run, each by its word; undefined for another program. */
export function listRunAllWords(words: readonly CallWord[]): readonly CallWord[] | undefined {
  return RUN_ALL.test(nameProgram(words[0]?.text ?? '')) ? listOperands(words, RUN_ALL_VALUES) : undefined
}

/** The commands that `concurrently` runs, each in a word; undefined for another program. */
export function listConcurrentWords(words: readonly CallWord[]): readonly CallWord[] | undefined {
  const isConcurrent = /^conc(?:urrently)?$/.test(nameProgram(words[0]?.text ?? ''))
  return isConcurrent ? listOperands(words, CONCURRENTLY_VALUES) : undefined
}

/** The task runners of workspaces: each runs a package's script, and appends the words after `--`. */
const TASK_RUNNERS = /^(?:turbo|lerna)$/
const TASK_VALUES =
  /^(?:-F|-[is]|--(?:filter|scope|ignore|since|concurrency|cache-dir|cwd|team|token|log-order|profile))$/

/** The scripts that `turbo run` or `lerna run` runs in the packages, and the arguments that each receives. */
export function readTasks(
  words: readonly CallWord[],
): { names: readonly string[]; extra: readonly CallWord[] } | undefined {
  if (!TASK_RUNNERS.test(nameProgram(words[0]?.text ?? ''))) return undefined
  const dashes = words.findIndex(({ text }) => text === '--')
  const names = listOperands(words, TASK_VALUES).map(({ text }) => text.replace(/^.*#/, ''))
  return { names, extra: dashes === -1 ? [] : words.slice(dashes + 1) }
}

function listOperands([, ...words]: readonly CallWord[], values: RegExp): readonly CallWord[] {
  const end = words.findIndex(({ text }) => text === '--')
  return words
    .slice(0, end === -1 ? undefined : end)
    .filter(({ text }, index) => !text.startsWith('-') && !values.test(words[index - 1]?.text ?? ''))
}

/** Whether a word is a placeholder for an argument: `test -- {1}`. */
export function hasPlaceholder({ text }: CallWord): boolean {
  return PLACEHOLDER.test(text)
}

/** The scripts whose names match: `*` stands for a part between colons, `**` for several. */
export function matchScripts(pattern: string, names: readonly string[]): readonly string[] {
  const source = pattern
    .replaceAll(/[.+?^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, (stars) => (stars === '*' ? '[^:]*' : '.*'))
  return names.filter((name) => new RegExp(`^${source}$`).test(name))
}
