import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { deriveDefaultUnit } from './default-unit'

it('takes the package as the part, its version as the revision, and the short commit into the serial number', () => {
  expect(deriveDefaultUnit({ name: '@acme/widget', version: '2.1.0' }, '0123456789abcdef')).toEqual({
    serialNumber: 'acme-widget@0123456',
    partNumber: '@acme/widget',
    revision: '2.1.0',
  })
})

it('falls back on the host’s name and on the contract’s default revision', () => {
  expect(deriveDefaultUnit({ name: 'widget' }, undefined)).toEqual({
    serialNumber: `widget@${hostname()}`,
    partNumber: 'widget',
    revision: 'A',
  })
})
