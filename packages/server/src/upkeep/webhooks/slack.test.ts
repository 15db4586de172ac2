import type { WebhookData, WebhookMessage } from '@runledger/protocol'
import { expect, it } from 'vitest'
import { renderSlack } from './slack'

const procedure = { id: 'p1', identifier: 'WEB', name: 'Web shop' }
const build = {
  group: 'ci-7',
  url: 'https://x.test/runs?group=ci-7',
  branch: 'main',
  commit: 'abcdef0123456789',
}

function createTest(change: Partial<WebhookData<'test.fixed'>['tests'][number]> = {}) {
  return {
    id: 't1',
    name: 'adds',
    file: 'cart.test.ts',
    url: 'https://x.test/tests/t1',
    error: null,
    ...change,
  }
}

function tests(change: Partial<WebhookData<'test.fixed'>>): WebhookMessage {
  const data = { procedure, build, tests: [createTest()], more: 0, definition: '', ...change }
  return { type: 'test.newly_failing', timestamp: '2026-11-30T09:00:00.000Z', data }
}

function textsOf(message: WebhookMessage): string[] {
  return renderSlack(message).blocks.map(({ text }) => text.text)
}

const line = { procedure, url: 'https://x.test/line/p1', days: 28, definition: '' }
const timestamp = '2026-11-30T09:00:00.000Z'

it('lists tests with links, errors and the rest as a count', () => {
  const message = tests({
    tests: [createTest({ error: 'expected 3 to be 4' }), createTest({ name: 'sorts', file: null })],
    more: 3,
  })
  expect(textsOf(message)).toEqual([
    [
      '*5 newly failing tests* in build <https://x.test/runs?group=ci-7|ci-7> of Web shop on main at abcdef0123',
      '• <https://x.test/tests/t1|adds> in cart.test.ts: expected 3 to be 4',
      '• <https://x.test/tests/t1|sorts>',
      '… and 3 more',
    ].join('\n'),
  ])
  expect(renderSlack(message).text).toBe(
    '5 newly failing tests in build ci-7 of Web shop on main at abcdef0123',
  )
})

it.each<[WebhookMessage['type'], WebhookMessage, string]>([
  [
    'build.incomplete',
    {
      type: 'build.incomplete',
      timestamp,
      data: { procedure, build, state: 'incomplete', missing: ['shard 2 of 2 has not reported'] },
    },
    '*Incomplete build* <https://x.test/runs?group=ci-7|ci-7> of Web shop on main at abcdef0123: shard 2 of 2 has not reported',
  ],
  [
    'build.completed',
    { type: 'build.completed', timestamp, data: { procedure, build, state: 'failed', missing: [] } },
    '*Complete after all, and failed:* build <https://x.test/runs?group=ci-7|ci-7> of Web shop on main at abcdef0123',
  ],
  [
    'line.yield_below',
    {
      type: 'line.yield_below',
      timestamp,
      data: {
        ...line,
        limit: 0.95,
        first_pass: { count: 468, of: 500, rate: 0.936, low: 0.9111, high: 0.9543 },
      },
    },
    '*First-pass yield below 95 %:* 93.6 %, 468 of 500 units (95 % interval 91.11 % to 95.43 %) passed their first run of <https://x.test/line/p1|Web shop>, last 28 days',
  ],
  [
    'line.out_of_control',
    {
      type: 'line.out_of_control',
      timestamp,
      data: { ...line, phase: 'Power', measurement: 'Vout', values: 200, violating: 31 },
    },
    '*Out of control:* Vout in Power of <https://x.test/line/p1|Web shop>: 31 of 200 values break a rule, last 28 days',
  ],
  [
    'webhook.test',
    { type: 'webhook.test', timestamp, data: { webhook: { id: 'w', name: 'Team' } } },
    'A test message of the webhook "Team" of Runledger.',
  ],
])('renders %s', (_type, message, text) => {
  expect(textsOf(message)).toEqual([text])
})

it('adds no mentions and no links for hostile names', () => {
  const name = '<!channel> <@U1> <https://evil.test|click>\n\u001B[31mred\u001B[0m \u202Egpj & co'
  const [text = ''] = textsOf(
    tests({
      tests: [createTest({ name, file: name, error: name })],
      build: { ...build, group: name, branch: name },
    }),
  )
  expect(text).not.toMatch(/<[!@]|<https:\/\/evil/)
  expect(text).toContain('&lt;!channel&gt; &lt;@U1&gt; &lt;https://evil.test|click&gt; red gpj &amp; co')
  expect(text.split('\n')).toHaveLength(2)
  expect(text).not.toMatch(/[\u001B\u202E]/)
})

it('keeps blocks within 3,000 characters, however long names are', () => {
  const long = '<&>'.repeat(4_000)
  const many = Array.from({ length: 20 }, (_, index) =>
    createTest({ id: `t${index}`, name: `${index} ${long}`, file: long, error: long }),
  )
  const url = `https://x.test/runs?group=${encodeURIComponent('größe'.repeat(200))}`
  const message = tests({
    tests: many,
    build: { group: long, url, branch: long, commit: long },
    procedure: { ...procedure, name: long },
  })
  const { text, blocks } = renderSlack(message)
  expect(text.length).toBeLessThanOrEqual(3_000)
  for (const block of blocks) expect(block.text.text.length).toBeLessThanOrEqual(3_000)
  const all = textsOf(message).join('\n')
  expect(all.match(/^• /gm)).toHaveLength(20)
  // Too long for a link.
  expect(all).not.toContain('runs?group')
  expect(all).not.toMatch(/&(?!amp;|lt;|gt;)/)
})

it('turns off the links and mentions that Slack makes of plain names', () => {
  const { blocks } = renderSlack(tests({ tests: [createTest({ name: 'https://x.test #general' })] }))
  expect(blocks.map(({ text }) => text.verbatim)).toEqual([true])
})
