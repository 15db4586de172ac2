import { distance } from 'fastest-levenshtein'
import { OPTION_TABLE, UNIT_VARIABLES } from './option-table'
import type { Environment, Options } from './options'

const OPTION_NAMES = Object.keys(OPTION_TABLE)
const VARIABLES = [
  ...Object.values(OPTION_TABLE).flatMap(({ variable }) => variable ?? []),
  ...Object.values(UNIT_VARIABLES),
]

// Variables of the service, which may stand in the same environment, and those that tests find their reporter by.
const FOREIGN_VARIABLE = /^RUNLEDGER_(PUBLIC_URL|DATA|PORT|HOST|TEST_SIDE|LISTENS)$/

/** One sentence for each unknown option or variable that is close to a known one; others are left alone. */
export function findMisspellings(options: Options, env: Environment): string[] {
  const optionWarnings = Object.keys(options)
    .filter((name) => !OPTION_NAMES.includes(name))
    .map((name) => describeMisspelling(`option "${name}"`, findNearest(name, OPTION_NAMES)))
  const variableWarnings = Object.keys(env)
    .filter(
      (name) => name.startsWith('RUNLEDGER_') && !VARIABLES.includes(name) && !FOREIGN_VARIABLE.test(name),
    )
    .map((name) => describeMisspelling(`variable ${name}`, findNearest(name, VARIABLES)))
  return [...optionWarnings, ...variableWarnings].filter((warning) => warning !== undefined)
}

function describeMisspelling(what: string, nearest: string | undefined): string | undefined {
  return nearest === undefined ? undefined : `unknown ${what}: did you mean ${nearest}?`
}

function findNearest(name: string, known: readonly string[]): string | undefined {
  const folded = fold(name)
  const ranked = known
    .map((candidate) => ({ candidate, edits: distance(folded, fold(candidate)) }))
    .sort((a, b) => a.edits - b.edits)
  const best = ranked[0]
  return best && best.edits <= Math.min(3, Math.floor(folded.length / 3)) ? best.candidate : undefined
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}
