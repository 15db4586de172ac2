import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FRAMEWORKS, type Framework } from '../find-frameworks'
import { addReporter, type Change } from './add-reporter'

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'runledger-config-'))
  await writeFile(
    path.join(folder, 'vite.config.ts'),
    "import x from './plugins'\nexport default { plugins: [x] }\n",
  )
  await writeFile(path.join(folder, 'plugins.js'), 'export default {}\n')
  await writeFile(path.join(folder, 'loud.ts'), "export default { test: { reporters: ['dot'] } }\n")
  await writeFile(path.join(folder, 'base.js'), "module.exports = { ...require('./louder') }\n")
  await writeFile(path.join(folder, 'louder.js'), "module.exports = { reporters: ['dot'] }\n")
})

afterAll(() => rm(folder, { recursive: true, force: true }))

function add(name: Framework['name'], text: string, { file = 'x.config.ts', procedureId = '' } = {}): Change {
  const framework = FRAMEWORKS.find((each) => each.name === name) as Framework
  return addReporter({ file: path.join(folder, file), text }, framework, {
    procedureId: procedureId || undefined,
  })
}

/** `«` and `»` mark what is added; `‹…›` what goes. */
function expectChange(
  name: Framework['name'],
  marked: string,
  options?: { file?: string; procedureId?: string },
): void {
  const before = marked.replaceAll(/«[^»]*»/g, '').replaceAll(/[‹›]/g, '')
  const after = marked.replaceAll(/‹[^›]*›/g, '').replaceAll(/[«»]/g, '')
  const change = add(name, before, options)
  expect(change).toEqual({ status: 'changed', text: after })
  expect(add(name, after, options)).toEqual({ status: 'present' })
}

const JEST: [what: string, marked: string, file?: string][] = [
  ['CommonJS', "module.exports = { testEnvironment: 'node'«, reporters: ['default', '@runledger/jest']» }\n"],
  ['an empty object', "module.exports = {« reporters: ['default', '@runledger/jest'] »}\n"],
  [
    'double quotation marks',
    'module.exports = { verbose: "x"«, reporters: ["default", "@runledger/jest"]» }',
  ],
  [
    'a module with a type, comments and a comma at the end',
    `import type { Config } from 'jest'

const config: Config = {
  // what runs
  testMatch: ['**/*.test.ts'], // only these
«  reporters: ['default', '@runledger/jest'],
»  // verbose: true,
}

export default config
`,
  ],
  [
    'no comma at the end, a comment behind the last property, and Windows line breaks',
    "module.exports = {\r\n\tverbose: true«,» /* loud */«\r\n\treporters: ['default', '@runledger/jest']»\r\n}\r\n",
  ],
  ['a list', "module.exports = { reporters: ['default', ['jest-junit', { a: [1] }]«, '@runledger/jest'»] }"],
  ['a list without the default', "module.exports = { reporters: ['summary'«, '@runledger/jest'»] }"],
  ['an empty list', "module.exports = { reporters: [«'@runledger/jest'»] }"],
  [
    'a list on several lines with comments',
    `export default {
  reporters: [
    'default', // the usual, with commas
    ['jest-junit', { outputDirectory: 'out' }]«,» // for the CI
«    '@runledger/jest'
»    // 'github-actions',
  ],
} satisfies Config
`,
  ],
  [
    'an async function',
    "export default async () => { const x = await y(); return { verbose: true«, reporters: ['default', '@runledger/jest']» } }",
  ],
  [
    'a named function',
    "export default function config() {\n  return {\n    verbose: true,\n«    reporters: ['default', '@runledger/jest'],\n»  }\n}\n",
  ],
  [
    'Next.js',
    "const createJestConfig = nextJest({ dir: './' })\nconst config = { verbose: true«, reporters: ['default', '@runledger/jest']» }\nmodule.exports = createJestConfig(config)\n",
  ],
  [
    'a list by its name',
    "const list = ['default']\nif (process.env.CI) list.push('github-actions')\nmodule.exports = { reporters: «[...»list«, '@runledger/jest']» }",
  ],
  [
    'a list of the same name',
    "const reporters = ['default']\nmodule.exports = { ‹reporters›«reporters: [...reporters, '@runledger/jest']» }",
  ],
  [
    'a filtered list',
    "module.exports = { reporters: «[...»['default', process.env.CI && 'jest-junit'].filter(Boolean)«, '@runledger/jest']» }",
  ],
  [
    'one list or another',
    "module.exports = { reporters: process.env.CI ? ['default', 'jest-junit'«, '@runledger/jest'»] : (['default'«, '@runledger/jest'»]) }",
  ],
  [
    'a spread of an object beside it',
    "const base = { verbose: true }\nmodule.exports = { ...base, ...(process.env.CI && { ci: true })«, reporters: ['default', '@runledger/jest']» }",
  ],
  ['JSON', '{\n\t"verbose": true«,\n\t"reporters": ["default", "@runledger/jest"]»\n}\n', 'jest.config.json'],
  [
    'package.json',
    '{\n  "jest": {\n    "preset": "ts-jest"«,\n    "reporters": ["default", "@runledger/jest"]»\n  },\n  "name": "x"\n}\n',
    'package.json',
  ],
  [
    'package.json that names the package',
    '{ "jest": { "verbose": true«, "reporters": ["default", "@runledger/jest"]» }, "devDependencies": { "@runledger/jest": "1" } }',
    'package.json',
  ],
  [
    'an empty object in package.json',
    '{ "jest": {« "reporters": ["default", "@runledger/jest"] »} }',
    'package.json',
  ],
]

