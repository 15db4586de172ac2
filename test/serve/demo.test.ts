import { generateYear, seed, type Build, type RunToSend } from '@runledger/demo-data'
import { createRequest, type Build as AnsweredBuild } from '@runledger/protocol'
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

const DAYS = 20

interface Runs {
  data: { id: string; outcome: string }[]
}

function submissionOf(run: Pick<RunToSend, 'request'> | undefined): string {
  const variables = run?.request.report_variables as Record<string, string> | undefined
  return variables?.['submission_id'] ?? ''
}

describe('a seeded service', () => {
  const year = generateYear({ nowMs: Date.now(), days: DAYS })
  let service: Service
  let builds: Build[]

  beforeAll(async () => {
    service = await startService()
    builds = year.projects.flatMap((project) => [...year.listBuilds(project)])
    await seed(year, { url: service.url, apiKey: service.apiKey })
  })

  afterAll(() => service.stop())

  const read = async <Answer>(pathname: string) => (await (await service.get(pathname)).json()) as Answer

  it('has every run that was sent, with its steps, errors and times', async () => {
    const boards = [...year.listBoards()]
    const sent = builds.flatMap((build) => build.runs).length
    const ofBoards = boards.flatMap(({ module, finalTests }) => [...(module ? [module] : []), ...finalTests])
    const stored = await service.readAllRuns()
    expect(stored.length).toBe(sent + ofBoards.length)
    const bySubmission = new Map(stored.map((run) => [run.metadata?.['submission_id'], run]))
    for (const { request } of builds.flatMap((build) => build.runs)) {
      const run = bySubmission.get(submissionOf({ request }))
      expect(run?.outcome).toBe(request.run_passed ? 'PASS' : 'FAIL')
      expect(run?.started_at).toBe(request.started_at)
      expect(run?.metadata).toMatchObject(request.report_variables ?? {})
      const phases = run?.phases.map(({ name, outcome, error }) => [name, outcome, error?.message])
      expect(phases).toEqual(
        request.steps?.map((step) => [step.name, step.step_passed ? 'PASS' : 'FAIL', step.error?.message]),
      )
      expect(run?.attachments.map(({ name }) => name).toSorted()).toEqual(request.attachments?.toSorted())
    }
  })

  it('shows the incomplete build, and what of it is missing', async () => {
    const { group, shard } = year.planted.incomplete
    const [index, total] = shard.split('/')
    const answered = await read<AnsweredBuild>(`/v2/builds/${group}`)
    expect(answered).toMatchObject({ state: 'incomplete', branch: 'main' })
    expect(answered.missing[0]).toContain(`shard ${index} of ${total}`)
  })

  it('keeps the screenshots of failed attempts', async () => {
    const wanted = builds.flatMap((build) => build.runs).find(({ files }) => files.length > 0)
    const metadata = { submission_id: { in: [submissionOf(wanted)] } }
    const { data } = await read<Runs>(createRequest('listRuns', { query: { metadata } }).path)
    const run = await service.readRun(data[0]?.id ?? '')
    for (const { name, bytes } of wanted?.files ?? [])
      expect(Buffer.compare(await service.download(run, name), bytes)).toBe(0)
  })

  it('has the stations, operators and golden unit of the line', async () => {
    const { data } = await read<{ data: { name: string }[] }>('/v2/stations')
    expect(data.map(({ name }) => name)).toEqual(expect.arrayContaining(['Final test 1', 'Module test']))
    const { retested, golden } = year.planted.line
    const runs = await read<Runs>(`/v2/runs?serial_numbers=${retested.serialNumber}&limit=100`)
    expect(runs.data.map(({ outcome }) => outcome).toSorted()).toEqual([
      'FAIL',
      'FAIL',
      'FAIL',
      'FAIL',
      'PASS',
    ])
    expect(await read(`/v2/units/${golden}`)).toMatchObject({ sample: 'golden' })
  })
})

describe('runledger serve --demo', () => {
  const BIN = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  let folder: string
  let child: ChildProcess | undefined

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'runledger-demo-'))
  })

  afterEach(async () => {
    child?.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })

  /** Starts the command; what it has printed when it ends, or when `isDone` says so. */
  async function serve(flags: string[], isDone: (line: string) => boolean = () => false) {
    const { RUNLEDGER_DATABASE: _, RUNLEDGER_STORAGE: __, ...env } = process.env
    const started = spawn(process.execPath, [BIN, 'serve', '--demo', '--port', '0', ...flags], {
      cwd: folder,
      env: { ...env, RUNLEDGER_DATA: path.join(folder, '.runledger') },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const lines: string[] = []
    let errors = ''
    started.stderr.on('data', (chunk) => (errors += String(chunk)))
    const ended = new Promise<number | null>((resolve) => started.once('close', resolve))
    for await (const line of createInterface({ input: started.stdout })) {
      lines.push(line)
      if (isDone(line)) started.kill('SIGTERM')
    }
    return { lines, errors, code: await ended }
  }

  it('puts the demo on record in a folder of its own, prints a link, and refuses to add another', async () => {
    await mkdir(path.join(folder, '.runledger'))
    await writeFile(path.join(folder, '.runledger/note.txt'), 'mine')
    const first = await serve(['--days', String(DAYS)], (line) => line.startsWith('Stop with'))
    expect(first).toMatchObject({ code: 0, errors: '' })
    const text = first.lines.join('\n')
    expect(text).toMatch(/On record are \d+ builds and [\d,]+ runs of four projects and a production line/)
    expect(text).toMatch(/Sign in with {6}http:\/\/127\.0\.0\.1:\d+\/sign-in\?code=[\w-]{43}\n/)
    expect(await readdir(path.join(folder, '.runledger'))).toEqual(['note.txt'])
    expect((await readdir(folder)).toSorted()).toEqual(['.runledger', '.runledger-demo'])
    const second = await serve(['--days', String(DAYS)])
    expect(second.code).toBe(1)
    expect(second.errors).toContain(`.runledger-demo has runs already: serve it with "runledger serve --data`)
  })

  it('stops on a signal while it still fills the record, without an error', async () => {
    const { code, errors, lines } = await serve(['--json'], (line) => line.includes('sign_in_url'))
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect(lines).toHaveLength(1)
  })

  it('refuses an invalid number of days, and too few', async () => {
    for (const days of ['many', '3']) {
      const { code, errors } = await serve(['--days', days])
      expect(code).toBe(2)
      expect(errors).toContain('--days must be a whole number from 20 to 3650')
    }
    expect(await readdir(folder)).toEqual([])
  })
})
