import { setTimeout } from 'node:timers/promises'
import type { OpenApiDocument, OpenApiMethod, OpenApiOperation } from '../../../packages/protocol/src/index'
import { Random } from '../../support/random'
import { openRowCounter, type RowCounter } from '../count-rows'
import { createWholeRun, FAILED_PHASE } from '../sample-run'
import type { World } from '../world'
import { type DescribedOperation, type FuzzRequest, generateRequest } from './generate-request'
import { Judge } from './judge'
import { Pool } from './pool'
import { RawClient, type RawRequest, type Sent } from './raw-client'
import { shrink } from './shrink'
import { pick } from './valid-value'

const LIMIT_MS = 10_000
/** Time for the service to finish the work of a request that broke off. */
const BROKEN_OFF_MS = 50
const RUN_CREATIONS = ['createRun', 'createV1Run', 'createLenientV1Run']
/** Operations that end what the fuzzing stands on: they are put right after each success. */
const RESTORE = new Set(['updateSettings'])
const MAX_SHOWN = 3000

export interface FuzzResult {
  requests: number
  /** How many answers had each status. */
  statuses: Record<string, number>
  /** Operations that succeeded at least once. */
  succeeded: Set<string>
  /** Operations that never did. */
  unreached: string[]
  failures: string[]
}

/** Sends requests made from the service's own description, and judges each response by it. */
export class Fuzzer {
  readonly #world: World
  readonly #seed: string
  readonly #client: RawClient
  #description!: OpenApiDocument
  #judge!: Judge
  #pool!: Pool
  #rows!: RowCounter
  #counts = ''
  #brokeOff = false

  constructor(world: World, seed: string) {
    this.#world = world
    this.#seed = seed
    this.#client = new RawClient(world.server.url, LIMIT_MS)
  }

  async run(requests: number, maxFailures = 5): Promise<FuzzResult> {
    await this.#prepare()
    const operations = listOperations(this.#description)
    const result: FuzzResult = {
      requests: 0,
      statuses: {},
      succeeded: new Set(),
      unreached: [],
      failures: [],
    }
    for (let index = 0; index < requests && result.failures.length < maxFailures; index += 1) {
      const random = new Random(`${this.#seed}/${index}`)
      const described = pick(random, operations) as DescribedOperation
      const request = generateRequest({
        description: this.#description,
        random,
        pool: this.#pool,
        path: described.path,
        procedureId: this.#world.procedureId,
        keys: this.#world.keys,
        described,
      })
      const sent = await this.#client.send(request.raw)
      const failure = await this.#judgeAll(request, sent)
      result.requests += 1
      note(result, request, sent)
      if (failure !== undefined) result.failures.push(await this.#report(index, request, { failure, sent }))
      await this.#after(request, sent)
    }
    const names = new Set(operations.map(({ operation }) => operation.operationId))
    result.unreached = [...names].filter((name) => !result.succeeded.has(name))
    this.#client.close()
    await this.#rows.close()
    return result
  }

  async #prepare(): Promise<void> {
    const { server, client, procedureId, stationId } = this.#world
    this.#description = (await (await server.send('GET', '/openapi.json')).json()) as OpenApiDocument
    this.#judge = new Judge(this.#description)
    const [keys, stations, users] = await Promise.all([
      client.listKeys(),
      client.listStations(),
      client.listUsers(),
    ])
    const kept = [keys, stations, users].flatMap((page) => listIds(page))
    this.#pool = new Pool([procedureId, stationId, ...kept])
    // Hardly a body that is made says why a test failed.
    const phases = [{ ...FAILED_PHASE, error: { message: 'boom' } }]
    const failed = await client.createRun({ body: createWholeRun(this.#world, { phases }) as never })
    this.#pool.harvest('/v2/errors', await client.listErrors({ query: {} }))
    this.#pool.add('verdicts.id', failed.id)
    // The first of them makes the row that all of them write.
    await server.send('GET', '/readyz')
    this.#rows = await openRowCounter(server)
    this.#counts = await this.#count()
  }

  /**
   * A refused request and one that only reads leave nothing behind: no half of a run, nothing. What comes of one that
   * broke off may be stored later: it is given some time, and is not the next one's.
   */
  async #judgeStore({ raw, mutations, isWhole }: FuzzRequest, sent: Sent): Promise<string | undefined> {
    const before = this.#counts
    const mayBeLate = this.#brokeOff
    if (typeof sent !== 'object' && !isWhole) await setTimeout(BROKEN_OFF_MS)
    this.#counts = await this.#count()
    this.#brokeOff = typeof sent !== 'object' && !isWhole
    const mayWrite = typeof sent === 'object' ? sent.status < 400 && !isReading(raw.method) : !isWhole
    if (mayWrite || mayBeLate || before === this.#counts) return undefined
    return `store: a refused request left something: ${diff(before, this.#counts)} (${mutations.join(', ')})`
  }

  async #judgeAll(request: FuzzRequest, sent: Sent): Promise<string | undefined> {
    const failure = this.#judge.judge(request, sent) ?? (await this.#judgeStore(request, sent))
    const logged = this.#world.server.logged.splice(0).join('; ')
    if (logged === '') return failure
    return `${failure ?? 'log: the service logged an error'}\n  logged: ${logged.slice(0, 500)}`
  }

  /** Waits for deletions, whose rows go in the background. */
  async #count(): Promise<string> {
    const untilMs = performance.now() + LIMIT_MS
    for (;;) {
      const counts = await this.#rows.count()
      if (counts['deletions'] === 0 || performance.now() > untilMs) return JSON.stringify(counts)
      await setTimeout(5)
    }
  }

  async #after({ described: { path, operation }, isRouted, raw }: FuzzRequest, sent: Sent): Promise<void> {
    if (typeof sent !== 'object' || sent.status !== 200) return
    if (sent.headers['content-type'] === 'application/json' && raw.method !== 'HEAD') {
      const answer: unknown = JSON.parse(sent.body.toString())
      if (isRouted && operation.operationId !== 'getDescription') this.#pool.harvest(path, answer)
    }
    if (!RESTORE.has(operation.operationId) || raw.method === 'GET') return
    const settings = await this.#world.client.getSettings()
    await this.#world.client.updateSettings({
      body: Object.fromEntries(Object.keys(settings).map((name) => [name, null])),
    })
    this.#counts = await this.#count()
  }

  async #report(index: number, request: FuzzRequest, seen: { failure: string; sent: Sent }): Promise<string> {
    const kind = seen.failure.split(':')[0]
    const smaller = await shrink(request.raw, async (raw) => {
      const before = await this.#count()
      this.#counts = before
      const sent = await this.#client.send(raw)
      const one = { ...request, raw }
      const failure = await this.#judgeAll(one, sent)
      return failure?.split(':')[0] === kind
    })
    const answer =
      typeof seen.sent === 'object'
        ? `${seen.sent.status} ${seen.sent.body.toString().slice(0, 600)}`
        : seen.sent
    return [
      `${seen.failure}`,
      `  operation ${request.described.operation.operationId}, request ${index} of seed ${this.#seed}, as ${request.as}`,
      `  done to it: ${request.mutations.join(', ') || 'nothing'}`,
      `  answer: ${answer}`,
      `  request, shrunk:\n${show(smaller)}`,
    ].join('\n')
  }
}

