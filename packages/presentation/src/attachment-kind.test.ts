import { expect, it } from 'vitest'
import { deriveKind, isWebPage } from './attachment-kind'

it.each([
  ['a.png', 'image/png', 'picture'],
  ['a.png', 'application/octet-stream', 'picture'],
  ['a.webm', null, 'video'],
  ['a.log', 'text/plain; charset=utf-8', 'text'],
  ['a.json', 'application/json', 'text'],
  ['a', 'application/problem+json', 'text'],
  ['trace.zip', 'application/zip', 'other'],
  ['README', null, 'other'],
  ['a.pdf', 'application/pdf', 'other'],
] as const)('takes %s of type %s for %s', (name, contentType, kind) => {
  expect(deriveKind({ name, content_type: contentType })).toBe(kind)
})

it.each([
  ['a.svg', 'image/svg+xml'],
  ['a.svg', null],
  ['a.html', 'text/html; charset=utf-8'],
  ['a.png', 'TEXT/HTML'],
  ['a.xhtml', 'application/xhtml+xml'],
] as const)('only ever offers active content for download: %s of type %s', (name, contentType) => {
  expect(deriveKind({ name, content_type: contentType })).toBe('other')
})

it.each([
  ['report.html', 'text/html; charset=utf-8', true],
  ['report', 'TEXT/HTML', true],
  ['report.htm', null, true],
  ['flame.svg', 'application/octet-stream', true],
  ['report.html', 'text/plain', false],
  ['feed.xml', 'text/xml', false],
])('tells whether %s of type %s is a page: %s', (name, contentType, isPage) => {
  expect(isWebPage({ name, content_type: contentType })).toBe(isPage)
})
