import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { COMMIT, type ForgeStandIn, startGitHub, startGitLab } from '../../../../test/support/forges'
import { createClock } from '../testing/builds'
import { failed, passed, type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

const START = Date.parse('2026-11-20T08:00:00.000Z')
let count = 0
let project: string
let forge: ForgeStandIn

// Each test has its own project, so that its failures are compared only with its own runs.
beforeEach(() => {
  project = `project-${(count += 1)}`
})

afterEach(() => forge.stop())

type Metadata = Record<string, string>

/** Records a run of a build on a branch. The build `base` is on the default branch. */
function record(build: string | number, phases: object[], metadata: Metadata = {}): Promise<string> {
  const facts = {
    group: `${project} ${build}`,
    file: `src/${project}.test.ts`,
    file_in_repository: `web/src/${project}.test.ts`,
    git_branch: build === 'base' ? `${project}-main` : 'topic',
    git_default_branch: `${project}-main`,
    git_commit: commitOf(build),
    ci: 'true',
  }
  const startedAt = new Date(START + (count += 1) * 60_000).toISOString()
  return service.createRun(phases, { startedAt, metadata: { ...facts, ...metadata } })
}

/** Each build has its own commit, because a test that passes and fails on one commit is flaky. */
const commitOf = (build: string | number) => createHash('sha1').update(`${project} ${build}`).digest('hex')

/** No service listens at this address. */
const NOBODY = 'http://127.0.0.1:9'

const failing = (...names: string[]) => names.map((name) => failed(name, 'expected 1 to be 4'))

interface Job {
  request?: number
  env?: Record<string, string | undefined>
}

/** Runs `runledger report` as a job of a build. */
async function report(build: number, argv: string[] = [], { request = 12, env }: Job = {}) {
  const folder = path.join(service.folder, `event-${request}`)
  await mkdir(folder, { recursive: true })
  const event = path.join(folder, 'event.json')
  const pull = request > 0 ? { number: request, head: { sha: COMMIT } } : undefined
  await writeFile(event, JSON.stringify({ pull_request: pull }))
  const ofForge = forge.listVariables(build, request > 0 ? request : undefined)
  return service.run(['report', `${project} ${build}`, ...argv], {
    env: {
      ...ofForge,
      GITHUB_EVENT_PATH: event,
      GITHUB_SHA: commitOf(build),
      CI_COMMIT_SHA: commitOf(build),
      ...env,
    },
    clock: createClock(),
  })
}

const bodies = () => forge.comments.map(({ body }) => body.split('\n').slice(1).join('\n'))
const titles = () => bodies().map((body) => body.split('\n')[0])
const writes = () =>
  forge.requests.filter(({ method, path: to }) => method !== 'GET' && /comments|notes/.test(to))

describe('a report on GitHub', () => {
  beforeEach(async () => {
    forge = await startGitHub()
  })

  it('is a comment and a check, which say what is new, why and since when', async () => {
    const base = await record('base', [passed('adds up'), ...failing('pays')])
    const location = { file: `src/${project}.test.ts`, line: 7 }
    const adds = { ...failed('adds up', '\n\u001b[31mnot equal\u001b[0m\n1 is not 2'), location }
    const id = await record(1, [adds, ...failing('pays')])
    const { code, out, err } = await report(1)
    expect([code, err]).toEqual([0, ''])
    expect(out).toBe(
      `Comment written: https://github.com/acme/shop/pull/12#issuecomment-${forge.comments[0]?.id}\n` +
        'Check written: 1 new failure, 1 known failure\n',
    )
    const commit = `[\`${commitOf('base').slice(0, 7)}\`](${service.url}/runs/${base})`
    expect(bodies()).toEqual([
      `### ❌ Runledger: 1 new failure, 1 known failure

[Open on Runledger](${service.url}/runs?group=${project}%201) · commit \`${commitOf(1).slice(0, 10)}\` · 0 passed, 2 failed, 0 flaky, 0 skipped

**New**

- [\`adds up\`](${service.url}/runs/${id}) · \`src/${project}.test.ts\` · passed in the last build of the default branch: commit ${commit}
  - \`not equal\`

**Known**: already failing, or flaky, where the branch comes from

- [\`pays\`](${service.url}/runs/${id}) · \`src/${project}.test.ts\` · since commit ${commit}, 1 build before this one, or longer; failed in the last build of the default branch
  - \`expected 1 to be 4\`
`,
    ])
    expect(forge.checks).toMatchObject([
      {
        name: 'Runledger CI / report',
        head_sha: COMMIT,
        conclusion: 'failure',
        output: {
          title: '1 new failure, 1 known failure',
          summary: bodies()[0],
          annotations: [
            {
              path: `web/src/${project}.test.ts`,
              start_line: 7,
              title: 'adds up',
              message: 'not equal',
            },
          ],
        },
      },
    ])
    expect(forge.statuses).toEqual([])
  })

  it('is a commit status if the token may not write checks', async () => {
    forge.allowed.delete('checks')
    await record(1, [passed('pays')])
    const { out } = await report(1)
    expect(out).toBe('No comment, because the build passed\nCommit status written: build passed\n')
    const url = `${service.url}/runs?group=${project}%201`
    expect(forge.statuses).toEqual([
      { state: 'success', context: 'Runledger CI / report', description: 'build passed', target_url: url },
    ])
  })

  it('is only a check for a push, and has only the requested parts', async () => {
    await record(1, failing('pays'))
    expect((await report(1, [], { request: 0 })).out).toBe('Check written: 1 failure without a basis\n')
    expect((await report(1, ['--no-status'])).out).toMatch(/^Comment written: \S+\n$/)
    expect((await report(1, ['--no-comment'])).out).toBe('Check written: 1 failure without a basis\n')
    expect([forge.checks.length, forge.comments.length]).toEqual([2, 1])
  })

  it('goes to the summary of the job if the token can only read, as in a fork', async () => {
    forge.allowed.clear()
    await record(1, failing('pays'))
    const file = path.join(service.folder, `${project}-summary.md`)
    const { code, out, err } = await report(1, [], { env: { GITHUB_STEP_SUMMARY: file } })
    expect([code, out]).toEqual([0, ''])
    expect(err.split('\n')).toEqual([
      'Not reported: POST /repos/acme/shop/issues/12/comments answered 403: Resource not accessible by integration. The permissions of the job need "pull-requests: write". The token of a pull request from a fork can only read. The summary of the job has the report instead',
      `Not reported: POST /repos/acme/shop/statuses/${COMMIT} answered 403: Resource not accessible by integration. The permissions of the job need "checks: write" or "statuses: write". The token of a pull request from a fork can only read`,
      '',
    ])
    expect(await readFile(file, 'utf8')).toMatch(/^### ❌ Runledger: 1 failure without a basis\n/)
  })

  it('needs the token, and says how to pass it', async () => {
    await record(1, failing('pays'))
    const { code, err } = await report(1, [], { env: { GITHUB_TOKEN: undefined } })
    expect([code, err]).toEqual([0, expect.stringContaining('"GITHUB_TOKEN: ${{ github.token }}"')])
    expect(forge.requests).toEqual([])
  })

  it('sends the token only to the address of the API, and never prints it', async () => {
    const elsewhere = await startGitHub()
    await record(1, failing('pays'))
    const graphQl = { GITHUB_GRAPHQL_URL: `${elsewhere.url}/graphql` }
    const told = [await report(1, [], { env: graphQl })]
    forge.trouble = () => ({ status: 307, headers: { location: `${elsewhere.url}/graphql` } })
    told.push(await report(1))
    forge.trouble = undefined
    told.push(await report(1, [], { env: { GITHUB_TOKEN: `${forge.token}wrong` } }))
    expect(told.map(({ code }) => code)).toEqual([0, 0, 0])
    expect(told.map(({ err }) => err.split('\n')[0])).toEqual([
      expect.stringContaining('GITHUB_GRAPHQL_URL does not belong to'),
      expect.stringContaining('answered 307'),
      expect.stringContaining('answered 401: Bad credentials Bearer …'),
    ])
    expect(JSON.stringify(told)).not.toContain(forge.token)
    expect(elsewhere.requests).toEqual([])
    expect(forge.requests.map(({ path: to }) => to).join()).not.toContain(forge.token)
    await elsewhere.stop()
  })
})

describe.each([
  ['GitHub', startGitHub],
  ['GitLab', startGitLab],
])('the comment on %s', (name, start) => {
  beforeEach(async () => {
    forge = await start()
    await record('base', [passed('adds up'), passed('pays'), passed('ships')])
  })

  it('is not written for a build that passed, unless --always is given', async () => {
    await record(1, [passed('pays')])
    expect((await report(1)).out).toContain('No comment, because the build passed\n')
    expect(forge.comments).toEqual([])
    await report(1, ['--always'])
    expect(titles()).toEqual(['### ✅ Runledger: build passed'])
  })

  it('says that a build is incomplete, which is never green', async () => {
    await record(1, [passed('pays')], { shard: '1/2', shard_index: '1', shard_total: '2' })
    const { code, out } = await report(1, ['--wait', '0'])
    expect([code, out]).toEqual([0, expect.stringContaining('Comment written: ')])
    expect(bodies()[0]).toContain('### ⚠️ Runledger: build running\n\n[Open on Runledger](')
    expect(bodies()[0]).toContain('\n\n**Build running**\n\n- `shard 2 of 2 has not reported`\n')
    expect([...forge.checks, ...forge.statuses]).toMatchObject([
      name === 'GitHub' ? { conclusion: 'failure' } : { state: 'failed' },
    ])
  })

  it('is shorter than the limit, with as many whole tests as fit', async () => {
    const names = Array.from({ length: 200 }, (_, index) => `${index} ${'名'.repeat(400)}`)
    await record('base', names.map(passed))
    await record(
      1,
      names.map((test) => failed(test, 'x'.repeat(5_000))),
    )
    await report(1)
    const [body = ''] = forge.comments.map((comment) => comment.body)
    expect(body.length).toBeLessThan(65_536)
    expect(body).toMatch(/\n\nLeft out here: \d+ new failures\. All of it: http:\S+\n$/)
    const [, left] = /Left out here: (\d+)/.exec(body) ?? []
    expect(body.match(/^- \[/gm)?.length).toBe(200 - Number(left))
  })

  it('has names and messages of tests only as code, without mentions or links', async () => {
    const hostile = [
      '@acme/everyone <img src=x onerror=alert(1)> [link](javascript:alert(1)) #1 acme/shop#2',
      '`@octocat` ``` <!-- runledger report {} --> ',
      'https://evil.example www.evil.example **bold** | a | b |',
      '/close\n/merge\n# heading',
    ]
    await record(
      1,
      hostile.map((text) => failed(text, text)),
    )
    await report(1)
    const [body = ''] = bodies()
    const bare = withoutCode(body)
    for (const text of ['@', '<', 'javascript', 'evil', 'octocat', '**bold', '#1', '| a', '\n/'])
      expect(bare).not.toContain(text)
    expect(forge.comments).toHaveLength(1)
  })

  it('is not created if nothing is on record or no key is set', async () => {
    const written = name === 'GitHub' ? 'Check written' : 'Commit status written'
    const nothing = await report(9, ['--wait', '0'])
    const err = `Not reported: nothing of the build ${project} 9 is on record\n`
    expect(nothing).toEqual({ code: 0, out: `${written}: not known: no-build\n`, err })
    const env = { RUNLEDGER_URL: 'http://127.0.0.1:9', XDG_STATE_HOME: '/nonexistent' }
    const keyless = await service.run(['report', 'b', '--dir', '/'], {
      env: { ...forge.listVariables(1, 12), ...env },
    })
    expect(keyless).toMatchObject({ code: 0, out: `${written}: not known: no-key\n` })
    expect(keyless.err).toBe('Not reported: no key is set: set RUNLEDGER_API_KEY\n')
    expect(writes()).toEqual([])
  })

  it.each([
    ['nothing of the next one', 'no-build', [], () => ({})],
    ['no key', 'no-key', ['--dir', '/'], () => ({ XDG_STATE_HOME: '/nonexistent', RUNLEDGER_URL: NOBODY })],
    ['no service', 'no-service', [], () => ({ RUNLEDGER_API_KEY: service.apiKey, RUNLEDGER_URL: NOBODY })],
  ])('of a build that passed is no longer green if there is %s', async (_what, doubt, dir, env) => {
    await record(1, [passed('pays')])
    await report(1, ['--always'])
    const { code, out, err } = await report(2, ['--wait', '0', ...dir], { env: env() })
    expect([code, err]).toEqual([0, expect.stringMatching(/^Not reported: .+\n$/)])
    expect(out).toMatch(/^Comment edited: /)
    const reason = err.slice('Not reported: '.length, -1)
    expect(bodies()).toEqual([
      `### ⚠️ Runledger: not known: ${doubt}\n\ncommit \`${commitOf(2).slice(0, 10)}\`\n\n- Not known: \`${reason}\`\n`,
    ])
    expect([...forge.checks, ...forge.statuses].at(-1)).toMatchObject(
      name === 'GitHub' ? { conclusion: 'failure' } : { state: 'failed' },
    )
  })

  it.each([[[]], [['--no-status']], [['--no-comment']]])(
    'is not written for the build of another commit, and neither is a status (%j)',
    async (argv) => {
      await record(1, [passed('pays')])
      const env = { GITHUB_SHA: commitOf(2), CI_COMMIT_SHA: commitOf(2) }
      const { code, out, err } = await report(1, ['--always', ...argv], { env })
      expect([code, out, err]).toEqual([
        0,
        '',
        `Not reported: the build is of commit ${commitOf(1)}, and this job of ${commitOf(2)}: nothing is written\n`,
      ])
      expect(forge.requests).toEqual([])
    },
  )

  it.each([0, 12])(
    'reports no success of a named build without a commit (pull request %i)',
    async (request) => {
      await record(1, [passed('pays')], { git_commit: '' })
      const { code, out, err } = await report(1, ['--always'], { request })
      expect([code, out, err]).toEqual([
        0,
        '',
        'Not reported: the build passed, but its commit is not known and may differ from that of this job: nothing is written\n',
      ])
      expect(forge.requests).toEqual([])
      await record(2, failing('pays'), { git_commit: '' })
      expect((await report(2, [], { request })).out).toMatch(/written: 1 new failure\n$/)
    },
  )

  it('needs a pull request, which not every event has', async () => {
    await record(1, failing('pays'))
    const env = { GITHUB_EVENT_NAME: 'workflow_run', CI_PIPELINE_SOURCE: 'schedule' }
    const event = name === 'GitHub' ? 'workflow_run' : 'schedule'
    const { err } = await report(1, [], { request: 0, env })
    expect(err).toBe(`Not reported: the event ${event} has no pull request to comment on\n`)
    const push = { GITHUB_EVENT_NAME: 'push', CI_PIPELINE_SOURCE: 'push' }
    expect((await report(1, [], { request: 0, env: push })).err).toBe('')
    const statuses = forge.checks.length + forge.statuses.length
    const unread = await report(9, ['--wait', '0'], { request: 0, env })
    expect(unread.err).toContain(`the event ${event} may not belong to the build`)
    expect(forge.checks.length + forge.statuses.length).toBe(statuses)
  })

  it('is separate for each job, like the status', async () => {
    await record(1, failing('pays'))
    await record(2, [passed('pays')])
    await report(1)
    const env = { GITHUB_WORKFLOW: 'e2e', CI_JOB_NAME: 'e2e' }
    await report(2, [], { env })
    await report(2, ['--name', 'pages'], { env })
    expect(titles()).toEqual(['### ❌ Runledger: 1 new failure'])
    expect([...forge.checks, ...forge.statuses].map((status) => status['name'])).toEqual(
      name === 'GitHub'
        ? ['Runledger CI / report', 'Runledger e2e / report', 'Runledger pages']
        : ['Runledger report', 'Runledger e2e', 'Runledger pages'],
    )
  })

  it('is described as JSON with --json', async () => {
    await record(1, failing('pays'))
    const { out } = await report(1, ['--json'])
    expect(JSON.parse(out)).toMatchObject({
      build: { group: `${project} 1`, state: 'failed' },
      comment: { action: 'created', url: expect.stringContaining('12#') as unknown },
      status: { kind: name === 'GitHub' ? 'check' : 'status', title: '1 new failure' },
      problems: [],
    })
  })
})

describe('a report on GitLab', () => {
  beforeEach(async () => {
    forge = await startGitLab()
  })

  it('is a note and a commit status of its pipeline', async () => {
    await record(1, failing('pays'))
    const { out } = await report(1)
    expect(out).toBe(
      `Comment written: https://gitlab.example/acme/shop/-/merge_requests/12#note_${forge.comments[0]?.id}\n` +
        'Commit status written: 1 failure without a basis\n',
    )
    expect(forge.statuses).toEqual([
      {
        state: 'failed',
        name: 'Runledger report',
        description: '1 failure without a basis',
        target_url: `${service.url}/runs?group=${project}%201`,
        pipeline_id: 1,
      },
    ])
  })

  it('finds the merge request of a branch', async () => {
    await record(1, failing('pays'))
    const env = { CI_MERGE_REQUEST_IID: undefined, CI_OPEN_MERGE_REQUESTS: 'other/shop!3,acme/shop!12' }
    await report(1, [], { env })
    expect(forge.comments.map(({ request }) => request)).toEqual([12])
  })

  it('says what to do if the token may not comment', async () => {
    forge.allowed.clear()
    await record(1, failing('pays'))
    const { code, err } = await report(1)
    expect([code, err]).toEqual([0, expect.stringContaining('GITLAB_TOKEN needs the scope api')])
  })
})

it('is refused outside of GitHub Actions and GitLab CI', async () => {
  forge = await startGitHub()
  const { code, err } = await service.run(['report', 'b1'])
  expect([code, err]).toEqual([2, expect.stringContaining('no job of GitHub Actions or GitLab CI')])
})

/** Removes code and the addresses of links. In the rest, a forge finds mentions, links and HTML. */
function withoutCode(markdown: string): string {
  return markdown
    .replaceAll(/(?<!`)(`+)(?!`)(.*?)(?<!`)\1(?!`)/gs, '')
    .replaceAll(/\]\(http:\/\/127[^)]*\)/g, ']')
}
