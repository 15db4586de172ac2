import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, request as ask, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClock } from '../testing/builds'
import { type RecordedService, startRecordedService } from '../testing/record'

let service: RecordedService
let projects = 0

beforeAll(async () => {
  service = await startRecordedService()
})

afterAll(() => service.stop())

interface Project {
  /** Runs `runledger shard` in the project. Returns the files that ran, sorted. */
  shard(which: string, env?: Record<string, string | undefined>, found?: readonly string[]): Promise<Ran>
}

/** Forwards requests to the service, except the first `lost` ones. */
async function startLateService(lost: number): Promise<Listener> {
  let requests = 0
  return listen((request, response) => {
    if ((requests += 1) <= lost) return void request.socket.destroy()
    const { method, url, headers } = request
    request.pipe(
      ask(service.url + url, { method, headers }, (answered) => {
        response.writeHead(answered.statusCode ?? 500, answered.headers)
        answered.pipe(response)
      }),
    )
  })
}

interface Listener {
  url: string
  stop(): Promise<void>
}

async function listen(listener: RequestListener): Promise<Listener> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Answers every request with an error, as the service does; on 503 with the time to wait. */
async function answer(status: number, code: string, message: string): Promise<Listener> {
  return listen((_, response) => {
    const headers = status === 503 ? { 'retry-after': '60' } : {}
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ code, message, issues: [] }))
  })
}

interface Ran {
  code: number
  err: string
  files: string[]
}

/** A project with files of Node's test runner. Each file writes down its name and its shard. */
async function createProject(files: readonly string[], home = service.folder): Promise<Project> {
  const folder = path.join(home, `project-${(projects += 1)}`)
  const log = path.join(folder, 'log.txt')
  await mkdir(folder)
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ name: `project-${projects}` }))
  for (const file of files)
    await writeFile(
      path.join(folder, file),
      `require('node:fs').appendFileSync(${JSON.stringify(log)}, '${file} ' + process.env.RUNLEDGER_SHARD + '\\n')
      ${file.startsWith('broken') ? "require('node:test')('fails', () => { throw new Error('broken') })" : ''}`,
    )
  return {
    shard: async (which, env = {}, found = files) => {
      await writeFile(log, '')
      const quiet = ['--test-reporter=tap', `--test-reporter-destination=${path.join(folder, 'tap.txt')}`]
      const command = [process.execPath, '--test', ...quiet, ...found]
      const { code, err } = await service.run(['shard', which, '--', ...command], {
        cwd: folder,
        clock: createClock(),
        env: { PATH: process.env['PATH'], RUNLEDGER_PROCEDURE_ID: service.procedureId, ...env },
      })
      const lines = (await readFile(log, 'utf8')).split('\n').filter(Boolean)
      expect(lines.every((line) => line.endsWith(` ${which}`))).toBe(true)
      return { code, err, files: lines.map((line) => line.split(' ')[0] ?? '').toSorted() }
    },
  }
}

const FILES = ['a.test.js', 'b.test.js', 'c.test.js', 'd.test.js', 'e.test.js']