function listOperations({ paths }: OpenApiDocument): DescribedOperation[] {
  const all = Object.entries(paths).flatMap(([path, item]) =>
    (Object.entries(item) as [OpenApiMethod, OpenApiOperation][]).map(([method, operation]) => ({
      path,
      method,
      operation,
    })),
  )
  const creations = all.filter(({ operation }) => RUN_CREATIONS.includes(operation.operationId))
  // The description itself is long and always the same.
  const rest = all.filter(({ operation }) => operation.operationId !== 'getDescription')
  return [...rest, ...creations, ...creations]
}

function listIds(page: object): string[] {
  const { data } = page as { data?: { id: string }[] }
  return (data ?? []).map(({ id }) => id)
}

function isReading(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}

function note(result: FuzzResult, { described, isRouted }: FuzzRequest, sent: Sent): void {
  const status = typeof sent === 'object' ? String(sent.status) : sent
  result.statuses[status] = (result.statuses[status] ?? 0) + 1
  if (isRouted && status === '200') result.succeeded.add(described.operation.operationId)
}

function diff(before: string, after: string): string {
  const [old, now] = [before, after].map((text) => JSON.parse(text) as Record<string, number>) as [
    Record<string, number>,
    Record<string, number>,
  ]
  return Object.keys(now)
    .filter((table) => now[table] !== old[table])
    .map((table) => `${table} ${old[table]} → ${now[table]}`)
    .join(', ')
}

function show({ method, target, headers, body, framing }: RawRequest): string {
  const lines = headers.map(
    ([name, value]) => `${name}: ${name === 'Authorization' ? value.slice(0, 15) : value}`,
  )
  const text = body?.toString() ?? ''
  return [`${method} ${target}`, ...lines, `(${framing}, ${body?.length ?? 0} bytes)`, text]
    .join('\n')
    .slice(0, MAX_SHOWN)
}
