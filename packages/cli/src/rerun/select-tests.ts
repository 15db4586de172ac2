import { escapePattern } from '@runledger/presentation'
import path from 'node:path'
import { UsageError } from '../command-error'
import { BETWEEN, END, listOwnTitles, namePattern, START } from './name-pattern'

/** A test file on record, and where it is here. */
export interface SelectedFile {
  /** Relative to the project's root. */
  file: string
  /** Undefined if it is not here. */
  path: string | undefined
  /** Names of tests on record; undefined for all tests of the file. */
  names: readonly string[] | undefined
}

export interface Selection {
  files: readonly SelectedFile[]
  /** Undefined where not every test names its project. */
  projects: readonly string[] | undefined
  /** Major versions of Node that may run them. */
  nodes: { oldest: number; newest: number }
}

export interface SelectedArguments {
  args: string[]
  /** More than these tests run, and why. */
  note: string | undefined
}

/** Linux takes no longer argument, and `npm` makes one of all of them. */
const MAX_BYTES = process.platform === 'win32' ? 6_000 : 96 * 1024

/** How the frameworks that have a reporter of ours name tests and files. */
const SELECTORS = {
  jest: {
    options: ['--passWithNoTests'],
    ownOption: /^(?:-t|--testNamePattern|--test-name-pattern)(?:=|$)/,
    nameTests: (files) => nameByTitles(files, (pattern) => `--testNamePattern=${pattern}`),
    nameFile: patternOfFile,
  },
  vitest: {
    options: ['--passWithNoTests'],
    ownOption: /^(?:-t|--testNamePattern|--test-name-pattern)(?:=|$)/,
    nameTests: (files) =>
      nameByTitles(files, (pattern) => `--testNamePattern=${pattern}`, { before: TYPE_TEST_FILE }),
    nameFile: ({ path: place, file }) => place ?? toSuffix(file),
  },
  playwright: {
    options: ['--pass-with-no-tests'],
    ownOption: /^(?:-g|--grep)(?:=|$)/,
    nameTests: (files) => `--grep=${files.map(patternOfPlaywright).join('|')}`,
    nameProject: (project) => `--project=${project}`,
    nameFile: patternOfFile,
  },
  'node:test': {
    options: [],
    nameTests: (files, { nodes: { oldest } }) =>
      nameByTitles(files, (pattern) => `--test-name-pattern=${pattern}`, {
        // Before Node 22, a pattern is compared with the test's own title.
        listPatterns: (name) =>
          oldest < 22 ? listOwnTitles(name).map((title) => namePattern(title)) : [namePattern(name)],
      }),
    nameFile: ({ path: place, file }, { nodes }) => escapeGlob(place ?? `./${file}`, nodes.newest),
  },
} satisfies Readonly<Record<string, Selector>>

export type SelectableFramework = keyof typeof SELECTORS
export const SELECTABLE = Object.keys(SELECTORS) as SelectableFramework[]

interface Selector {
  options: readonly string[]
  /** Selects tests by title, and cannot be repeated. */
  ownOption?: RegExp
  /** Undefined if tests of these files cannot be told apart. */
  nameTests: (files: readonly SelectedFile[], selection: Selection) => string | undefined
  nameProject?: (project: string) => string
  nameFile: (file: SelectedFile, selection: Selection) => string
}

