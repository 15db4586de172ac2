import { STEP_NAME_SEPARATOR } from '@runledger/protocol'
import { dropBidiControls, toPlainText } from './plain-text'

/** A test as stored with a run. */
export interface RerunTest {
  metadata: Readonly<Record<string, string | number | boolean>>
  /** Joined titles; null if only the file is known. */
  name: string | null
  file: string | null
}

/** Shell commands that run one test again. */
export interface Rerun {
  /** The command that checks out its commit. */
  checkout: string | null
  command: string | null
}

const COMMIT = /^[\da-f]{7,64}$/i
/** The record cuts longer names, and patterns of them would be hard to read. */
const MAX_NAME = 300

/** How each framework names one test. Null for an unknown framework or file. */
export function formatRerun({ metadata, name, file }: RerunTest): Rerun {
  const textOf = (variable: string) => (metadata[variable] === undefined ? '' : String(metadata[variable]))
  const commit = textOf('git_commit')
  const place = file === null || !isPlain(file) ? undefined : quote(file.startsWith('-') ? `./${file}` : file)
  const framework = FRAMEWORKS[textOf('framework')]
  const command =
    framework && place !== undefined
      ? framework({
          place,
          titles: isTypeTest(file) ? undefined : listTitles(name),
          project: textOf('project'),
        })
      : null
  const folder = findFolder(textOf('file_in_repository'), file ?? '')
  return {
    checkout: COMMIT.test(commit) ? `git checkout ${commit}` : null,
    command: command !== null && folder !== '' ? `(cd ${quote(folder)} && ${command})` : command,
  }
}

interface Named {
  /** The file, quoted. */
  place: string
  /** Undefined for all tests of the file. */
  titles: string[] | undefined
  project: string
}

const FRAMEWORKS: Readonly<Record<string, (test: Named) => string>> = {
  jest: ({ place, titles }) => join(['npx jest', place, titles && `-t ${quote(`^${patternOf(titles)}$`)}`]),
  // Vitest 5 joins titles by " > ".
  vitest: ({ place, titles, project }) =>
    join([
      'npx vitest run',
      place,
      project && `--project ${quote(project)}`,
      titles && `-t ${quote(`^${patternOf(titles, '( >)? ')}$`)}`,
    ]),
  // Tags follow the title in what `-g` is compared with.
  playwright: ({ place, titles, project }) =>
    join([
      'npx playwright test',
      place,
      project && `--project=${quote(project)}`,
      titles && `-g ${quote(patternOf(titles))}`,
    ]),
  'node:test': ({ place, titles }) =>
    join(['node --test', titles && `--test-name-pattern=${quote(`^${patternOf(titles)}$`)}`, place]),
}

/** Vitest 3 and 4 compare `-t` with the file's name and the titles of a type test, so the whole file runs. */
function isTypeTest(file: string | null): boolean {
  return /\.(?:test|spec)-d\.[cm]?[jt]sx?$/.test(file ?? '')
}

function join(parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined && part !== '').join(' ')
}

function listTitles(name: string | null): string[] | undefined {
  if (name === null || name === '' || name.length > MAX_NAME || !isPlain(name)) return undefined
  return name.split(STEP_NAME_SEPARATOR)
}

/** Most frameworks join titles by a space. */
function patternOf(titles: readonly string[], between = ' '): string {
  return titles.map(escapePattern).join(between)
}

/** Free of characters that a terminal obeys: replacing them would name another test. */
function isPlain(text: string): boolean {
  return !text.includes('\n') && dropBidiControls(toPlainText(text)) === text
}

/** Escapes a text for a regular expression. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)
}

/** For POSIX shells. */
function quote(text: string): string {
  return /^[\w./:@=+-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function findFolder(inRepository: string, file: string): string {
  if (file === '' || !inRepository.endsWith(`/${file}`) || !isPlain(inRepository)) return ''
  return inRepository.slice(0, -file.length - 1)
}
