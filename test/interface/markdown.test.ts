import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findBlobFile } from '../../packages/server/src/testing/find-blob-file'
import { isWithBucket } from '../../packages/server/src/testing/test-database'
import { MARKDOWN_PAGES } from '../../packages/server/src/operations/markdown-pages'
import { UNKNOWN_ID } from './cases/unknown-id'
import { createWorld, type World } from './world'

/** The pages of a run, a group and the list as Markdown. */

// Enough for a run of 5,000 steps.
const MAX_BODY_BYTES = 8 * 1024 * 1024

let world: World

beforeAll(async () => {
  world = await createWorld(MAX_BODY_BYTES)
})

afterAll(() => world.stop())

const at = '2026-11-20T09:30:00.000Z'
const step = (name: string, outcome: string, more: object = {}) => ({
  name,
  outcome,
  started_at: at,
  ended_at: '2026-11-20T09:30:01.000Z',
  ...more,
})
const failed = (name: string, message: string) =>
  step(name, 'FAIL', {
    kind: 'test',
    location: { file: 'src/cart.test.ts', line: 8 },
    errors: [
      { message, snippet: '> 10 | expect(sum).toBe(4)', location: { file: 'src/cart.test.ts', line: 10 } },
    ],
  })

async function createRun(phases: object[], more: Record<string, unknown> = {}): Promise<string> {
  const response = await world.server.send('POST', '/v2/runs', {
    procedure_id: world.procedureId,
    serial_number: 'acme/shop',
    part_number: 'shop',
    outcome: 'FAIL',
    started_at: at,
    ended_at: '2026-11-20T09:31:00.000Z',
    phases,
    ...more,
  })
  const body = (await response.json()) as { id: string }
  expect(response.status, JSON.stringify(body)).toBe(200)
  return body.id
}

async function read(path: string, headers?: Record<string, string>) {
  const response = await fetch(world.server.url + path, {
    headers: headers ?? { authorization: `Bearer ${world.keys.user}` },
  })
  const text = await response.text()
  expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
  return { status: response.status, text }
}

