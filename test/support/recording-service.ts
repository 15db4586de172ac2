import type { SkippedTestInput, Step } from '@runledger/protocol'
import { createHash, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { answerJson, type ReceivedRequest } from './scripted-server'

export interface RecordedRun {
  id: string
  body: {
    run_passed: boolean
    report_variables: Record<string, string>
    attachments?: string[]
    inline_attachments?: { name: string; content_type: string; text: string }[]
    steps?: Step[]
    skipped?: SkippedTestInput[]
  }
  idempotencyKey: string | undefined
  /** SHA-256 of the linked attachments' bytes, by name. */
  attachments: Record<string, string>
  /** Names of all that was ever linked to it, those again that were linked again. */
  links: string[]
}

interface ReceivedAttachment {
  name: string
  sha256: string | undefined
  runId: string | undefined
  /** It came with its run. */
  isInline?: boolean
}

export interface ServiceTraits {
  /** Heeds `Idempotency-Key`. */
  honoursKeys: boolean
  /** Lists runs by their report variables. */
  hasLookUp: boolean
  /** Takes attachments with their run; others pass over them. */
  takesInline?: boolean
  /** Takes several runs in one request. */
  takesBatches?: boolean
}

/** A service of the interface in memory, with the contract's rules that delivery hangs on; it forgets what it is told to. */
export class RecordingService {
  readonly runs: RecordedRun[] = []
  readonly #attachments = new Map<string, ReceivedAttachment>()

  constructor(
    private readonly traits: ServiceTraits = {
      honoursKeys: true,
      hasLookUp: true,
      takesInline: true,
      takesBatches: true,
    },
  ) {}

  /** Drops every attachment that no run is linked to, as the service does after a day. */
  dropUnlinked(): void {
    for (const [id, { runId }] of this.#attachments) if (runId === undefined) this.#attachments.delete(id)
  }

  answer(request: ReceivedRequest, response: ServerResponse): void {
    const base = `http://${request.headers.host}`
    const { pathname, searchParams } = new URL(request.path, base)
    if (request.method === 'POST' && pathname === '/v1/runs/create') this.#create(request, response, base)
    else if (pathname === '/v1/runs/batch' && this.traits.takesBatches)
      this.#createAll(request, response, base)
    else if (request.method === 'GET' && pathname === '/v2/runs') this.#list(searchParams, response)
    else if (request.method === 'GET') this.#show(pathname, response)
    else if (request.method === 'POST' && pathname === '/v2/attachments')
      this.#initialize(request, response, base)
    else if (request.method === 'PUT') this.#receive(pathname, request.body, response)
    else if (request.method === 'PATCH') this.#link(pathname, request.body, response)
    else answerProblem(response, 404, 'no such route')
  }

  #create(request: ReceivedRequest, response: ServerResponse, base: string): void {
    const key = request.headers['idempotency-key'] as string | undefined
    const created = this.#createOne(key, JSON.parse(String(request.body)) as RecordedRun['body'], base)
    if (created === undefined) answerProblem(response, 409, CLASH)
    else answerJson(response, 200, created)
  }

  #createAll(request: ReceivedRequest, response: ServerResponse, base: string): void {
    const { runs } = JSON.parse(String(request.body)) as {
      runs: { idempotency_key: string; run: RecordedRun['body'] }[]
    }
    const results = runs.map(({ idempotency_key: key, run }) => {
      const created = this.#createOne(key, run, base)
      return created ? { created } : { error: { message: CLASH, status_code: 409, code: 'X', issues: [] } }
    })
    answerJson(response, 200, { runs: results })
  }

  /** Undefined when the key was used with another body. */
  #createOne(key: string | undefined, body: RecordedRun['body'], base: string): object | undefined {
    const known = this.traits.honoursKeys && this.runs.find(({ idempotencyKey }) => idempotencyKey === key)
    if (known && JSON.stringify(known.body) !== JSON.stringify(body)) return undefined
    const run = known || { id: randomUUID(), body, idempotencyKey: key, attachments: {}, links: [] }
    if (!known) this.#keep(run)
    const taken = this.traits.takesInline && body.inline_attachments && this.#listOf(run)
    return {
      id: run.id,
      url: `${base}/runs/${run.id}`,
      ...(taken && { inline_attachments: taken.filter(({ isInline }) => isInline) }),
    }
  }

  #keep(run: RecordedRun): void {
    this.runs.push(run)
    if (!this.traits.takesInline) return
    for (const { name, text } of run.body.inline_attachments ?? []) {
      const sha256 = createHash('sha256').update(text).digest('hex')
      this.#attachments.set(randomUUID(), { name, sha256, runId: run.id, isInline: true })
      run.attachments[name] = sha256
      run.links.push(name)
    }
  }

  #listOf({ id: runId }: RecordedRun): { id: string; name: string; isInline: boolean | undefined }[] {
    const linked = [...this.#attachments].filter(([, attachment]) => attachment.runId === runId)
    return linked.map(([id, { name, isInline }]) => ({ id, name, isInline }))
  }

  #show(pathname: string, response: ServerResponse): void {
    const run = this.runs.find(({ id }) => pathname === `/v2/runs/${id}`)
    if (!this.traits.hasLookUp || !run) return answerProblem(response, 404, 'no such run')
    answerJson(response, 200, { id: run.id, attachments: this.#listOf(run) })
  }

  #list(query: URLSearchParams, response: ServerResponse): void {
    if (!this.traits.hasLookUp) return answerProblem(response, 404, 'no such route')
    const wanted = JSON.parse(query.get('metadata') ?? '{}') as Record<string, { in: string[] }>
    const found = this.runs.filter(({ body }) =>
      Object.entries(wanted).every(([name, filter]) => filter.in.includes(body.report_variables[name] ?? '')),
    )
    const data = found.map(({ id, body }) => ({ id, metadata: body.report_variables }))
    answerJson(response, 200, { data, meta: { has_more: false, next_cursor: null } })
  }

  #initialize(request: ReceivedRequest, response: ServerResponse, base: string): void {
    const id = randomUUID()
    const { name } = JSON.parse(String(request.body)) as { name: string }
    this.#attachments.set(id, { name, sha256: undefined, runId: undefined })
    answerJson(response, 200, { id, upload_url: `${base}/uploads/${id}?sig=secret` })
  }

  #receive(pathname: string, body: Buffer, response: ServerResponse): void {
    const attachment = this.#attachments.get(pathname.split('/').at(-1) as string)
    if (!attachment) return answerProblem(response, 403, 'the upload address has expired')
    attachment.sha256 = createHash('sha256').update(body).digest('hex')
    response.writeHead(200).end()
  }

  #link(pathname: string, body: Buffer, response: ServerResponse): void {
    const run = this.runs.find(({ id }) => pathname === `/v2/runs/${id}`)
    const { attachments: ids } = JSON.parse(String(body)) as { attachments: string[] }
    const found = ids.map((id) => this.#attachments.get(id))
    if (!run || found.includes(undefined)) return answerProblem(response, 404, 'unknown run or attachment')
    if (found.some((attachment) => attachment?.sha256 === undefined))
      return answerProblem(response, 400, 'bytes not yet received')
    if (found.some((attachment) => ![undefined, run.id].includes(attachment?.runId)))
      return answerProblem(response, 409, 'an attachment is linked to another run')
    for (const attachment of found as ReceivedAttachment[]) {
      attachment.runId = run.id
      run.links.push(attachment.name)
      run.attachments[attachment.name] = attachment.sha256 as string
    }
    answerJson(response, 200, { id: run.id })
  }
}

const CLASH = 'the key was used with another body'

function answerProblem(response: ServerResponse, statusCode: number, message: string): void {
  answerJson(response, statusCode, { message, status_code: statusCode, code: 'X', issues: [] })
}