const VITEST: [what: string, marked: string, file?: string][] = [
  [
    'no test',
    "import { defineConfig } from 'vitest/config'\nexport default defineConfig({« test: { reporters: ['default', '@runledger/vitest'] } »})\n",
  ],
  [
    'a config of Vite',
    "«/// <reference types=\"vitest/config\" />\n»import { defineConfig } from 'vite'\nexport default defineConfig({ plugins: []«, test: { reporters: ['default', '@runledger/vitest'] }» })\n",
  ],
  [
    'test',
    "export default defineConfig({\n  test: {\n    globals: true,\n«    reporters: ['default', '@runledger/vitest'],\n»  },\n})\n",
  ],
  ['a text', "export default { test: { reporters: «[»'verbose'«, '@runledger/vitest']» } }"],
  [
    'a text or a list',
    "export default { test: { reporters: process.env.CI ? «[»'dot'«, '@runledger/vitest']» : ['default'«, '@runledger/vitest'»] } }",
  ],
  [
    'a function',
    "export default defineConfig(({ mode }) => ({ test: { env: {}«, reporters: ['default', '@runledger/vitest']» } }))",
  ],
  [
    'two that a function may return',
    "export default defineConfig(({ mode }) => {\n  if (mode === 'ci') return { test: { reporters: ['dot'«, '@runledger/vitest'»] } }\n  return { test: { globals: true«, reporters: ['default', '@runledger/vitest']» } }\n})",
  ],
  [
    'a merged config that says nothing of reporters',
    "import viteConfig from './vite.config'\nexport default mergeConfig(viteConfig, defineConfig({ test: { globals: true«, reporters: ['default', '@runledger/vitest']» } }))",
  ],
  [
    'a merged config whose own list is written out',
    "import loud from './loud'\nexport default mergeConfig(loud, defineConfig({ test: { reporters: ['junit'«, '@runledger/vitest'»] } }))",
  ],
  ['a list of objects', "export default { test: { reporters: [new Mine()«, '@runledger/vitest'»] } }"],
]

