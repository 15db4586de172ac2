import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, it } from 'vitest'
import type { QuarantineList, SignedQuarantineList } from '@runledger/protocol'
import { quarantine, variablesOf } from '../frameworks/quarantine-entries'
import {
  commandOfShard,
  type Mutation,
  NEWEST_KINDS,
  type QuarantineKind,
  type QuarantineProject,
  reasonOf,
} from '../frameworks/quarantine-projects'
import { runCommand } from '../support/project'
import { Random } from '../support/random'
import { REPOSITORY } from '../support/repository'
import { type Service, startService } from '../support/service'

// npm run soak -- quarantine
const EXECUTIONS = Number(process.env['SOAK_EXECUTIONS'] ?? '8')
const SEED = process.env['SOAK_SEED'] ?? '1'
const CLI = path.join(REPOSITORY, 'packages/cli/dist/bin.js')

/** The share of each framework in the executions: faster ones have more. */
const SHARES: Record<QuarantineKind['framework'], number> = {
  jest: 0.34,
  vitest: 0.15,
  playwright: 0.05,
  'node:test': 0.46,
}

/** What the service does, which list an earlier execution kept, and the reason if no list can be used. */
const LISTS = {
  'sent by the service': {},
  'kept, the service down': { service: 'down', kept: 'as sent' },
  'kept, the service hangs': { service: 'hangs', kept: 'as sent' },
  'kept, the service breaks off': { service: 'breaks off', kept: 'as sent' },
  none: { service: 'down', reason: /list of quarantined tests/ },
  old: { service: 'down', kept: 'older than a day', reason: /is older than 24 hours/ },
  ended: { service: 'down', kept: 'with ended entries', reason: /the quarantine of "net › dials" has ended/ },
  forged: { service: 'down', kept: 'changed', reason: /has a wrong signature/ },
  'cut short': { service: 'down', kept: 'cut short', reason: /cannot be read/ },
  'refused to the key': { kept: 'as sent', env: { RUNLEDGER_API_KEY: 'rl_unknown' }, reason: /no list of/ },
  'of another procedure': {
    kept: 'as sent',
    env: { RUNLEDGER_PROCEDURE_ID: 'ANOTHER' },
    reason: /no list of/,
  },
} as const satisfies Record<string, ListState>

interface ListState {
  service?: 'down' | 'hangs' | 'breaks off'
  kept?: 'as sent' | 'older than a day' | 'with ended entries' | 'changed' | 'cut short'
  env?: Record<string, string>
  reason?: RegExp
}

interface Drawn {
  mutation: Mutation | undefined
  list: keyof typeof LISTS
}

describe.concurrent.each(NEWEST_KINDS)('executions of $framework at random', (kind) => {
  let service: Service
  let project: QuarantineProject
  let relay: Relay
  let kept: KeptLists

  beforeAll(async () => {
    service = await startService()
    project = await kind.create()
    relay = await startRelay(service)
    await project.run(variables())
    await quarantine(service, kind.file)
    await project.run(variables())
    kept = new KeptLists(`${project.dir}.state`, service.apiKey)
  })

  afterAll(async () => {
    await project.remove()
    relay.stop()
    await service.stop()
  })

  it(`end green only if every failure is quarantined (seed ${SEED})`, { timeout: 0 }, async (test) => {
    const random = new Random(`${SEED} ${kind.framework}`)
    const wrong: string[] = []
    for (let index = 0; index < EXECUTIONS * SHARES[kind.framework]; index += 1) {
      const group = `${SEED}-${index}`
      const problem = random.chance(0.03) ? await omitShard(group) : await execute(draw(random, kind), group)
      if (problem !== undefined) wrong.push(`${index}: ${problem}`)
    }
    test.expect(wrong).toEqual([])
  })

  async function execute({ mutation, list }: Drawn, group: string): Promise<string | undefined> {
    const state: ListState = LISTS[list]
    const home = kept.create(state.kept)
    relay.state = state.service
    const { exitCode, stderr } = await project.run({
      ...variables(),
      ...state.env,
      MUTATION: mutation,
      RUNLEDGER_DEADLINE_MS: state.service === undefined ? '10000' : '1000',
      RUNLEDGER_GROUP: group,
      XDG_STATE_HOME: home,
    })
    relay.state = undefined
    rmSync(home, { recursive: true })
    const mayPass = mutation === undefined && state.reason === undefined
    // After a load error, Playwright runs no test, and the list does not matter.
    const reasons = [state.reason, mutation && reasonOf(mutation, kind.framework)].filter(isDefined)
    const isExplained = mutation === 'killed' || mayPass || reasons.some((reason) => reason.test(stderr))
    return (exitCode === 0) === mayPass && isExplained
      ? undefined
      : `${mutation} with list ${list} ended with ${exitCode}: ${stderr}`
  }

  /** The gate fails until the second of two shards is on record. */
  async function omitShard(group: string): Promise<string | undefined> {
    const env = { ...variables(), RUNLEDGER_GROUP: group }
    const runShard = (shard: string) =>
      runCli(['run', '--', ...commandOfShard(project.command, kind.framework, shard)], env)
    const gate = () => runCli(['gate', group, '--fail-on', 'incomplete', '--wait', '0'], env)
    const first = await runShard('1/2')
    const before = await gate()
    const second = await runShard('2/2')
    const after = await gate()
    const codes = [first, before, second, after].map(({ exitCode }) => exitCode)
    if (codes.join(' ') === '0 1 0 0' && /shard 2|incomplete/i.test(before.stderr + before.stdout))
      return undefined
    return `two shards ended with ${codes.join(', ')}: ${before.stdout}${second.stderr}${after.stdout}`
  }

  const variables = () => variablesOf({ ...service, url: relay.url })

  const runCli = (words: string[], env: Record<string, string | undefined>) =>
    runCommand(process.execPath, [CLI, ...words], {
      dir: project.dir,
      env: { XDG_STATE_HOME: `${project.dir}.state`, ...env },
    })
})

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined

