import { execFileSync } from 'node:child_process'
import { readdir, readFile } from 'node:fs/promises'
import { createRequire, SourceMap, type SourceMapPayload } from 'node:module'
import path from 'node:path'
import { describe, expect, it } from 'vitest'

const PACKAGES = path.resolve(import.meta.dirname, '../../packages')
const require = createRequire(import.meta.url)

describe.each(['index', 'link', 'test-side', 'tools'])('the builds of %s of core', (entry) => {
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

it.each(['link', 'test-side'])('%s is loaded without the rest of core', (entry) => {
  const code = `require(process.argv[1]); console.log(Object.keys(require.cache).join())`
  const loaded = execFileSync(process.execPath, [
    '-e',
    code,
    path.join(PACKAGES, 'core/dist', `${entry}.cjs`),
  ])
  expect(loaded.toString()).toContain(`${entry}.cjs`)
  expect(loaded.toString()).not.toMatch(/core\.cjs|index\.cjs/)
})

it.each(['core', 'jest', 'vitest', 'playwright'])(
  'the source maps of %s lead to what throws',
  async (name) => {
    const dist = path.join(PACKAGES, name, 'dist')
    const names = await readdir(dist)
    const files = names.filter((file) => /\.c?js$/.test(file) && names.includes(`${file}.map`))
    const found = await Promise.all(files.map((file) => findThrows(path.join(dist, file))))
    expect(found.flat().length).toBeGreaterThan(10)
    for (const { error, source } of found.flat()) expect(source).toContain(error)
  },
)

it.each(['core', 'jest', 'vitest', 'playwright'])('every CJS file of %s is strict code', async (name) => {
  const dist = path.join(PACKAGES, name, 'dist')
  const files = (await readdir(dist)).filter((file) => file.endsWith('.cjs'))
  const codes = await Promise.all(files.map((file) => readFile(path.join(dist, file), 'utf8')))
  expect(files.length).toBeGreaterThan(1)
  expect(files.filter((_, index) => !/^["']use strict["'];/.test(codes[index] as string))).toEqual([])
})

it('no file of core requires one that requires it, since what it requires is read once', async () => {
  const dist = path.join(PACKAGES, 'core/dist')
  const files = (await readdir(dist)).filter((file) => file.endsWith('.cjs'))
  const requires = new Map<string, string[]>()
  for (const file of files) {
    const code = await readFile(path.join(dist, file), 'utf8')
    const atOnce = code.replaceAll(/namespaceOf\(require\([^)]*\)/g, '')
    requires.set(
      file,
      [...atOnce.matchAll(/require\("\.\/([^"]+)"\)/g)].map(([, name]) => name as string),
    )
  }
  const isReached = (from: string, to: string): boolean =>
    (requires.get(from) ?? []).some((name) => name === to || isReached(name, to))
  expect(files.length).toBeGreaterThan(5)
  expect(files.filter((file) => isReached(file, file))).toEqual([])
  expect([...requires.values()].flat().length).toBeGreaterThan(files.length)
})

/** Every `new SomeError` that is thrown, and the line that its place is said to come from. */
async function findThrows(file: string): Promise<{ error: string; source: string }[]> {
  const payload = JSON.parse(await readFile(`${file}.map`, 'utf8')) as SourceMapPayload
  const map = new SourceMap(payload)
  const lines = (await readFile(file, 'utf8')).split('\n')
  return lines.flatMap((line, row) =>
    [...line.matchAll(/throw (new (\w+)\()/g)].map((match) => {
      const place = map.findEntry(row, match.index + 'throw '.length)
      if (!('originalSource' in place)) return { error: match[0], source: `nothing at ${row}:${match.index}` }
      const source = payload.sourcesContent[payload.sources.indexOf(place.originalSource)] ?? ''
      return { error: match[2] as string, source: source.split('\n')[place.originalLine] ?? '' }
    }),
  )
}
