import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { drawCases } from '../support/draw'
import { type Framework, listVersions, newestVersion } from '../support/project'
import { REPOSITORY } from '../support/repository'

const TSC = path.join(REPOSITORY, 'node_modules/typescript/bin/tsc')

/** The ways in which TypeScript finds modules, each with the module system that goes with it. */
const RESOLUTIONS = { node10: 'commonjs', node16: 'node16', nodenext: 'nodenext', bundler: 'esnext' } as const

const BODY = `
  unitUnderTest({ serialNumber: 'SN-1', partNumber: 'PSU-24' })
  const isWithin: boolean = measure('output', 3.3, { unit: 'V', low: 3.2, high: 3.4 })
  measureAll('ripple', [0.01, 0.02], { high: 0.05, soft: true })
  attach('panel', { path: 'panel.png' })
  attach('note', { body: 'text', contentType: 'text/plain' })
  variable('line', 3)
  subUnit('SN-2')
  log('warm')
  const seven: number = await step('part', () => 7)
  expect(3.3).toBeWithinLimits({ name: 'output', unit: 'V', low: 3.2, high: 3.4 })
  expect(3.3).not.toBeWithinLimits({ name: 'output', high: 3 })
  // @ts-expect-error a value is a number
  measure('output', '3.3')
  // @ts-expect-error an unknown key
  measure('output', 3.3, { lo: 3 })
  // @ts-expect-error a path or a body
  attach('panel', {})
  // @ts-expect-error a name is needed
  expect(3.3).toBeWithinLimits({ low: 3 })
  return { isWithin, seven }`
const NAMES = 'attach, log, measure, measureAll, step, subUnit, toBeWithinLimits, unitUnderTest, variable'
const writeTest = (framework: Framework, head: string): string => `
import { ${NAMES} } from '@runledger/${framework}'
${head}
expect.extend({ toBeWithinLimits })
test('output', async () => {${BODY.replace('return', 'void')}
})
`
const OPTIONS = `
const options: Options = { procedureId: ({ file }) => file, failOnUploadError: true, redact: [/x/] }
// @ts-expect-error an unknown option
const misspelt: Options = { procedureID: 'FVT1' }
// @ts-expect-error another type
const wrong: Options = { deadlineMs: 'soon' }
void [misspelt, wrong]`

interface Project {
  framework: Framework
  /** Packages of types that are in scope everywhere. */
  types: string[]
  files: Record<string, string>
}

const PROJECTS: Record<string, Project> = {
  'jest with @types/jest': {
    framework: 'jest',
    types: ['jest', 'node'],
    files: {
      'a.test.ts': writeTest('jest', ''),
      'jest.config.ts': `import type { Config } from 'jest'
import type { Options } from '@runledger/jest'
import RunledgerSequencer from '@runledger/jest/sequencer'
void RunledgerSequencer
${OPTIONS}
const config: Config = { reporters: ['default', ['@runledger/jest', options]] }
export default config\n`,
      'jest.other.config.js': `/** @type {import('@runledger/jest').Options} */
const options = { procedureId: 'FVT1' }
/** @type {import('jest').Config} */
export const config = { reporters: ['default', ['@runledger/jest', options]] }\n`,
    },
  },
  'jest with @jest/globals': {
    framework: 'jest',
    types: ['node'],
    files: { 'a.test.ts': writeTest('jest', "import { expect, test } from '@jest/globals'") },
  },
  vitest: {
    framework: 'vitest',
    types: [],
    files: {
      'a.test.ts': writeTest('vitest', "import { expect, test } from 'vitest'"),
      'vitest.config.ts': `import { defineConfig } from 'vitest/config'
import Runledger, { type Options } from '@runledger/vitest'
import { RunledgerSequencer } from '@runledger/vitest/sequencer'
${OPTIONS}
export const planned = defineConfig({ test: { sequence: { sequencer: RunledgerSequencer } } })
export const byName = defineConfig({ test: { reporters: ['default', ['@runledger/vitest', options]] } })
export default defineConfig({ test: { reporters: ['default', new Runledger(options)] } })\n`,
    },
  },
  playwright: {
    framework: 'playwright',
    types: [],
    files: {
      'a.test.ts': writeTest('playwright', "import { expect, test } from '@playwright/test'"),
      'playwright.config.ts': `import { defineConfig } from '@playwright/test'
import type { Options } from '@runledger/playwright'
${OPTIONS}
const planned: Options = { planShards: true }
export default defineConfig({ reporter: [['list'], ['@runledger/playwright', options], ['@runledger/playwright', planned]] })\n`,
    },
  },
}

