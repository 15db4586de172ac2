import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it, test } from 'vitest'
import { deriveDefaultUnit, PackageFinder } from './package'

const root = mkdtempSync(path.join(os.tmpdir(), 'runledger-packages-'))
const write = (file: string, content: string) => {
  mkdirSync(path.dirname(path.join(root, file)), { recursive: true })
  writeFileSync(path.join(root, file), content)
}
write('package.json', '{ "name": "@acme/fleet" }')
write('packages/one/package.json', '{ "name": "@acme/one", "version": "1.0.0" }')
write('packages/one/tests/package.json', '{ "type": "module" }')
write('packages/two/package.json', '{ "name": "@acme/two" }')

afterAll(() => rmSync(root, { recursive: true }))

const finder = new PackageFinder(root)
const ONE = { name: '@acme/one', version: '1.0.0' }

test.each([
  ['a file is of the nearest package that has a name', ['packages/one/tests/a.test.js'], ONE],
  ['files of one package are of it', ['packages/one/a.test.js', 'packages/one/tests/b.test.js'], ONE],
  [
    'files of several packages are of the root',
    ['packages/one/a.js', 'packages/two/a.js'],
    { name: '@acme/fleet' },
  ],
  ['a file outside every package below is of the root', ['tests/a.test.js'], { name: '@acme/fleet' }],
  ['no file at all is of the root', [], { name: '@acme/fleet' }],
])('%s', (_name, files, wanted) => {
  expect(finder.findOf(files)).toEqual(wanted)
})

test('a root without a package is named after its folder', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'runledger-bare-'))
  expect(new PackageFinder(folder).findOf(['a.test.js'])).toEqual({
    name: path.basename(folder),
    isUnnamed: true,
  })
  rmSync(folder, { recursive: true })
})

test('the default unit takes the package as the part, its version as the revision, and the short commit into the serial number', () => {
  expect(deriveDefaultUnit({ name: '@acme/widget', version: '2.1.0' }, '0123456789abcdef')).toEqual({
    serialNumber: 'acme-widget@0123456',
    partNumber: '@acme/widget',
    revision: '2.1.0',
  })
})

test('the default unit falls back on the host’s name and on the contract’s default revision', () => {
  expect(deriveDefaultUnit({ name: 'widget' }, undefined)).toEqual({
    serialNumber: `widget@${os.hostname()}`,
    partNumber: 'widget',
    revision: 'A',
  })
})

describe('the default unit of a package with a long name', () => {
  const name = `@acme/${'very-'.repeat(20)}long-`
  const unitOf = (last: string, commit = '0123456789abcdef') =>
    deriveDefaultUnit({ name: name + last, version: `1.0.0-${'next.'.repeat(20)}1` }, commit)

  it('is cut to what a service takes, and ends in a hash', () => {
    const { serialNumber, partNumber, revision } = unitOf('one')
    expect(serialNumber).toMatch(/^acme-very-.*~[0-9a-f]{8}$/)
    expect(partNumber).toMatch(/^@acme\/very-.*~[0-9a-f]{8}$/)
    expect(revision).toMatch(/^1\.0\.0-next\..*~[0-9a-f]{8}$/)
    expect([serialNumber, partNumber, revision].map((text) => text?.length)).toEqual([60, 60, 60])
  })

  it('is another for another package and for another commit, and always the same for the same', () => {
    expect(unitOf('two').partNumber).not.toBe(unitOf('one').partNumber)
    expect(unitOf('one', 'fedcba9876543210').serialNumber).not.toBe(unitOf('one').serialNumber)
    expect(unitOf('one')).toEqual(unitOf('one'))
  })

  it('stays whole as long as it fits', () => {
    const fitting = 'n'.repeat(52)
    const { serialNumber, partNumber } = deriveDefaultUnit({ name: fitting }, '0123456789abcdef')
    expect([serialNumber, partNumber]).toEqual([`${fitting}@0123456`, fitting])
  })
})
