import { randomBytes } from 'node:crypto'
import type { RunDetail } from '@runledger/protocol'
import { sha256 } from '../support/digest'
import type { Random } from '../support/random'

/** Where requests go now: a service that is started again has another address. */
export interface Address {
  url: string
  apiKey: string
  procedureId: string
}

/** Where a database or a store may be away, these say that nothing was done, or, in the words, that nobody knows. */
const AWAY = [502, 503]
const UNKNOWN = /it may be stored or not/

/** The service answered, but not as it should. */
class WrongAnswerError extends Error {
  override name = 'WrongAnswerError'
}

type Progress = 'not begun' | 'sent' | 'acknowledged'

export interface KnownFile {
  name: string
  digest: string
  /** The bytes alone; once they are linked, or could be, the service has them. */
  received: Progress
  linked: Progress
  id?: string
}

/** A run as its client knows it. */
export interface KnownRun {
  key: string
  body: { steps: { name: string }[] } & Record<string, unknown>
  files: KnownFile[]
  deleted: Progress
  /** From the response to its creation. */
  id?: string
}

// Some files are equal, so that their bytes are shared and counted.
const SHARED_BYTES = Array.from({ length: 4 }, (_, index) =>
  Buffer.alloc(3_000 * (index + 1), `shared ${index} `),
)
const MAX_FILE_BYTES = 60_000

/** The service could not do it now, and said so. */
class AwayError extends Error {
  override name = 'AwayError'
}

/**
 * A client that creates, attaches and deletes until its service is gone or could not do something, and remembers what was
 * acknowledged.
 */
export class ServiceLoad {
  readonly runs: KnownRun[] = []
  readonly #name: string
  readonly #random: Random

  constructor(name: string, random: Random) {
    this.#name = name
    this.#random = random
  }

  /** Sends one thing after another until nothing is answered, or it is told to stop. @throws WrongAnswerError */
  async run(address: Address, stopping?: AbortSignal): Promise<void> {
    try {
      for (;;) {
        if (stopping?.aborted) return
        await this.#doSomething(address)
      }
    } catch (error) {
      if (error instanceof WrongAnswerError) throw error
    }
  }

  async #doSomething(address: Address): Promise<void> {
    const mayGo = this.runs.filter((run) => run.id !== undefined && run.deleted === 'not begun')
    const goner = mayGo[this.#random.between(0, mayGo.length * 5)]
    if (goner) return deleteRun(address, goner)
    const run = this.#makeRun()
    this.runs.push(run)
    await createRun(address, run)
    for (let count = this.#random.between(0, 2); count > 0; count -= 1) await this.#attach(address, run)
  }

  #makeRun(): KnownRun {
    const key = `${this.#name}-${this.runs.length}`
    const steps = Array.from({ length: this.#random.between(0, 30) }, (_, index) => ({
      name: `${key} step ${index}`,
      step_passed: true,
      started_at: '2026-11-20T09:00:00Z',
      duration: 'PT1S',
      ...(index % 2 === 0 ? {} : { measurement_value: index, measurement_unit: 'V' }),
    }))
    const unit_under_test = { serial_number: `SOAK-${this.#random.between(1, 5)}` }
    const body = {
      unit_under_test,
      run_passed: true,
      duration: 'PT1S',
      steps,
      report_variables: { soak: key },
    }
    if (this.#random.chance(0.7)) return { key, body, files: [], deleted: 'not begun' }
    const text = `log of ${key}`
    const file: KnownFile = { name: 'inline.log', digest: sha256(text), received: 'sent', linked: 'sent' }
    return {
      key,
      body: { ...body, inline_attachments: [{ name: file.name, text }] },
      files: [file],
      deleted: 'not begun',
    }
  }

