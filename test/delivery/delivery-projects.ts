import { createProject, type Framework, newestVersion, type Project } from '../support/project'

/** What is attached where the framework has attachments: every byte value, more than one packet. */
export const READING = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256)
/** File in the project folder that a test writes the time into when the last one ends (milliseconds, Unix epoch). */
export const LAST_TEST_FILE = 'last-test-ended'

const NOTE_END = `require('node:fs').writeFileSync(require('node:path').join(__dirname, '${LAST_TEST_FILE}'), String(Date.now()))`

interface ProjectKind {
  config: (reporter: string) => Record<string, string>
  head: string
  /** Body of a test that attaches `reading.bin`, or does nothing. */
  attaches: string
  noteEnd: string
}

const KINDS: Record<Framework, ProjectKind> = {
  jest: {
    config: (reporter) => ({ 'jest.config.js': `module.exports = { reporters: ['default'${reporter}] }` }),
    head: '',
    attaches: '() => {}',
    noteEnd: `afterAll(() => { ${NOTE_END} })`,
  },
  vitest: {
    config: (reporter) => ({
      'vitest.config.mjs': `export default { test: { reporters: ['default'${reporter}] } }`,
    }),
    head: "import { afterAll, expect, test } from 'vitest'\nimport { writeFileSync } from 'node:fs'\n",
    attaches: "({ annotate }) => annotate('reading', { path: './reading.bin' })",
    noteEnd: `afterAll(() => writeFileSync('${LAST_TEST_FILE}', String(Date.now())))`,
  },
  playwright: {
    config: (reporter) => ({
      'playwright.config.js': `module.exports = { workers: 1, testMatch: '*.test.js', reporter: [['line']${reporter}] }`,
    }),
    head: "const { expect, test } = require('@playwright/test')\n",
    attaches: "({}, info) => info.attach('reading', { path: __dirname + '/reading.bin' })",
    noteEnd: `test.afterAll(() => { ${NOTE_END} })`,
  },
}

const OPTIONS: Record<Framework, (options: string) => string> = {
  jest: (options) => `, ['@runledger/jest', ${options}]`,
  vitest: (options) => `, ['@runledger/vitest', ${options}]`,
  playwright: (options) => `, ['@runledger/playwright', ${options}]`,
}

/** File in the project folder with a line for each suite that has finished. */
export const SUITES_FILE = 'suites-finished'

const NOTE_SUITE = (file: string) =>
  `require('node:fs').appendFileSync(require('node:path').join(__dirname, '${SUITES_FILE}'), require('node:path').basename(${file}) + '\\n')`

/**
 * Our reporter, and what notes each suite once we have been told of its end: for Vitest, which tells all reporters at
 * once, ours with a hook that is longer.
 */
const NOTING: Record<Framework, { reporters: string; files: Record<string, string> }> = {
  jest: {
    reporters: ", '@runledger/jest', './note.js'",
    files: {
      'note.js': `module.exports = class { onTestFileResult(test) { ${NOTE_SUITE('test.path')} } }\n`,
    },
  },
  vitest: {
    reporters: ", './note.mjs'",
    files: {
      'note.mjs': `import { appendFileSync } from 'node:fs'
        import { basename } from 'node:path'
        import Reporter from '@runledger/vitest'
        export default class extends Reporter {
          async onTestModuleEnd(testModule) {
            await super.onTestModuleEnd(testModule)
            appendFileSync('${SUITES_FILE}', basename(testModule.moduleId) + '\\n')
          }
        }\n`,
    },
  },
  playwright: {
    reporters: ", ['@runledger/playwright'], ['./note.js']",
    files: {
      'note.js': `module.exports = class {
        printsToStdio() { return false }
        onTestEnd(test) { ${NOTE_SUITE('test.location.file')} }
      }\n`,
    },
  },
}

export const FRAMEWORKS = Object.keys(KINDS) as Framework[]
export const hasAttachments = (framework: Framework): boolean => framework !== 'jest'

export interface DeliveryProject {
  framework: Framework
  /** Options of our reporter as source text; `undefined` leaves it out. */
  options: string | undefined
  /** One test of the second file fails. */
  fails?: boolean
}

/** Two files, `a.test.js` with an attachment and `b.test.js`, run by the newest version of the framework. */
export function openProject({ framework, options, fails = false }: DeliveryProject): Promise<Project> {
  const { config, head, attaches, noteEnd } = KINDS[framework]
  const reporter = options === undefined ? '' : OPTIONS[framework](options)
  const verdict = fails ? '2' : '1'
  return createProject({
    framework,
    version: newestVersion(framework),
    files: {
      ...config(reporter),
      'reading.bin': READING,
      'a.test.js': `${head}${noteEnd}\ntest('reads', ${attaches})\n`,
      'b.test.js': `${head}${noteEnd}\ntest('compares', () => { expect(1).toBe(${verdict}) })\n`,
    },
  })
}

/** So many files, each with one test that attaches; a reporter after ours notes each that has finished. */
export function openLongProject(framework: Framework, fileCount: number): Promise<Project> {
  const { config, head, attaches } = KINDS[framework]
  const { reporters, files } = NOTING[framework]
  const names = Array.from({ length: fileCount }, (_, index) => `suite-${index}.test.js`)
  return createProject({
    framework,
    version: newestVersion(framework),
    files: {
      ...config(reporters),
      ...files,
      'reading.bin': READING,
      ...Object.fromEntries(names.map((name) => [name, `${head}test('reads', ${attaches})\n`])),
    },
  })
}