/** Half of the executions have a mutation, and half draw the state of the list. */
function draw(random: Random, { mutations }: QuarantineKind): Drawn {
  const [first, ...others] = mutations as [Mutation, ...Mutation[]]
  const lists = Object.keys(LISTS) as [Drawn['list'], ...Drawn['list'][]]
  return {
    mutation: random.chance(0.5) ? random.pick([first, ...others]) : undefined,
    list: random.chance(0.5) ? random.pick(lists) : 'sent by the service',
  }
}

interface KeptList {
  signed: SignedQuarantineList
  clock_lead_ms: number
}

/** Creates state folders that hold a list from an earlier execution, as it was or changed. */
class KeptLists {
  readonly #file: string
  readonly #kept: KeptList

  constructor(
    stateHome: string,
    private readonly apiKey: string,
  ) {
    const names = readdirSync(stateHome, { recursive: true, encoding: 'utf8' })
    this.#file = names.find((name) => /quarantine.*\.json$/.test(name)) as string
    this.#kept = JSON.parse(readFileSync(path.join(stateHome, this.#file), 'utf8')) as KeptList
  }

  create(kind: ListState['kept']): string {
    const home = mkdtempSync(path.join(os.tmpdir(), 'runledger-state-'))
    if (kind === undefined) return home
    const file = path.join(home, this.#file)
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(file, this.#write(kind), { mode: 0o600 })
    return home
  }

  #write(kind: NonNullable<ListState['kept']>): string {
    const { signed, clock_lead_ms } = this.#kept
    const list = JSON.parse(signed.list) as QuarantineList
    const past = new Date(Date.now() - 25 * 60 * 60 * 1000).toISOString()
    const ended = list.entries.map((entry) => ({ ...entry, ends_at: past }))
    switch (kind) {
      case 'as sent':
        return JSON.stringify(this.#kept)
      case 'older than a day':
        return JSON.stringify({ signed: this.#sign({ ...list, issued_at: past }), clock_lead_ms })
      case 'with ended entries':
        return JSON.stringify({ signed: this.#sign({ ...list, entries: ended }), clock_lead_ms })
      case 'changed':
        return JSON.stringify({ signed: { ...signed, list: `${signed.list} ` }, clock_lead_ms })
      case 'cut short':
        return JSON.stringify(this.#kept).slice(0, 100)
    }
  }

  #sign(changed: QuarantineList) {
    const list = JSON.stringify(changed)
    const key = createHash('sha256').update(this.apiKey).digest('base64url')
    return { list, signature: createHmac('sha256', key).update(list).digest('base64url') }
  }
}

interface Relay {
  url: string
  state: ListState['service']
  stop(): void
}

/** The address of the service for executions: a kept list counts only for one address. */
async function startRelay(service: Service): Promise<Relay> {
  const relay: Relay = { url: '', state: undefined, stop: () => server.close() }
  const server = createServer((near) => {
    near.on('error', () => undefined)
    if (relay.state === 'down') return void near.destroy()
    if (relay.state === 'hangs') return void near.resume()
    if (relay.state === 'breaks off') return void near.once('data', () => near.destroy())
    const far = connect(Number(new URL(service.url).port), '127.0.0.1')
    far.on('error', () => near.destroy())
    near
      .on('close', () => far.destroy())
      .pipe(far)
      .pipe(near)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return relay
}
