import { AwsV4Signer } from 'aws4fetch'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '../errors'
import type { Log } from '../log'
import type { ByteRange } from './blob-store'
import type { StagedFile } from './staging-folder'
import type { StorageAddress } from './storage-address'

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string
}

export interface S3BucketOptions {
  /** How long a request may take until its response begins, in milliseconds; a body has time for 1 MB/s besides. */
  limitMs?: number
  /** Is told that the store is away, once a minute while it is. */
  log?: Log | undefined
}

interface Ask {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Name of the object, without the prefix; the bucket itself, if there is none. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Called for each try: a stream can be sent once. */
  body?: () => Readable | string
  sizeBytes?: number
}

const TRIES = 3
const FIRST_DELAY_MS = 100
const LIST_SIZE = 500
const LOG_AGAIN_AFTER_MS = 60_000
const BYTES_PER_MS = 1000
// Of those that stores answer while they are busy or away, and the one for too many requests.
const TRY_AGAIN = new Set([429, 500, 502, 503, 504])

/** The requests to a bucket of an S3 store (https://docs.aws.amazon.com/AmazonS3/latest/API/), signed. */
export class S3Bucket {
  readonly #address: StorageAddress
  readonly #credentials: S3Credentials
  readonly #limitMs: number
  readonly #log: Log | undefined
  #loggedAtMs = -Infinity

  /** As it is told in messages. */
  get name(): string {
    return `the bucket ${this.#address.bucketUrl}${this.#address.prefix}`
  }

  constructor(
    address: StorageAddress,
    credentials: S3Credentials,
    { limitMs = 15_000, log }: S3BucketOptions = {},
  ) {
    this.#log = log
    this.#address = address
    this.#credentials = credentials
    this.#limitMs = limitMs
  }

  /** Rejects when the bucket cannot be reached, or not with these credentials. */
  async checkReachable(): Promise<void> {
    await finish(await this.#request({ method: 'HEAD' }))
  }

  /** Size of an object in bytes; undefined when there is none. */
  async findSize(key: string): Promise<number | undefined> {
    const response = await this.#request({ method: 'HEAD', key }, [404])
    await finish(response)
    return response.status === 404 ? undefined : Number(response.headers.get('content-length'))
  }

  /** The store compares what arrives with the digest, and stores it whole or not at all. */
  async putFile(key: string, { path, sha256, sizeBytes }: StagedFile): Promise<void> {
    const headers = { 'x-amz-content-sha256': sha256, 'content-type': 'application/octet-stream' }
    await finish(
      await this.#request({ method: 'PUT', key, headers, sizeBytes, body: () => createReadStream(path) }),
    )
  }

  /** Rejects when there is such an object already. */
  async putNewText(key: string, text: string): Promise<void> {
    const headers = { 'if-none-match': '*' }
    const sizeBytes = Buffer.byteLength(text)
    await finish(await this.#request({ method: 'PUT', key, headers, sizeBytes, body: () => text }))
  }

  async readText(key: string): Promise<string | undefined> {
    const response = await this.#request({ method: 'GET', key }, [404])
    const text = await response.text()
    return response.status === 404 ? undefined : text
  }

  async read(key: string, range?: ByteRange): Promise<Readable> {
    const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const { body, status } = await this.#request({ method: 'GET', key, headers }, [404])
    if (status === 404) throw new Error(`${this.name} has no ${key}, which is on record`)
    return Readable.fromWeb(body as ReadableStream)
  }

  async remove(key: string): Promise<void> {
    await finish(await this.#request({ method: 'DELETE', key }, [404]))
  }

  /** The names of all objects below the prefix, without it, some hundred at a time, in order. */
  async *list(): AsyncIterable<string[]> {
    const { prefix } = this.#address
    let after = prefix
    for (let isMore = true; isMore;) {
      const query = { 'list-type': '2', prefix, 'start-after': after, 'max-keys': String(LIST_SIZE) }
      const text = await (await this.#request({ method: 'GET', query })).text()
      // Names of ours have no character that XML would write otherwise; others are nobody's here.
      const names = Array.from(text.matchAll(/<Key>([^<]*)<\/Key>/g), ([, name = '']) => name)
      yield names.map((name) => name.slice(prefix.length))
      isMore = /<IsTruncated>true</.test(text) && names.length > 0
      after = names.at(-1) ?? ''
    }
  }

  /** @throws HttpError SERVICE_UNAVAILABLE when the store does not answer, or with neither success nor one of `expected` */
  async #request(ask: Ask, expected: readonly number[] = []): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(ask).catch((error: unknown) => error as Error)
      if (result instanceof Response && (result.ok || expected.includes(result.status))) return result
      const isWorthATry = result instanceof Error || TRY_AGAIN.has(result.status)
      const problem = result instanceof Error ? describeFailure(result) : await describeRefusal(result)
      if (attempt === TRIES || !isWorthATry)
        throw this.#isAway(`${ask.method} ${ask.key ?? 'bucket'}: ${problem}`)
      await sleep(FIRST_DELAY_MS * 2 ** attempt)
    }
  }

  #isAway(problem: string): HttpError {
    const message = 'The store of attachments did not do what it was asked. Send it again in a moment.'
    const error = new HttpError('SERVICE_UNAVAILABLE', message, {
      retryAfterSeconds: 5,
      cause: new Error(problem),
    })
    if (performance.now() - this.#loggedAtMs < LOG_AGAIN_AFTER_MS) return error
    this.#loggedAtMs = performance.now()
    this.#log?.error('The store of attachments cannot be used', error.cause)
    return error
  }

  async #send({ method, key, query = {}, headers = {}, body, sizeBytes = 0 }: Ask): Promise<Response> {
    const { bucketUrl, prefix, region } = this.#address
    const url = new URL(key === undefined ? bucketUrl : `${bucketUrl}${prefix}${key}`)
    url.search = new URLSearchParams(query).toString()
    const signer = new AwsV4Signer({
      ...this.#credentials,
      url: url.href,
      method,
      headers,
      region,
      service: 's3',
    })
    const signed = await signer.sign()
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), this.#limitMs + sizeBytes / BYTES_PER_MS)
    if (body !== undefined) signed.headers.set('content-length', String(sizeBytes))
    const content = body?.()
    try {
      return await fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(content !== undefined && { body: content, duplex: 'half' }),
        signal: late.signal,
        // Another host would be sent what was signed for this one.
        redirect: 'manual',
      })
    } finally {
      clearTimeout(timer)
      // Also when the store answered before it had read all of it.
      if (content instanceof Readable) content.destroy()
    }
  }
}

/** A response whose body nobody reads would hold its connection. */
async function finish(response: Response): Promise<void> {
  await response.body?.cancel()
}

/** Status and code of the store's answer; what else is in it may name keys. */
async function describeRefusal(response: Response): Promise<string> {
  const text = await response.text().catch(() => '')
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
  return `the store answered ${response.status} ${code}`.trim()
}

/** `fetch` says in the cause what went wrong. */
function describeFailure({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