  async #attach(address: Address, run: KnownRun): Promise<void> {
    const bytes = this.#random.chance(0.3)
      ? (SHARED_BYTES[this.#random.between(0, 3)] as Buffer)
      : randomBytes(this.#random.between(0, MAX_FILE_BYTES))
    const file: KnownFile = {
      name: `file ${run.files.length}.bin`,
      digest: sha256(bytes),
      received: 'not begun',
      linked: 'not begun',
    }
    run.files.push(file)
    const isOneShot = this.#random.chance(0.3)
    const path = isOneShot ? `/v2/runs/${run.id}/attachments` : '/v2/attachments'
    const { id, upload_url } = (await send(address, `POST ${path}`, { body: { name: file.name } })) as {
      id: string
      upload_url: string
    }
    file.id = id
    file.received = 'sent'
    if (isOneShot) file.linked = 'sent'
    await put(upload_url, bytes)
    file.received = 'acknowledged'
    if (isOneShot) file.linked = 'acknowledged'
    else await linkFile(address, run, file)
  }
}

/** Creates it, again with the same key where that was not acknowledged. */
export async function createRun(address: Address, run: KnownRun): Promise<void> {
  const body = { ...run.body, procedure_id: address.procedureId }
  const headers = { 'idempotency-key': run.key }
  const { id } = (await send(address, 'POST /v1/runs/create', { body, headers })) as { id: string }
  run.id = id
  for (const file of run.files) if (file.name === 'inline.log') file.received = file.linked = 'acknowledged'
}

export async function linkFile(address: Address, run: KnownRun, file: KnownFile): Promise<void> {
  file.linked = 'sent'
  await send(address, `PATCH /v2/runs/${run.id}`, { body: { attachments: [file.id] } })
  file.linked = 'acknowledged'
}

export async function deleteRun(address: Address, run: KnownRun): Promise<void> {
  const isAgain = run.deleted === 'sent'
  run.deleted = 'sent'
  await send(address, `DELETE /v2/runs?ids=${run.id}`, { accepts: isAgain ? [200, 404] : [200] })
  run.deleted = 'acknowledged'
}

interface Sent {
  body?: unknown
  headers?: Record<string, string>
  accepts?: readonly number[]
}

/** @throws WrongAnswerError for an answer that is none of those accepted; anything else where there was none */
export async function send(
  { url, apiKey }: Address,
  request: string,
  { body, headers, accepts = [200] }: Sent = {},
): Promise<unknown> {
  const [method = '', path = ''] = request.split(' ')
  const response = await fetch(url + path, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  refuseAway(response.status, text)
  if (!accepts.includes(response.status))
    throw new WrongAnswerError(`${request} answered ${response.status}: ${text}`)
  return JSON.parse(text) as unknown
}

async function put(url: string, bytes: Buffer): Promise<void> {
  const response = await fetch(url, { method: 'PUT', body: new Uint8Array(bytes) })
  const text = await response.text()
  refuseAway(response.status, text)
  if (response.status !== 200) throw new WrongAnswerError(`PUT answered ${response.status}: ${text}`)
}

function refuseAway(status: number, text: string): void {
  if (AWAY.includes(status) || UNKNOWN.test(text)) throw new AwayError(text)
}

/** What is wrong with a run as the service has it; undefined for a run that it does not have. */
export async function findFaults(known: KnownRun, stored: RunDetail | undefined): Promise<string[]> {
  if (!stored) return known.deleted === 'not begun' ? [`${known.key}: the run is lost`] : []
  if (known.deleted === 'acknowledged') return [`${known.key}: the run was deleted, and is there`]
  const faults: string[] = []
  const steps = stored.phases.map(({ name }) => name)
  const expected = known.body.steps.map(({ name }) => name)
  if (steps.join() !== expected.join()) faults.push(`has ${steps.length} steps instead of ${expected.length}`)
  const measured = stored.phases.filter(({ measurements }) => (measurements ?? []).length > 0)
  if (measured.length !== Math.floor(expected.length / 2)) faults.push(`has ${measured.length} measurements`)
  if (stored.metadata['soak'] !== known.key) faults.push('has other report variables')
  const names = stored.attachments.map(({ name }) => name)
  if (new Set(names).size < names.length) faults.push(`has an attachment twice: ${names.join()}`)
  for (const file of known.files) faults.push(...(await findFileFaults(file, stored)))
  return faults.map((fault) => `${known.key}: ${fault}`)
}

async function findFileFaults(file: KnownFile, { attachments }: RunDetail): Promise<string[]> {
  const stored = attachments.find(({ name }) => name === file.name)
  if (!stored) return file.linked === 'acknowledged' ? [`has lost ${file.name}`] : []
  const response = await fetch(stored.download_url ?? '')
  const digest = sha256(new Uint8Array(await response.arrayBuffer()))
  return response.status === 200 && digest === file.digest ? [] : [`has other bytes of ${file.name}`]
}