interface Release {
  framework: Framework
  version: string
}

/** As an install would have it: our packages are copies, so that they find the framework's types beside themselves. */
async function installInto(dir: string, { framework, version }: Release): Promise<void> {
  const modules = path.join(dir, 'node_modules')
  const installed = path.join(REPOSITORY, '.cache/frameworks', `${framework}-${version}`, 'node_modules')
  await mkdir(path.join(modules, '@runledger'), { recursive: true })
  for (const name of await readdir(installed))
    if (name !== '@runledger') await symlink(path.join(installed, name), path.join(modules, name))
  for (const name of ['core', framework]) {
    const [from, to] = [path.join(REPOSITORY, 'packages', name), path.join(modules, '@runledger', name)]
    await mkdir(to)
    await cp(path.join(from, 'package.json'), path.join(to, 'package.json'))
    await cp(path.join(from, 'dist'), path.join(to, 'dist'), { recursive: true })
  }
}

/** What tsc says of our declarations and the project; the framework's own declarations are not ours to mend. */
async function compile(
  { framework, types, files }: Project,
  { version, resolution }: { version: string; resolution: keyof typeof RESOLUTIONS },
): Promise<string[]> {
  const dir = await realpath(await mkdtemp(path.join(os.tmpdir(), 'runledger-types-')))
  try {
    await installInto(dir, { framework, version })
    const options = {
      target: 'es2022',
      module: RESOLUTIONS[resolution],
      moduleResolution: resolution,
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: false,
      esModuleInterop: true,
      allowJs: true,
      checkJs: true,
      noEmit: true,
      types,
    }
    const type = resolution === 'node10' ? 'commonjs' : 'module'
    const all = {
      ...files,
      'package.json': JSON.stringify({ type }),
      'tsconfig.json': JSON.stringify({ compilerOptions: options, include: ['*.ts', '*.js'] }),
    }
    for (const [name, text] of Object.entries(all)) await writeFile(path.join(dir, name), text)
    const output = await new Promise<string>((resolve) =>
      execFile(process.execPath, [TSC, '-p', dir, '--pretty', 'false'], { cwd: dir }, (_, stdout) =>
        resolve(stdout),
      ),
    )
    return output.split('\n').filter((line) => /^\S/.test(line) && !/^[^(]*\.cache\//.test(line))
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

const WAYS = Object.keys(RESOLUTIONS) as (keyof typeof RESOLUTIONS)[]

describe.each(Object.entries(PROJECTS))('the types of %s', (name, project) => {
  // `npm run check` looks for the types in all four ways.
  test.each(drawCases(`ways to find the types of ${name}`, WAYS, 1))(
    'hold in a strict project without skipLibCheck, modules found as in %s',
    async (resolution) => {
      const version = newestVersion(project.framework)
      expect(await compile(project, { version, resolution })).toEqual([])
    },
  )

  // Jest 29 is installed without @types/jest.
  const oldest = listVersions(project.framework).slice(0, 1)
  test.each(project.types.includes('jest') ? [] : oldest)(
    'hold with %s, which may lack types that a later one has',
    async (version) => {
      expect(await compile(project, { version, resolution: 'nodenext' })).toEqual([])
    },
  )
})

const MOST_BYTES = 32 * 1024

test.each(['jest', 'vitest', 'playwright'])(
  'the declarations of %s and all that they load of ours are short',
  async (name) => {
    const loaded = new Map<string, number>()
    const load = async (file: string): Promise<void> => {
      const text = await readFile(file, 'utf8')
      loaded.set(file, Buffer.byteLength(text))
      for (const [, from = ''] of text.matchAll(/\b(?:from|import) '([^']+)'/g)) {
        const own = /^@runledger\/(\w+)$/.exec(from)?.[1]
        const next = own
          ? dist(own, 'index.d.ts')
          : path.resolve(path.dirname(file), from.replace(/\.js$/, '.d.ts'))
        if ((own || from.startsWith('.')) && !loaded.has(next)) await load(next)
      }
    }
    await load(dist(name, 'index.d.ts'))
    expect([...loaded.keys()].filter((file) => file.includes('protocol'))).toEqual([])
    expect([...loaded.values()].reduce((sum, bytes) => sum + bytes, 0)).toBeLessThanOrEqual(MOST_BYTES)
  },
)

function dist(name: string, file: string): string {
  return path.join(REPOSITORY, 'packages', name, 'dist', file)
}
