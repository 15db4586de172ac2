import { MANAGERS } from './launchers'
import type { CallWord } from './test-call'

/** The packages whose scripts a package manager runs: the one in this folder, all others, or one by its name or path. */
export type ManagedPlace = 'here' | 'everywhere' | { nameOrPath: string }

/** A command that a package manager runs: a script or an installed program. */
export interface ManagedCommand {
  place: ManagedPlace
  name: string
  /** Arguments that the script receives. */
  extra: readonly CallWord[]
}

const FOLDER_OPTIONS = /^(?:-w|--workspace|--filter|-F|--prefix|-C|--cwd|--dir|workspace)$/
const FOLDER_ASSIGNMENTS = /^--(?:workspace|filter|prefix|cwd|dir)=/
const ALL_PACKAGES = /^(?:--workspaces|-ws|-r|--recursive|workspaces)$/
const MANAGER_WORDS = /^(?:-.*|run|run-script|exec|x|dlx|workspaces?|foreach)$/
const PATTERN = /[*!{[]|\.\.\./

/** The script or program that a package manager runs. `words` begin with the manager's name. */
export function readManagerCommand([manager, ...rest]: readonly CallWord[]): ManagedCommand | undefined {
  if (!manager || !MANAGERS.test(manager.text)) return undefined
  const isNpm = manager.text === 'npm'
  const dashes = rest.findIndex(({ text }) => text === '--')
  const own = dashes === -1 ? rest : rest.slice(0, dashes)
  // pnpm's -w, the root of the workspace, takes no value.
  const options = isNpm ? FOLDER_OPTIONS : new RegExp(FOLDER_OPTIONS.source.replace('-w|', ''))
  const at = own.findIndex(
    ({ text }, index) => !MANAGER_WORDS.test(text) && !options.test(own[index - 1]?.text ?? ''),
  )
  const name = own[at]?.text
  if (name === undefined) return undefined
  const given = isNpm ? rest.slice(own.length) : rest.slice(at + 1)
  return {
    place: readPlace(own, options),
    name: name === 't' || name === 'tst' ? 'test' : name,
    extra: given.filter(({ text }) => text !== '--'),
  }
}

function readPlace(words: readonly CallWord[], options: RegExp): ManagedPlace {
  const texts = words.map(({ text }) => text)
  if (texts.some((text) => ALL_PACKAGES.test(text))) return 'everywhere'
  const option = texts.findIndex((text) => options.test(text))
  const assigned = texts.find((text) => FOLDER_ASSIGNMENTS.test(text))?.replace(/^[^=]*=/, '')
  const nameOrPath = assigned ?? (option === -1 ? undefined : texts[option + 1])
  if (nameOrPath === undefined) return 'here'
  return PATTERN.test(nameOrPath) ? 'everywhere' : { nameOrPath }
}
