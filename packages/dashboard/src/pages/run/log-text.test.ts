import type { PlacedAttachment } from '@runledger/presentation'
import { expect, it } from 'vitest'
import { parseAnsiLine } from './ansi'
import { stepHash } from '../../links'
import { logLineHash, parseHash } from './hash'
import { groupPictures } from './picture-groups'

it('shows a terminal’s colours in the page’s own', () => {
  expect(parseAnsiLine('a \u001b[1;31mred\u001b[39m bold\u001b[0m \u001b[2mdim')).toEqual([
    { text: 'a ', className: '' },
    { text: 'red', className: 'text-bad font-semibold' },
    { text: ' bold', className: 'font-semibold' },
    { text: ' ', className: '' },
    { text: 'dim', className: 'text-soft' },
  ])
})

it('does not take the parts of a colour for colours of their own', () => {
  expect(parseAnsiLine('\u001b[38;5;31mx\u001b[48;2;31;32;33my\u001b[32mz')).toEqual([
    { text: 'x', className: '' },
    { text: 'y', className: '' },
    { text: 'z', className: 'text-good' },
  ])
})

it('removes other terminal commands', () => {
  expect(parseAnsiLine('\u001b[2K\u001b]0;title\u0007done\u001b[1A').map(({ text }) => text)).toEqual([
    'done',
  ])
})

it('reads the addresses that it writes, and no others', () => {
  expect(parseHash(stepHash(12))).toEqual({ step: 12 })
  expect(parseHash(logLineHash('0199-ab', 7))).toEqual({ log: { attachmentId: '0199-ab', line: 7 } })
  for (const hash of ['', 'main', 'suite-log', 'step-', 'step-x', 'log-1'])
    expect(parseHash(hash)).toEqual({})
})

it('finds pictures that belong together', () => {
  const names = [
    'a-actual.png',
    'a-expected.png',
    'a-diff.png',
    'b-actual.png',
    'shot.png',
    'a-actual (2).png',
    'a-diff (2).png',
  ]
  const pictures = names.map((fileName) => ({ fileName }) as PlacedAttachment)
  const { compared, others } = groupPictures(pictures)
  expect(
    compared.map(({ name, ...group }) => [
      name,
      group.expected?.fileName,
      group.actual.fileName,
      group.diff?.fileName,
    ]),
  ).toEqual([
    ['a.png', 'a-expected.png', 'a-actual.png', 'a-diff.png'],
    ['a (2).png', undefined, 'a-actual (2).png', 'a-diff (2).png'],
  ])
  expect(others.map(({ fileName }) => fileName)).toEqual(['b-actual.png', 'shot.png'])
})
