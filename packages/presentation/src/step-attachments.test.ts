import { expect, it } from 'vitest'
import { formatAttachmentName, type RunAttachment } from '@runledger/protocol'
import { groupAttachments, listMissing } from './step-attachments'

let lastId = 0
function attachment(name: string): RunAttachment {
  lastId += 1
  return { id: `a${lastId}`, name, size: 1, content_type: 'image/png', is_report: false, download_url: '/x' }
}

function namesIn(stepNames: string[], attachments: RunAttachment[]) {
  const { bySteps, others } = groupAttachments(stepNames, attachments)
  const steps = [...bySteps].map(([index, attempts]) => [
    stepNames[index],
    attempts.map(({ attempt, attachments: placed }) => [attempt, placed.map(({ fileName }) => fileName)]),
  ])
  return { steps: Object.fromEntries(steps) as unknown, others: others.map(({ name }) => name) }
}

it('puts attachments into their steps, each attempt apart and in order', () => {
  const attachments = [
    'door › opens/attempt-2/b.png',
    'door › opens/attempt-1/a.png',
    'door › closes/c.png',
    'door › opens/attempt-2/log.txt',
  ]
  expect(namesIn(['door › opens', 'door › closes'], attachments.map(attachment))).toEqual({
    steps: {
      'door › opens': [
        [1, ['a.png']],
        [2, ['b.png', 'log.txt']],
      ],
      'door › closes': [[undefined, ['c.png']]],
    },
    others: [],
  })
})

it('leaves what names no step to the run as a whole', () => {
  expect(namesIn(['opens'], ['door.test.ts.log', 'elsewhere/a.png', 'open/a.png'].map(attachment))).toEqual({
    steps: {},
    others: ['door.test.ts.log', 'elsewhere/a.png', 'open/a.png'],
  })
})

it('keeps apart step names with slashes, and one that begins like another', () => {
  const attachments = ['GET /runs/1/a.png', 'GET /b.png', 'GET /runs/1/attempt-3/c.png'].map(attachment)
  expect(namesIn(['GET ', 'GET /runs/1'], attachments)).toEqual({
    steps: {
      'GET /runs/1': [
        [undefined, ['a.png']],
        [3, ['c.png']],
      ],
      'GET ': [[undefined, ['b.png']]],
    },
    others: [],
  })
})

it('prefers the step whose name itself ends like an attempt', () => {
  expect(namesIn(['x', 'x/attempt-2'], [attachment('x/attempt-2/a.png')])).toEqual({
    steps: { 'x/attempt-2': [[undefined, ['a.png']]] },
    others: [],
  })
})

it('finds steps whose names were too long to be spelt out', () => {
  const long = ['a', 'b'].map((end) => `${'very long title '.repeat(20)}${end}`)
  const attachments = long.map((stepName) =>
    attachment(formatAttachmentName({ stepName, attempt: 1, fileName: `${stepName.at(-1)}.png` })),
  )
  expect(namesIn(long, attachments)).toEqual({
    steps: { [String(long[0])]: [[1, ['a.png']]], [String(long[1])]: [[1, ['b.png']]] },
    others: [],
  })
})

it('groups 2,000 attachments of 2,000 steps in well under a second', () => {
  const stepNames = Array.from(
    { length: 2000 },
    (_, index) => `suite › part ${index} › ${'title '.repeat(40)}`,
  )
  const attachments = stepNames.map((stepName) =>
    attachment(formatAttachmentName({ stepName, fileName: 'a.png' })),
  )
  const startMs = performance.now()
  expect(groupAttachments(stepNames, attachments).bySteps.size).toBe(2000)
  expect(performance.now() - startMs).toBeLessThan(1000)
})

it('lists declared names as often as they are missing', () => {
  const arrived = ['a.png', 'log.txt'].map(attachment)
  expect(listMissing(['a.png', 'a.png', 'log.txt', 'b.png'], arrived)).toEqual(['a.png', 'b.png'])
})