/** Arguments that run these tests: possibly others too, never fewer. */
export function selectTests(framework: SelectableFramework, selection: Selection): SelectedArguments {
  const selected = chooseArguments(framework, selection)
  // cmd.exe obeys these even between quotes; patterns of names have none.
  const isUnsafe = process.platform === 'win32' && selected.args.some((arg) => /["%\r\n]/.test(arg))
  return isUnsafe ? { args: [], note: 'The name of a file or project is unsafe: all tests run.' } : selected
}

function chooseArguments(framework: SelectableFramework, selection: Selection): SelectedArguments {
  const { options, nameTests, nameProject, nameFile }: Selector = SELECTORS[framework]
  const { files, projects = [] } = selection
  const places = [
    ...options,
    ...(nameProject ? projects.map(nameProject) : []),
    ...new Set(files.map((file) => nameFile(file, selection))),
  ]
  const names = nameTests(files, selection)
  if (sizeOf(places) > MAX_BYTES)
    return { args: [], note: 'There are too many files to name: all tests run.' }
  const hasNames = files.some((file) => file.names !== undefined)
  if (names === undefined) return { args: places, note: hasNames ? WHOLE_FILES : undefined }
  if (sizeOf([...places, names]) > MAX_BYTES)
    return { args: places, note: 'There are too many tests to name: all tests of their files run.' }
  return { args: [...options, names, ...places.slice(options.length)], note: undefined }
}

/** The option in a command that selects tests by title, beside which ours would not count. */
export function findOwnSelection(
  framework: SelectableFramework,
  command: readonly string[],
): string | undefined {
  const { ownOption }: Selector = SELECTORS[framework]
  // Options before it are those of a program that starts it, such as `docker run -t`.
  const program = new RegExp(
    `(?:^|[\\\\/@])${framework}(?:\\.[cm]?js|@[^\\\\/]*|[\\\\/]test[\\\\/]cli\\.js)?$`,
  )
  const start = command.findIndex((arg) => program.test(arg))
  const option = start < 0 ? undefined : command.slice(start + 1).find((arg) => ownOption?.test(arg))
  return option?.split('=', 1)[0]
}

/** @throws UsageError, because the option of ours selects the tests */
export function refuseOwnSelection(
  framework: SelectableFramework,
  command: readonly string[],
  option: string,
): void {
  const own = findOwnSelection(framework, command)
  if (own !== undefined)
    throw new UsageError(`the command selects tests with ${own}, but ${option} does that: leave it out`)
}

/** Vitest 3 and 4 put the file's name before the titles of a type test. */
const TYPE_TEST_FILE = String.raw`(?:[^\n]*\.[cm]?[jt]sx? )?`

const WHOLE_FILES = 'A file failed as a whole: all tests of these files run.'

interface TitleRules {
  /** A pattern for what may be before the titles. */
  before?: string
  listPatterns?: (name: string) => string[]
}

/** The pattern holds for all files, so it cannot name the tests of some of them. */
function nameByTitles(
  files: readonly SelectedFile[],
  toOption: (pattern: string) => string,
  { before = '', listPatterns = (name) => [namePattern(name)] }: TitleRules = {},
): string | undefined {
  if (files.some(({ names }) => names === undefined)) return undefined
  const patterns = new Set(files.flatMap(({ names = [] }) => names.flatMap(listPatterns)))
  return toOption(`^${before}${START}(?:${[...patterns].join('|')})${END}$`)
}

/** Playwright compares with project, file and titles, each describe block and the test followed by its tags. */
function patternOfPlaywright({ file, names }: SelectedFile): string {
  const place = String.raw`[ /\\]${escapePattern(path.posix.basename(file))}`
  if (names === undefined) return `${place} `
  const between = String.raw`${BETWEEN}(?:@[^]*?\s)?`
  const patterns = [...new Set(names.map((name) => namePattern(name, between)))]
  return String.raw`${place} ${START}(?:${patterns.join('|')})(?:${END}$|\s@)`
}

/** For frameworks that take a regular expression of the whole path. */
function patternOfFile({ path: place, file }: SelectedFile): string {
  return place === undefined ? `(?:^|/)${escapePattern(toSuffix(file))}$` : `${escapePattern(place)}$`
}

/** The end of the path, for a file above the root. */
function toSuffix(file: string): string {
  // A name that begins with a dash would be an option.
  return file.replace(/^(?:\.\.\/)+/, '').replace(/^-/, './-')
}

/** Since Node 21, test files are given as globs. */
export function escapeGlob(file: string, nodeMajor: number): string {
  return nodeMajor < 21 ? file : file.replaceAll(/[*?[{(]/g, '[$&]')
}

function sizeOf(args: readonly string[]): number {
  return args.reduce((sum, arg) => sum + Buffer.byteLength(arg) + 3, 0)
}
