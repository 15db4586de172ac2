import { expect, it } from 'vitest'
import { createFolder, runScript } from './folder'

const MANIFEST = { name: 'project', version: '1.0.0' }

it('has no complaint about a lockfile that has every dependency', async () => {
  const { exitCode, output } = await checkLockfile({
    packages: { '': { ...MANIFEST, dependencies: { tool: '1.0.0' } }, ...TOOL, ...BINARY },
    dependencies: { tool: '1.0.0' },
  })
  expect(output).toContain('3 packages, 0 complaints')
  expect(exitCode).toBe(0)
})

it('complains about an optional package of another platform that has no entry', async () => {
  const { exitCode, output } = await checkLockfile({
    packages: { '': { ...MANIFEST, dependencies: { tool: '1.0.0' } }, ...TOOL },
    dependencies: { tool: '1.0.0' },
  })
  expect(output).toContain('node_modules/tool 1.0.0 has dependencies without an entry: tool-of-win32')
  expect(exitCode).toBe(1)
})

it('complains about a lockfile that does not go with package.json', async () => {
  const { exitCode, output } = await checkLockfile({
    packages: { '': { ...MANIFEST, dependencies: { tool: '1.0.0' } }, ...TOOL, ...BINARY },
    dependencies: { tool: '^2.0.0' },
  })
  expect(output).toContain('npm ci refuses it')
  expect(exitCode).toBe(1)
})

it('says that a package of package.json is not in the lockfile', async () => {
  const { exitCode, output } = await checkLockfile({
    packages: { '': MANIFEST },
    dependencies: { 'a-tool-that-no-cache-has': '1.0.0' },
  })
  expect(output).toContain('package.json asks for a package that the lockfile lacks')
  expect(exitCode).toBe(1)
})

it.each([
  ['there is none', {}, 'there is no package-lock.json in this folder\n'],
  [
    'it is one of npm 6',
    { 'package-lock.json': JSON.stringify({ ...MANIFEST, lockfileVersion: 1, dependencies: {} }) },
    'package-lock.json is of version 1: npm 7 or later writes 3\n',
  ],
])('says in one line when it cannot check a lockfile: %s', async (_case, files, line) => {
  const folder = await createFolder({ 'package.json': JSON.stringify(MANIFEST), ...files })
  expect(await runScript(folder, 'check-lockfile.mjs')).toEqual({ exitCode: 1, output: line })
})

it('complains about a package that excludes the oldest Node that we support', async () => {
  const tool = { ...TOOL['node_modules/tool'], engines: { node: '>=22' } }
  const { exitCode, output } = await checkLockfile({
    packages: { '': { ...MANIFEST, dependencies: { tool: '1.0.0' } }, 'node_modules/tool': tool, ...BINARY },
    dependencies: { tool: '1.0.0' },
  })
  expect(output).toContain('node_modules/tool 1.0.0 excludes Node 20.19.0: it wants >=22')
  expect(exitCode).toBe(1)
})

const TOOL = {
  'node_modules/tool': { version: '1.0.0', optionalDependencies: { 'tool-of-win32': '1.0.0' } },
}

const BINARY = {
  'node_modules/tool-of-win32': { version: '1.0.0', optional: true, os: ['win32'] },
}

async function checkLockfile({ packages, dependencies }: { packages: object; dependencies: object }) {
  const lockfile = { ...MANIFEST, lockfileVersion: 3, requires: true, packages }
  const folder = await createFolder({
    'package.json': JSON.stringify({ ...MANIFEST, dependencies }),
    'package-lock.json': JSON.stringify(lockfile),
  })
  return runScript(folder, 'check-lockfile.mjs')
}