const PLAYWRIGHT: [what: string, marked: string, file?: string][] = [
  [
    'no reporter',
    "import { defineConfig, devices } from '@playwright/test'\nexport default defineConfig({\n  projects: [{ use: { ...devices['Desktop Chrome'] } }],\n«  reporter: [['list'], ['@runledger/playwright']],\n»})\n",
  ],
  ['a text', "export default defineConfig({ reporter: «[[»'html'«], ['@runledger/playwright']]» })"],
  [
    'one text or another',
    "export default { reporter: «[[»process.env.CI ? 'github' : 'list'«], ['@runledger/playwright']]» }",
  ],
  [
    'a text in the CI alone',
    "export default { reporter: process.env.CI ? «[[»'blob'«], ['@runledger/playwright']]» : ‹undefined›«[['list'], ['@runledger/playwright']]» }",
  ],
  [
    'a list',
    "module.exports = { reporter: [['html', { open: 'never' }], ['line']«, ['@runledger/playwright']»] }",
  ],
  [
    'a name',
    "const reporter = process.env.CI ? 'dot' : 'line'\nexport default { ‹reporter›«reporter: [[reporter], ['@runledger/playwright']]» }",
  ],
  [
    'a base that says nothing of reporters',
    "import base from './vite.config'\nexport default { ...base«, reporter: [['list'], ['@runledger/playwright']]» }",
  ],
]

const OURS = '--test-reporter=@runledger/node-test --test-reporter-destination=stdout'
const SPEC = '--test-reporter=spec --test-reporter-destination=stdout'
const STDOUT = '--test-reporter-destination=stdout'
const NODE: [what: string, script: string][] = [
  ['nothing else', `node --test« ${SPEC} ${OURS}»`],
  ['patterns', `node --test« ${SPEC} ${OURS}» "test/**/*.js" --mine`],
  ['options before and behind', `node --import tsx --test« ${SPEC} ${OURS}» --test-timeout 900 test`],
  ['a command behind others', `npm run build && c8 node --test« ${SPEC} ${OURS}» || echo`],
  ['several calls', `node --test« ${SPEC} ${OURS}» a && node --test« ${SPEC} ${OURS}» b`],
  ['a reporter of their own', `node --test --test-reporter=dot« ${STDOUT} ${OURS}» test`],
  ['one in a word of its own', `node --test-reporter tap --test« ${STDOUT} ${OURS}» test`],
  [
    'several, with places',
    `node --test-reporter=dot --test --test-reporter='lcov' ${STDOUT} --test-reporter-destination=x.info« ${OURS}» test`,
  ],
]

describe("a script that runs Node's test runner", () => {
  const write = (script: string) =>
    `{\n  "name": "a", "scripts": {\n    "say": "node --test.js \\u00e9", "test": ${script} } }\n`
  it.each(NODE)('%s', (_what, script) =>
    expectChange('node:test', write(JSON.stringify(script)), { file: 'package.json' }),
  )

  it('every escape stays as it is written', () => {
    const script = String.raw`"\u006eode --te\u0073t« ${SPEC} ${OURS}» \"a\/b\""`.replaceAll('\\\\', '\\')
    expectChange('node:test', write(script), { file: 'package.json' })
  })

  it.each([
    'node --test --watch',
    'node --watch --test a.js',
    'node run.js --test',
    'node -- --test',
    'deno --test',
    'node --test-only',
    'node a.js && tap --test',
  ])('%s is not recorded', (script) => {
    expect(add('node:test', write(JSON.stringify(script)), { file: 'package.json' })).toEqual({
      status: 'present',
    })
  })
})

