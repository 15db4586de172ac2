import type { Phase, RunAttachment } from '@runledger/protocol'
import { buildStepTree } from '@runledger/presentation'
import { expect, it } from 'vitest'
import { madePhase } from '../../../../../test/support/made-phase'
import { pairAttachments } from './made-attachments'

const within = (parent: number) => ({ parent, kind: 'step' as const })
const left = (attempt: number | undefined, ...fileNames: string[]) => ({
  attempt,
  attachments: fileNames.map((fileName) => ({ attachment: {} as RunAttachment, fileName })),
})

function pair(phases: Phase[], ...attempts: ReturnType<typeof left>[]) {
  const made = pairAttachments(buildStepTree(phases), new Map([[0, attempts]]))
  return [...made].map(([index, { fileName }]) => `${index} ${fileName}`)
}

it('gives each step that attached something what it attached, in their order', () => {
  const phases = [
    madePhase('t', 'FAIL', { kind: 'test' }),
    madePhase('t › Attach "panel"', 'PASS', within(0)),
    madePhase('t › reads', 'PASS', within(0)),
    madePhase('t › reads › Attach "panel"', 'PASS', within(2)),
    madePhase('t › attach "a/b \\"q\\".json" (2)', 'PASS', within(0)),
  ]
  const files = left(undefined, 'panel.png', 'trace.zip', 'a_b "q".json', 'panel (2).png')
  expect(pair(phases, files)).toEqual(['1 panel.png', '3 panel (2).png', '4 a_b "q".json'])
})

it('keeps attempts apart', () => {
  const phases = [
    madePhase('t', 'FAIL', { kind: 'test', retry_count: 1 }),
    madePhase('t › Attach "panel"', 'PASS', within(0)),
    madePhase('t › Attempt 1 of 2', 'FAIL', within(0)),
    madePhase('t › Attempt 1 of 2 › Attach "panel"', 'PASS', within(2)),
  ]
  const files = [left(1, 'panel.txt'), left(2, 'panel.png')]
  expect(pair(phases, ...files)).toEqual(['3 panel.txt', '1 panel.png'])
})

it('says nothing where a name has not as many files as steps', () => {
  const phases = [
    madePhase('t', 'FAIL', { kind: 'test' }),
    madePhase('t › Attach "panel"', 'PASS', within(0)),
  ]
  expect(pair(phases, left(undefined, 'panel.png', 'panel (2).png'))).toEqual([])
  expect(pair(phases, left(undefined, 'panels.png'))).toEqual([])
})