describe('runledger shard', () => {
  it('runs every file in one shard', async () => {
    const { shard } = await createProject(FILES)
    const env = { RUNLEDGER_GROUP: 'ci-1' }
    const [first, second] = [await shard('1/2', env), await shard('2/2', env)]
    expect([first.code, second.code]).toEqual([0, 0])
    expect([first.files, second.files]).toEqual([
      ['a.test.js', 'c.test.js', 'e.test.js'],
      ['b.test.js', 'd.test.js'],
    ])
    expect(second.err).toContain('Shard 2 of 2: 2 of 5 files, by count')
  })

  it('ends with the exit code of the command', async () => {
    const { shard } = await createProject(['broken.test.js', 'whole.test.js'])
    const env = { RUNLEDGER_GROUP: 'ci-2' }
    expect([(await shard('1/2', env)).code, (await shard('2/2', env)).code]).toEqual([1, 0])
  })

  it('runs nothing in a shard without files, which the build counts', async () => {
    const { shard } = await createProject(['a.test.js'])
    const env = { RUNLEDGER_GROUP: 'ci-3' }
    expect(await shard('2/3', env)).toMatchObject({ code: 0, files: [] })
    const { out } = await service.run(['call', 'getBuild', 'group=ci-3', '--json'])
    expect(JSON.parse(out)).toMatchObject({ shards: { reported: 1, expected: 3 } })
  })

  it('divides by count if no plan can be shared, and says so', async () => {
    const { shard } = await createProject(FILES)
    const ran = await shard('2/2')
    expect(ran).toMatchObject({ code: 0, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toBe(
      'Shard 2 of 2: 2 of 5 files, by count: neither a group (RUNLEDGER_GROUP) nor a commit is known\n',
    )
  })

  it('fails if it cannot learn whether the other shards follow a plan', async () => {
    const { shard } = await createProject(FILES)
    const dead = {
      RUNLEDGER_URL: 'http://127.0.0.1:9',
      RUNLEDGER_API_KEY: 'rl_user_x',
      RUNLEDGER_GROUP: 'ci-5',
    }
    const ran = await shard('2/2', dead)
    expect(ran).toMatchObject({ code: 1, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toContain('If they do, files of shard 2 may not have run.')
  })

  it('prints an error of the service without commands of a CI', async () => {
    const { shard } = await createProject(FILES)
    const refusing = await answer(403, 'FORBIDDEN', 'No. ##[error]\n::warning::')
    const env = { RUNLEDGER_GROUP: 'ci-11', RUNLEDGER_URL: refusing.url, RUNLEDGER_API_KEY: 'rl_user_x' }
    const ran = await shard('2/2', env)
    await refusing.stop()
    expect(ran.err).toContain('answered 403: No. # #[error] ::warning::\n')
    expect(ran.err).not.toContain('##')
  })

  it.each([
    ['the procedure', () => [service.url, service.apiKey], 'no procedure is set'],
    ['the key', () => ['http://127.0.0.1:9'], 'no service is set'],
  ])('fails if only this shard may lack %s', async (_what, findService, reason) => {
    const [url, key] = findService()
    const { shard } = await createProject(FILES)
    const ran = await shard('2/2', {
      RUNLEDGER_GROUP: 'ci-8',
      RUNLEDGER_PROCEDURE_ID: undefined,
      RUNLEDGER_URL: url,
      RUNLEDGER_API_KEY: key,
    })
    expect(ran).toMatchObject({ code: 1, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toContain(`follow a plan (${reason}`)
    expect(ran.err).toContain('If they do, files of shard 2 may not have run.')
  })

  it.each([
    ['without any service', {}],
    ['in a pull request from a fork', { RUNLEDGER_URL: 'http://127.0.0.1:9', CIRCLE_PR_REPONAME: 'lamp' }],
  ])('divides by count %s', async (_where, given) => {
    const home = await mkdtemp(path.join(tmpdir(), 'runledger-shard-test-'))
    const { shard } = await createProject(FILES, home)
    const ran = await shard('2/2', { RUNLEDGER_GROUP: 'ci-9', XDG_STATE_HOME: home, ...given })
    await rm(home, { recursive: true })
    expect(ran).toMatchObject({ code: 0, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toBe(
      'Shard 2 of 2: 2 of 5 files, by count: no service is set (RUNLEDGER_URL, RUNLEDGER_API_KEY)\n',
    )
  })

  it('fails if it lacks a file of its plan', async () => {
    const { shard } = await createProject(FILES)
    const env = { RUNLEDGER_GROUP: 'ci-6' }
    await shard('1/2', env)
    const ran = await shard('2/2', env, ['a.test.js', 'c.test.js', 'd.test.js', 'e.test.js'])
    expect(ran).toMatchObject({ code: 1, files: ['d.test.js'] })
    expect(ran.err).toContain(
      'another shard found 1 file that shard 2 should run and does not have: b.test.js. If the shards run different suites or systems, give each of these a name of its own (RUNLEDGER_SHARD_NAME, or --name of runledger shard).',
    )
  })

  it.each([1, 4])('runs its part of the plan although the service ignores %i requests', async (lost) => {
    const { shard } = await createProject(FILES)
    const env = { RUNLEDGER_GROUP: `ci-7-${lost}` }
    const first = await shard('1/2', env, FILES.slice(1))
    expect(first.files).toEqual(['b.test.js', 'd.test.js'])
    const late = await startLateService(lost)
    const ran = await shard('2/2', { ...env, RUNLEDGER_URL: late.url, RUNLEDGER_API_KEY: service.apiKey })
    await late.stop()
    expect(ran).toMatchObject({ code: 0, files: FILES })
    expect(ran.err).toContain('2 of 5 files, by count: ')
    expect(ran.err).toContain('The other shards follow a plan: Shard 2 of 2: 3 of 5 files more')
  })

  it('runs no tests if the service refuses its files, and prints the reason', async () => {
    const { shard } = await createProject(FILES)
    const refusing = await answer(409, 'CONFLICT', 'Too many different files for one plan.')
    const env = { RUNLEDGER_GROUP: 'ci-10', RUNLEDGER_URL: refusing.url, RUNLEDGER_API_KEY: 'rl_user_x' }
    const ran = await shard('1/2', env)
    await refusing.stop()
    expect(ran).toMatchObject({ code: 1, files: [] })
    expect(ran.err).toMatch(/Too many different files for one plan\.\n$/)
  })

  it('divides by count where the service is too old to plan shards', async () => {
    const { shard } = await createProject(FILES)
    const older = await answer(404, 'NOT_FOUND', 'The route POST /v2/shards was not found.')
    const env = { RUNLEDGER_GROUP: 'ci-11', RUNLEDGER_URL: older.url, RUNLEDGER_API_KEY: 'rl_user_x' }
    const ran = await shard('2/2', env)
    await older.stop()
    expect(ran).toMatchObject({ code: 0, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toBe('Shard 2 of 2: 2 of 5 files, by count: the service is too old to plan shards\n')
  })

  it('fails where the service does not know the procedure', async () => {
    const { shard } = await createProject(FILES)
    const ran = await shard('2/2', { RUNLEDGER_GROUP: 'ci-12', RUNLEDGER_PROCEDURE_ID: 'unknown' })
    expect(ran).toMatchObject({ code: 1, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toContain('If they do, files of shard 2 may not have run.')
  })

  it('runs its part by count, and fails, where the service has no room for a plan', async () => {
    const { shard } = await createProject(FILES)
    const full = await answer(503, 'SERVICE_UNAVAILABLE', 'The plans take all the room.')
    const env = { RUNLEDGER_GROUP: 'ci-13', RUNLEDGER_URL: full.url, RUNLEDGER_API_KEY: 'rl_user_x' }
    const ran = await shard('2/2', env)
    await full.stop()
    expect(ran).toMatchObject({ code: 1, files: ['b.test.js', 'd.test.js'] })
    expect(ran.err).toContain('follow a plan (POST')
    expect(ran.err).toContain('The plans take all the room.')
  })

  it.each([
    ['a script of package.json', ['npm', 'test'], 'shard cannot tell which files "npm test" runs'],
    ['files', ['npx', 'vitest', 'run', 'src/a.test.ts'], 'leave "src/a.test.ts" out'],
    ['files after an option', ['npx', 'vitest', 'run', '--coverage', 'src/unit'], '--option=src/unit'],
    ['files after dashes', ['npx', 'jest', '--', 'src'], 'leave "src" out'],
    ['files after a value', ['npx', 'playwright', 'test', '--project', 'web', 'e2e'], 'leave "e2e" out'],
    ['a shard of its own', ['npx', 'jest', '--shard=1/2'], 'leave --shard=1/2 out'],
    ['no files of node --test', ['node', '--test'], 'name the files of node --test'],
    ['a folder of node --test', ['node', '--test', '.'], '. is a folder: name its files'],
  ])('refuses a command with %s', async (_what, command, message) => {
    const { code, err } = await service.run(['shard', '1/2', '--', ...command])
    expect(code).toBe(2)
    expect(err).toContain(message)
  })

  it.each(['0/2', '3/2', '1', '1/2000', 'x/y'])('refuses the shard %s', async (which) => {
    expect((await service.run(['shard', which, '--', 'npx', 'jest'])).code).toBe(2)
  })
})