describe('a line of the README is added, every other byte stays, and the second time nothing changes', () => {
  it.each(JEST)('Jest: %s', (_what, marked, file = 'jest.config.ts') =>
    expectChange('Jest', marked, { file }),
  )
  it.each(VITEST)('Vitest: %s', (_what, marked) => expectChange('Vitest', marked))
  it.each(PLAYWRIGHT)('Playwright: %s', (_what, marked) => expectChange('Playwright', marked))

  it("with Vitest's own reporter for GitHub, where the config names no reporters", () => {
    const vitest = FRAMEWORKS.find(({ name }) => name === 'Vitest') as Framework
    const write = (text: string) => addReporter({ file: 'x.config.ts', text }, vitest, { isOnGithub: true })
    expect(write('export default { test: { name: "a" } }')).toEqual({
      status: 'changed',
      text: 'export default { test: { name: "a", reporters: ["default", ...(process.env.GITHUB_ACTIONS ? ["github-actions"] : []), "@runledger/vitest"] } }',
    })
    expect(write("export default { test: { reporters: ['dot'] } }")).toMatchObject({
      text: "export default { test: { reporters: ['dot', '@runledger/vitest'] } }",
    })
  })

  it('with the procedure as an option', () => {
    const options = { procedureId: "FVT'1" }
    expectChange(
      'Jest',
      String.raw`module.exports = { reporters: ['default'«, ['@runledger/jest', { procedureId: 'FVT\'1' }]»] }`,
      options,
    )
    expectChange(
      'Playwright',
      `export default { reporter: [["line"]«, ["@runledger/playwright", { procedureId: "FVT'1" }]»] }`,
      options,
    )
    expectChange('Jest', `{ "reporters": ["default"«, ["@runledger/jest", { "procedureId": "FVT'1" }]»] }`, {
      ...options,
      file: 'jest.config.json',
    })
  })
})

describe('a config whose value is only known when it runs is not changed', () => {
  it.each<[name: Framework['name'], text: string, reason: RegExp, file?: string]>([
    ['Jest', 'module.exports = makeConfig({})', /makes its config by code/],
    ['Jest', 'export const config = {}', /has no export/],
    [
      'Jest',
      'module.exports = { ...preset }\nconst preset = makePreset()',
      /takes over `preset`, which may set `reporters`/,
    ],
    ['Jest', "const base = require('./base')\nmodule.exports = { ...base }", /takes over `base`/],
    ['Jest', "module.exports = { reporters: ['default'], ...require('x') }", /takes over `require\('x'\)`/],
    ['Jest', "module.exports = { reporters: 'default' }", /sets `reporters` by code/],
    ['Jest', 'module.exports = { reporters: list() }', /sets `reporters` by code/],
    [
      'Jest',
      "let list = ['default']\nlist = other()\nmodule.exports = { reporters: list }",
      /sets `reporters` by code/,
    ],
    ['Jest', "const c = {}\nc.reporters = ['dot']\nmodule.exports = c", /sets `reporters` by code/],
    ['Jest', 'module.exports = { get reporters() { return [] } }', /sets `reporters` by code/],
    ['Jest', 'module.exports = {', /cannot be read: .*\(1:18\)/],
    ['Jest', '{ "jest": "./jest.json" }', /names its Jest config by `jest`/, 'package.json'],
    [
      'Vitest',
      "import loud from './loud'\nexport default mergeConfig(loud, { test: { globals: true } })",
      /takes over `loud`/,
    ],
    ['Vitest', 'export default { test: makeTest() }', /sets `test` by code/],
    ['Vitest', 'export default { ...shared }', /takes over `shared`/],
    ['Playwright', "export default { reporter: process.env.PW || 'html' }", /sets `reporter` by code/],
    ['Playwright', 'export default defineConfig(base, { workers: 1 })', /takes over `base`/],
  ])('%s: %s', (name, text, reason, file = 'x.config.ts') => {
    expect(add(name, text, { file })).toEqual({
      status: 'unreadable',
      reason: expect.stringMatching(reason) as unknown,
    })
  })
})

it.each<[name: Framework['name'], text: string]>([
  ['Jest', "const ours = require.resolve('@runledger/jest')\nmodule.exports = { reporters: [ours] }"],
  [
    'Vitest',
    "import Runledger from '@runledger/vitest'\nexport default { test: { reporters: [new Runledger()] } }",
  ],
  ['Playwright', "export default { reporter: [['@runledger/playwright', { procedureId: 'X' }]] }"],
])('a reporter that %s has already is found: %s', (name, text) => {
  expect(add(name, text)).toEqual({ status: 'present' })
})

it('a comment or an import of types does not count as a reporter', () => {
  expectChange(
    'Jest',
    "import type { Options } from '@runledger/jest'\n// '@runledger/jest'\nexport default { reporters: ['default'«, '@runledger/jest'»] }",
  )
})
