import { nameProgram } from './launchers'

/** Frameworks whose reporters are in a config or behind a flag. */
export type ReportingFramework = 'Jest' | 'Vitest' | 'Playwright'

/** A program that runs the tests of a framework. */
export interface Program {
  framework: ReportingFramework
  packageName: string
  /** The last parts of its path. */
  names: readonly string[]
  command?: string
  /** Makes a config of its own for the framework, so that only a flag adds reporters. */
  isWrapper?: boolean
}

const wrapJest = (packageName: string, names: readonly string[], command: string): Program => ({
  framework: 'Jest',
  packageName,
  names,
  command,
  isWrapper: true,
})

const PROGRAMS: readonly Program[] = [
  { framework: 'Jest', packageName: 'jest', names: ['jest', 'jest.js', 'jest-cli'] },
  { framework: 'Vitest', packageName: 'vitest', names: ['vitest', 'vitest.mjs'] },
  {
    framework: 'Playwright',
    packageName: '@playwright/test',
    names: ['playwright', 'test/cli.js', 'playwright/cli.js'],
    command: 'test',
  },
  wrapJest('react-scripts', ['react-scripts', 'react-scripts.js'], 'test'),
  wrapJest('react-app-rewired', ['react-app-rewired'], 'test'),
  wrapJest('@craco/craco', ['craco'], 'test'),
  wrapJest('@wordpress/scripts', ['wp-scripts'], 'test-unit-js'),
  wrapJest('@vue/cli-service', ['vue-cli-service'], 'test:unit'),
]

const INSTALLED = /(?:^|\/)node_modules\/|\$\(npm bin\)\//

/** The programs that a word of a command may name. A file outside `node_modules` is a script of the project. */
export function findProgram(word: string, next: string | undefined): Program | undefined {
  return findAllPrograms(word).find(({ command }) => command === undefined || next === command)
}

function findAllPrograms(word: string): readonly Program[] {
  const place = `/${word.replaceAll('\\', '/').replace(/(?<=[^/])@[^/@]*$/, '')}`
  if (place.includes('/', 1) && !INSTALLED.test(place)) return []
  return PROGRAMS.filter(({ names }) => names.some((name) => place.endsWith(`/${name}`)))
}

/** The program that people type for a framework. */
export function findOwnProgram(framework: ReportingFramework): Program {
  return PROGRAMS.find((each) => each.framework === framework && !each.isWrapper) as Program
}

const NAMES = ['jest', 'vitest', 'playwright', ...PROGRAMS.flatMap(({ names }) => names)]
const MENTION = new RegExp(
  String.raw`(?:^|[\s/\\"'=:])(?:${NAMES.map((name) => name.replaceAll('.', String.raw`\.`)).join('|')})(?:$|[\s@"'])`,
)

/** Whether a word, or a command in a word, names a program that runs tests. */
export function mentionsTests(word: string): boolean {
  return MENTION.test(word)
}

/** Test runners without a Runledger reporter. */
const OTHER_RUNNERS = /^(?:mocha|ava|cypress|tap|karma|wdio|testcafe|jasmine|deno)$/

export function isOtherRunner(name: string): boolean {
  return OTHER_RUNNERS.test(name)
}

/** Programs that run no tests. Package managers run scripts, which are listed separately. */
const WITHOUT_TESTS = new RegExp(
  `^(?:${[
    'turbo lerna echo printf exit true false cd export set sleep wait kill killall pkill which command',
    'rm rimraf cp mv mkdir touch chmod ls find cat grep sed git gh node_modules',
    'tsc vue-tsc eslint oxlint biome prettier stylelint cspell knip depcheck husky lint-staged',
    'vite webpack rollup esbuild tsup open serve http-server wait-on nx-cloud codecov',
    'install i add ci remove uninstall why list update up audit link pkg config version publish pack outdated',
  ]
    .join(' ')
    .replaceAll(' ', '|')})$`,
)
const DOCKER_WITHOUT_TESTS = /^(?:build|buildx|push|pull|tag|login|rmi|rm)$/

/** Whether a command certainly runs no tests by itself. */
export function runsNoTests(word: string, next = ''): boolean {
  const name = nameProgram(word)
  if (name === 'docker' || name === 'podman') return DOCKER_WITHOUT_TESTS.test(next)
  return WITHOUT_TESTS.test(name) || findAllPrograms(word).length > 0
}
