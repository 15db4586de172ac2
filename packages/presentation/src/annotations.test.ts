import { expect, it } from 'vitest'
import { listAnnotations, listOtherTags } from './annotations'
import { webLink } from './web-link'

it('shows an annotation once: its type is not repeated as a tag, and the owner is shown as such', () => {
  const phase = {
    owner: '@cart',
    tags: ['@smoke', 'issue', 'owner', 'slow'],
    annotations: [
      { type: 'issue', description: 'https://bugs.example/7' },
      { type: 'owner', description: '@cart' },
    ],
  }
  expect(listAnnotations(phase)).toEqual([{ type: 'issue', description: 'https://bugs.example/7' }])
  expect(listOtherTags(phase)).toEqual(['@smoke', 'slow'])
  expect(listAnnotations({ ...phase, owner: '@other' })).toHaveLength(2)
  expect([listAnnotations({}), listOtherTags({})]).toEqual([[], []])
})

it('makes links of http and https only', () => {
  expect(webLink('https://ci.example/7')).toBe('https://ci.example/7')
  for (const text of [
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'data:text/html,x',
    'ci.example/7',
    'see https://ci.example',
    'https://',
    'http:ci',
    '',
  ])
    expect([text, webLink(text)]).toEqual([text, undefined])
})
