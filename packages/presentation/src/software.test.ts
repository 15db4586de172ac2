import { expect, it } from 'vitest'
import { isOfSoftware, namePackage } from './software'

const software = (serialNumber: string, partNumber: string, metadata: Record<string, string>) => ({
  unit: {
    id: 'u',
    serial_number: serialNumber,
    part: { number: partNumber, name: partNumber, revision: { number: 'A' } },
  },
  metadata,
})

it.each([
  ['a package at a commit', 'acme-lamp@0f0f0f0', '@acme/lamp', { framework: 'jest' }, true],
  ['a folder on a host', 'lamp@build-7', 'lamp', { framework: 'vitest' }, true],
  ['a unit that the user names', 'SN-0042', 'LAMP', { framework: 'vitest' }, false],
  ['a unit of another client', 'lamp@0f0f0f0', 'lamp', {}, false],
])('distinguishes %s from the rest', (_, serialNumber, partNumber, metadata, expected) => {
  expect(isOfSoftware(software(serialNumber, partNumber, metadata) as never)).toBe(expected)
})

it('names the package with its version where it has one', () => {
  const run = software('lamp@0f0f0f0', 'lamp', { framework: 'jest', package_version: '1.2.0' })
  expect(namePackage(run as never)).toBe('lamp 1.2.0')
  expect(namePackage(software('lamp@0f0f0f0', 'lamp', {}) as never)).toBe('lamp')
})
