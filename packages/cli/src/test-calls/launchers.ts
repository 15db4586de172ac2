import type { Word } from './shell-words'

export const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s
export const MANAGERS = /^(?:npm|yarn|pnpm|bun)$/

const NODE_VALUES =
  /^(?:-[rC]|--(?:require|import|loader|experimental-loader|conditions|env-file|env-file-if-exists|disable-warning|max-old-space-size))$/
const NPM_VALUES = /^(?:-[pw]|--(?:package|workspace|prefix))$/
const PNPM_VALUES = /^(?:-[FC]|--(?:filter|dir|package))$/
const YARN_VALUES = /^(?:workspace|-p|--(?:cwd|package))$/
const BUN_VALUES = /^(?:-F|--(?:filter|cwd))$/
const COVERAGE_VALUES =
  /^(?:-[rnxo]|--(?:reporter|include|exclude|report-dir|reports-dir|temp-directory|src))$/
const NO_VALUES = /^$/

/** Programs that run the command in their arguments. Each has the options whose value is a separate word. */
const LAUNCHERS = new Map<string, RegExp>([
  ['node', NODE_VALUES],
  ['tsx', NODE_VALUES],
  ['npx', NPM_VALUES],
  ['pnpx', PNPM_VALUES],
  ['bunx', BUN_VALUES],
  ['npm', NPM_VALUES],
  ['pnpm', PNPM_VALUES],
  ['yarn', YARN_VALUES],
  ['bun', BUN_VALUES],
  ['c8', COVERAGE_VALUES],
  ['nyc', COVERAGE_VALUES],
  ['env', /^-u$/],
  ['dotenv', /^-[ecvp]$/],
  ['dotenvx', /^-(?:f|-env-file)$/],
  ['doppler', /^-[pc]$/],
  ['timeout', /^-[sk]$/],
  ['nice', /^-n$/],
  ['xvfb-run', /^-[snef]$/],
  ...`cross-env op sh bash exec command time then else do if ! {`
    .split(' ')
    .map((name) => [name, NO_VALUES] as const),
])
/** Words that launchers allow before the command: `npm exec`, `dotenv run --`, `timeout 60s`. */
const LAUNCHER_WORDS = /^(?:-.*|exec|x|dlx|run|workspace|\d+[smh]?)$/

/** Index of the command itself, after variables, shell words and launchers. */
export function findCommandStart(words: readonly Word[]): number {
  let at = 0
  let values: RegExp | undefined
  for (let word = words[at]; word; word = words[at]) {
    const next = LAUNCHERS.get(nameProgram(word.text))
    if (next) values = next
    else if (!ASSIGNMENT.test(word.text) && !(values && LAUNCHER_WORDS.test(word.text))) return at
    at += !next && values?.test(word.text) ? 2 : 1
  }
  return at
}

export function nameProgram(text: string): string {
  return text.replace(/^.*[\\/]/, '')
}