describe('the page of a run as Markdown', () => {
  it('has why it failed first, then all else that is on record of it', async () => {
    const flaky = step('is flaky', 'PASS', {
      retry_count: 1,
      attempts: [
        { outcome: 'FAIL', started_at: at, duration: 'PT1S', errors: [{ message: 'refused\nat once' }] },
        { outcome: 'PASS', started_at: at, duration: 'PT1S' },
      ],
    })
    const phases = [
      step('passes', 'PASS'),
      failed('adds up', 'expected 3 to be 4'),
      flaky,
      failed('b', 'other'),
    ]
    const id = await createRun(phases, {
      skipped: [{ name: 'pays', reason: 'no card' }],
      metadata: {
        file: 'src/cart.test.ts',
        group: 'ci 1',
        repository: 'https://github.com/acme/shop',
        git_commit: '0123456789abcdef',
      },
    })
    const log = await world.server.upload('suite.log', 'first line\nlast line\n')
    const shot = await world.server.upload('adds up/shot.png', 'png')
    await world.server.send('PATCH', `/v2/runs/${id}`, { attachments: [log, shot] })
    const { status, text } = await read(`/runs/${id}.md`)
    expect(status).toBe(200)
    const address = `${world.server.url}/runs/${id}`
    const order = [
      `# Failed: [\`src/cart.test.ts\`](${address})`,
      '- Tests: 2 passed (1 flaky), 2 failed, 1 skipped',
      `- Build [\`ci 1\`](${world.server.url}/runs.md?group=ci%201)`,
      '## Why it failed',
      '### Failed: `adds up`',
      `[\`src/cart.test.ts:8\`](https://github.com/acme/shop/blob/0123456789abcdef/src/cart.test.ts#L8) · 1.00 s · [page](${address}#step-1)`,
      '```\nexpected 3 to be 4\n```',
      '> 10 | expect(sum).toBe(4)',
      '- Attachment [`shot.png`](',
      '## Other failures',
      `### Failed: \`b\``,
      '## Flaky',
      `- [\`is flaky\`](${address}#step-2) · 2 attempts · \`refused\``,
      '## Skipped',
      '- `pays` · `no card`',
      '## End of `suite.log`',
      'last line',
      '- Attachment [`suite.log`](',
      '- `group`: `ci 1`',
    ]
    let from = 0
    for (const part of order) {
      expect(text.slice(from), text).toContain(part)
      from = text.indexOf(part, from)
    }
    const linked = /\[`shot\.png`\]\((.*?)\)/.exec(text)?.[1] ?? ''
    const headers = { authorization: `Bearer ${world.keys.user}` }
    expect(await (await fetch(linked, { headers })).text()).toBe('png')
  })

  it.skipIf(isWithBucket)('says why a run failed whose log the disk has lost', async () => {
    const id = await createRun([failed('adds up', 'expected 3 to be 4')], {
      metadata: { file: 'src/cart.test.ts' },
    })
    const lines = 'lost soon\n'
    const log = await world.server.upload('suite.log', lines)
    await world.server.send('PATCH', `/v2/runs/${id}`, { attachments: [log] })
    await rm(findBlobFile(world.server.dataDir, lines) as string)
    const { status, text } = await read(`/runs/${id}.md`)
    expect(status).toBe(200)
    expect(text).toContain('expected 3 to be 4')
    expect(text).toContain('- Attachment [`suite.log`](')
    expect(text).not.toContain('## End of')
    expect(world.server.logged.splice(0).join()).toMatch(/The bytes of the attachment \S+ could not be read/)
  })

  it('says which failures are new, in the words of the page', async () => {
    const metadata = { file: 'src/old.test.ts', git_branch: world.unique('b'), framework: 'vitest' }
    const sent = (first: object, commit: string) =>
      createRun([first, failed('pays', 'declined')], { metadata: { ...metadata, git_commit: commit } })
    const before = await sent(step('adds', 'PASS', { kind: 'test' }), 'c1')
    const id = await sent(failed('adds', 'wrong'), 'c2')
    const { text } = await read(`/runs/${id}.md`)
    const commit = `commit [\`c1\`](${world.server.url}/runs/${before})`
    for (const part of [
      '- 2 failures: 1 new, 1 already failing\n- The default branch is not known,',
      `### Failed: \`adds\``,
      `**New** · passed in the last build of this branch: ${commit}\n`,
      `**Already failing** · since ${commit}, 1 build before this one, or longer; failed in the last build of this branch\n`,
    ])
      expect(text).toContain(part)
    expect((await read(`/runs/${before}.md`)).text).toContain(
      '**First seen** · no earlier run of it on this branch\n',
    )
  })

  it('is fast and bounded of 5,000 steps with 1,000 long errors, and says what it left out', async () => {
    const phases = Array.from({ length: 5_000 }, (_, index) =>
      index % 5 === 4 ? failed(`test ${index}`, `${index} is wrong`) : step(`test ${index}`, 'PASS'),
    )
    const id = await createRun(phases)
    await read(`/runs/${id}.md`)
    const startedAt = performance.now()
    const { text } = await read(`/runs/${id}.md`)
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    expect(text.length).toBeLessThan(65_536)
    expect(text).toContain('Tests: 4,000 passed, 1,000 failed')
    expect(text).toContain('### Failed: `test 4`')
    expect(text).toContain(`#step-154) · \`src/cart.test.ts:8\` · First failure · \`154 is wrong\``)
    expect(text).toMatch(/Left out here: [\d,]+ failures\. All of it: .*\/v2\/runs\/.*\n$/)
  })

  it('stays within its bounds whatever errors and names are like', async () => {
    const hostile = '`'.repeat(300) + '\n# x\n</pre>\u001b[31m' + '[x](y) '.repeat(100)
    const errors = Array.from({ length: 20 }, () => ({
      message: hostile.repeat(4),
      stack: hostile,
      diff: hostile,
    }))
    const phases = Array.from({ length: 20 }, (_, index) =>
      step(`${index} ${'n'.repeat(5_000)}`, 'FAIL', { errors }),
    )
    const { text } = await read(`/runs/${await createRun(phases)}.md`)
    expect(text.length).toBeLessThan(65_536)
    expect(text).toContain('## Why it failed\n\n### Failed: `0 n')
    expect(text).not.toContain('\u001b')
    expect(outsideOfCode(text)).not.toMatch(/# x|<\/pre>|\[x\]/)
  })
})

/** What of a text is taken for Markdown: neither in a fence nor in a code span. */
function outsideOfCode(text: string): string {
  let fence: string | undefined
  const lines = text.split('\n').filter((line) => {
    const [, ticks = ''] = /^ *(`{3,})[a-z]*$/.exec(line) ?? []
    if (fence === undefined && ticks !== '') fence = ticks
    else if (fence !== undefined && ticks.length >= fence.length) fence = undefined
    else return fence === undefined
    return false
  })
  return lines.join('\n').replaceAll(/(?<!`)(`+)(?!`)[^]*?(?<!`)\1(?!`)/g, '')
}

describe('a group as Markdown', () => {
  it('has counts, failed tests with their errors, flaky and slow ones, and the shard that is missing', async () => {
    const group = world.unique('ci')
    const variables = { group, framework: 'vitest', tests_passed: '1', tests_failed: '0', tests_flaky: '0' }
    const create = (file: string, phases: object[], more: Record<string, string>) =>
      createRun(phases, {
        outcome: phases.some((phase) => 'errors' in phase) ? 'FAIL' : 'PASS',
        metadata: { ...variables, file, ...more },
      })
    const bad = await create(
      'bad.test.ts',
      [step('a', 'PASS'), failed('adds', 'wrong'), failed('pays', 'dear')],
      {
        tests_failed: '2',
        shard: '1/3',
      },
    )
    for (const file of ['1', '2', '3', '4'])
      await create(`${file}.test.ts`, [step('a', 'PASS')], { shard: '2/3' })
    const flaky = await create('flaky.test.ts', [step('a', 'PASS')], { tests_flaky: '1' })
    const { text } = await read(`/runs.md?group=${group}`)
    const address = `${world.server.url}/runs`
    for (const part of [
      `# Build [\`${group}\`](${address}?group=${group})`,
      '- 6 runs: 5 passed, 1 failed',
      '- Tests: 6 passed (1 flaky), 2 failed',
      '- First start to last end 1 min',
      '**Build running: `shard 3 of 3 has not reported`**',
      `### Failed: [\`bad.test.ts\`](${address}/${bad})`,
      `- [\`adds\`](${address}/${bad}#step-1) · \`src/cart.test.ts:8\` · First failure\n  \`\`\`\n  wrong\n  \`\`\``,
      `- [\`pays\`](${address}/${bad}#step-2)`,
      `## Flaky\n\n- [\`flaky.test.ts\`](${address}/${flaky}): 1 test`,
      '## Slowest',
      '## Runs',
    ])
      expect(text).toContain(part)
  })

  it('takes the filters of the page, and says how to go on', async () => {
    const group = world.unique('ci')
    for (const outcome of ['PASS', 'FAIL', 'FAIL'])
      await createRun([], { outcome, metadata: { group, file: `${outcome}.test.ts` } })
    const { text } = await read(`/runs.md?group=${group}&outcome=fail&limit=1`)
    const list = text.slice(text.indexOf('## Runs'))
    expect(list).toContain('## Runs: `FAIL`')
    expect(list.match(/^- Failed: /gm)).toHaveLength(1)
    const next = /More runs: (\S+)/.exec(list)?.[1] ?? ''
    const more = await read(next.slice(world.server.url.length))
    expect(more.text.slice(more.text.indexOf('## Runs')).match(/^- Failed: /gm)).toHaveLength(1)
    expect((await read('/runs.md?q=no-such-serial-number')).text).toContain('There are no such runs.')
  })

  it('says so when no run is of it', async () => {
    expect((await read('/runs.md?group=unknown')).text).toContain('This build has no runs.')
  })
})

describe('access to pages as Markdown', () => {
  it.each(['user', 'viewer', 'station', 'other-station'] as const)('%s', async (asker) => {
    const id = await world.createRun()
    for (const path of [`/runs/${id}.md`, '/runs.md', `/api/runs/${id}.md`])
      expect((await read(path, { authorization: `Bearer ${world.keys[asker]}` })).status).toBe(200)
  })

  it('a project key reads none of them, and no attachment', async () => {
    const id = await world.uploadAttachment()
    const authorization = `Bearer ${world.keys.project}`
    for (const { path } of MARKDOWN_PAGES) {
      const { status, text } = await read(path.replaceAll(/\{\w+\}/g, id), { authorization })
      expect([path, status]).toEqual([path, 403])
      expect(text).toBe('403: A project key may not do this: it only creates runs of its procedure.\n')
    }
    for (const name of [id, UNKNOWN_ID]) {
      const download = await fetch(`${world.server.url}/downloads/${name}`, { headers: { authorization } })
      expect(download.status).toBe(403)
    }
  })

  it('the session of the dashboard', async () => {
    const session = await world.server.send('POST', '/session', { key: world.keys.user })
    const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await read('/runs.md', { cookie })).status).toBe(200)
  })

  it('refuses others, with advice in text', async () => {
    const { status, text } = await read('/runs.md?group=a', {})
    expect(status).toBe(401)
    expect(text).toContain('401: Invalid API key.')
    expect(text).toContain(
      `curl -H "Authorization: Bearer $RUNLEDGER_API_KEY" "${world.server.url}/runs.md?group=a"`,
    )
  })

  it('answers errors of a request as text too', async () => {
    const unknown = await read('/runs/nothing.md')
    expect([unknown.status, unknown.text]).toEqual([
      404,
      '404: The run with the id "nothing" was not found.\n',
    ])
    const wrong = await read('/runs.md?outcome=green')
    expect(wrong.status).toBe(400)
    expect(wrong.text).toContain('outcome must be')
  })
})

it('a browser and HEAD get what they always got', async () => {
  const id = await world.createRun()
  const page = await fetch(`${world.server.url}/runs/${id}`, { headers: { accept: 'text/html' } })
  expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect((await fetch(`${world.server.url}/runs/${id}.md`, { method: 'HEAD' })).status).toBe(200)
})

it.each(['/runs', '/runs?group=a%20b'])('%s leads to its Markdown who asks for that', async (path) => {
  const response = await fetch(world.server.url + path, {
    headers: { accept: 'text/markdown, text/html;q=0.5' },
    redirect: 'manual',
  })
  expect([response.status, response.headers.get('location'), response.headers.get('vary')]).toEqual([
    302,
    path.replace('/runs', '/runs.md'),
    'accept',
  ])
})
