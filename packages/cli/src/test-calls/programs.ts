/** Frameworks whose reporters are in a config or behind a flag. */
export type ReportingFramework = 'Jest' | 'Vitest' | 'Playwright'

/** A program that runs the tests of a framework. */
export interface Program {
  framework: ReportingFramework
  packageName: string
  /** The last parts of its path. */
  names: readonly string[]
  /** The subcommand that runs tests. */
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

/** The program that a word of a command names. */
export function findProgram(word: string, next: string | undefined): Program | undefined {
  const place = `/${word.replaceAll('\\', '/').replace(/(?<=[^/])@[^/@]*$/, '')}`
  return PROGRAMS.find(
    ({ names, command }) =>
      names.some((name) => place.endsWith(`/${name}`)) && (command === undefined || next === command),
  )
}

/** The program that people type for a framework. */
export function findOwnProgram(framework: ReportingFramework): Program {
  return PROGRAMS.find((each) => each.framework === framework && !each.isWrapper) as Program
}
