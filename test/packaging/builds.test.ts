import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const PACKAGES = path.resolve(import.meta.dirname, '../../packages')
const require = createRequire(import.meta.url)

describe.each(['index', 'light', 'tools'])('the builds of %s of core', (entry) => {
  const file = path.join(PACKAGES, 'core/dist', entry)

  it('have the same exports, under the names that they have in the code', async () => {
    const builds = [require(`${file}.cjs`) as object, (await import(`${file}.js`)) as object]
    const names = builds.map((build) => Object.keys(build).sort())
    expect(names[0]).toEqual(names[1])
    for (const build of builds)
      for (const [name, value] of Object.entries(build))
        if (typeof value === 'function') expect(value.name).toBe(name)
  })
})

it('light is loaded without the rest of core', () => {
  const code = `require(process.argv[1]); console.log(Object.keys(require.cache).join())`
  const loaded = execFileSync(process.execPath, ['-e', code, path.join(PACKAGES, 'core/dist/light.cjs')])
  expect(loaded.toString()).toContain('light.cjs')
  expect(loaded.toString()).not.toMatch(/core\.cjs|index\.cjs/)
})

it.each(['jest', 'vitest', 'playwright', 'node-test'])(
  'the build of %s has the kit in it, in code and types',
  async (name) => {
    const dist = path.join(PACKAGES, name, 'dist')
    const files = await readdir(dist)
    const texts = await Promise.all(files.map((file) => readFile(path.join(dist, file), 'utf8')))
    expect(files).toContain('index.d.cts')
    expect(files.filter((_, index) => texts[index]?.includes('reporter-kit'))).toEqual([])
  },
)

it.each(['jest', 'vitest', 'playwright'])(
  'the build of %s has an entry for test files that imports nothing',
  async (name) => {
    const code = await readFile(path.join(PACKAGES, name, 'dist/index.js'), 'utf8')
    const imported = [...code.matchAll(/\b(?:from|import)\s*["']([^"']+)["']/g)].map(([, from]) => from)
    expect(imported).toEqual(name === 'playwright' ? ['url'] : [])
  },
)

it.each(['core', 'jest', 'vitest', 'playwright'])(
  'the build of %s has no source maps, which Jest would read in every execution',
  async (name) => {
    const dist = path.join(PACKAGES, name, 'dist')
    const files = await readdir(dist)
    const texts = await Promise.all(files.map((file) => readFile(path.join(dist, file), 'utf8')))
    expect(files.filter((file) => file.endsWith('.map'))).toEqual([])
    expect(files.filter((_, index) => texts[index]?.includes('sourceMappingURL'))).toEqual([])
  },
)

it.each(['core', 'jest', 'vitest', 'playwright'])('every CJS file of %s is strict code', async (name) => {
  const dist = path.join(PACKAGES, name, 'dist')
  const files = (await readdir(dist)).filter((file) => file.endsWith('.cjs'))
  const codes = await Promise.all(files.map((file) => readFile(path.join(dist, file), 'utf8')))
  expect(files.length).toBeGreaterThan(1)
  expect(files.filter((_, index) => !/^["']use strict["'];/.test(codes[index] as string))).toEqual([])
})

it('pages of the dashboard load no schemas', async () => {
  const assets = path.join(PACKAGES, 'dashboard/dist/assets')
  const files = (await readdir(assets)).filter((file) => file.endsWith('.js'))
  const codes = await Promise.all(files.map((file) => readFile(path.join(assets, file), 'utf8')))
  expect(codes.join('')).toContain('/v2/runs')
  // Schemas take as long to load as everything else.
  expect(files.filter((_, index) => codes[index]?.includes('ZodError'))).toEqual([])
})

describe.each(['.js', '.cjs'])('the %s files of core', (extension) => {
  it('hold only the operations that core uses, and no HTTP client of their own', async () => {
    const dist = path.join(PACKAGES, 'core/dist')
    const files = (await readdir(dist)).filter((file) => path.extname(file) === extension)
    const code = (await Promise.all(files.map((file) => readFile(path.join(dist, file), 'utf8')))).join('\n')
    expect(code).toContain('/v1/runs/batch')
    // Loading the whole contract takes as long as recording a small execution.
    expect(code.match(/WebAssembly|Create a part with its first revision/g)).toBeNull()
    // Nor is anything asked for by a `require` that ESM does not have.
    expect(code.match(/\b__require\(/g)).toBeNull()
  })
})
