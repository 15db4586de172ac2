import { AwsV4Signer } from 'aws4fetch'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError } from '../../base/errors'
import type { Log } from '../../base/log'
import { measureBytes } from '../folder/blob-files'
import type { BytesWanted } from './blob-store'
import { decodeXml, describeRefusal, findProblem, readElement } from './s3-answers'
import type { StagedFile } from './staging-folder'
import type { StorageAddress } from '../../base/config/storage-address'
import type { S3Credentials } from '../../base/config/storage-config'

export interface S3BucketOptions {
  /** Limit in milliseconds; a body adds a second for each MB. Reading a response has no limit. */
  limitMs?: number
  /** Logs that the store is unreachable, once a minute. */
  log?: Log | undefined
}

interface Ask {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE'
  /** Without the prefix; the bucket itself if undefined. */
  key?: string
  query?: Record<string, string>
  headers?: Record<string, string>
  /** Called for each attempt, because a stream can be sent once. */
  body?: () => Readable | string
  sizeBytes?: number
}

export interface FoundObject {
  sizeBytes: number
  contentType: string | undefined
  /** Every object stored under this name has its own ETag. */
  etag: string
}

export interface ListedObject {
  /** Without the prefix. */
  name: string
  /** By the clock of the store; NaN if it does not say. */
  ageMs: number
}

interface Answer {
  status: number
  headers: Headers
  text: string
}

const TRIES = 3
const FIRST_DELAY_MS = 100
const LIST_SIZE = 500
const LOG_AGAIN_AFTER_MS = 60_000
const BYTES_PER_MS = 1000
const TRY_AGAIN = new Set([429, 500, 502, 503, 504])

/** Signed requests (https://docs.aws.amazon.com/AmazonS3/latest/API/). */
export class S3Bucket {
  readonly #address: StorageAddress
  readonly #findCredentials: () => Promise<S3Credentials>
  readonly #limitMs: number
  readonly #log: Log | undefined
  #loggedAtMs = -Infinity

  get name(): string {
    return `the bucket ${this.#address.bucketUrl}${this.#address.prefix}`
  }

  constructor(
    address: StorageAddress,
    credentials: S3Credentials | (() => Promise<S3Credentials>),
    { limitMs = 15_000, log }: S3BucketOptions = {},
  ) {
    this.#log = log
    this.#address = address
    this.#findCredentials =
      typeof credentials === 'function' ? credentials : () => Promise.resolve(credentials)
    this.#limitMs = limitMs
  }

  /** Rejects when the bucket is unreachable or refuses the credentials. */
  async checkReachable(): Promise<void> {
    await this.#ask({ method: 'HEAD' }, [])
  }

  async find(key: string): Promise<FoundObject | undefined> {
    const { status, headers } = await this.#ask({ method: 'HEAD', key }, [404])
    if (status === 404) return undefined
    return {
      sizeBytes: Number(headers.get('content-length')),
      contentType: headers.get('content-type') ?? undefined,
      etag: headers.get('etag') ?? '',
    }
  }

  /** The address accepts an object of any size. */
  async presignPut(key: string, lifeSeconds: number): Promise<string> {
    const url = this.#locate(key)
    url.searchParams.set('X-Amz-Expires', String(lifeSeconds))
    const { region } = this.#address
    const signer = new AwsV4Signer({
      ...(await this.#findCredentials()),
      url: url.href,
      method: 'PUT',
      region,
      service: 's3',
      signQuery: true,
    })
    return (await signer.sign()).url.href
  }

  /** Copies without the metadata; false when the object is gone or was replaced. */
  async copy(from: string, to: string, { etag, sizeBytes }: FoundObject): Promise<boolean> {
    const { bucket, prefix } = this.#address
    const headers = {
      'x-amz-copy-source': `/${bucket}/${prefix}${from}`,
      'x-amz-copy-source-if-match': etag,
      'x-amz-metadata-directive': 'REPLACE',
      'content-type': 'application/octet-stream',
    }
    const { status, text } = await this.#ask({ method: 'PUT', key: to, headers, sizeBytes }, [404, 412])
    if (status === 404 || status === 412) return false
    // A copy may fail after its status 200.
    if (!text.includes('CopyObjectResult'))
      throw this.#createError(`PUT ${to}: ${describeRefusal(status, text)}`)
    return true
  }

  /** The store checks the digest, and stores all or nothing. */
  async putFile(key: string, { path, sha256, sizeBytes }: StagedFile): Promise<void> {
    const headers = { 'x-amz-content-sha256': sha256, 'content-type': 'application/octet-stream' }
    await this.#ask({ method: 'PUT', key, headers, sizeBytes, body: () => createReadStream(path) }, [])
  }

  /** @throws Error when there is such an object already; a store without conditions may miss one just made */
  async putNewText(key: string, text: string): Promise<void> {
    const headers = { 'if-none-match': '*' }
    await this.#ask(
      { method: 'PUT', key, headers, sizeBytes: Buffer.byteLength(text), body: () => text },
      [412],
    )
    if ((await this.readText(key)) !== text) throw new Error(`another process has just created ${key}`)
  }

  async readText(key: string): Promise<string | undefined> {
    const { status, text } = await this.#ask({ method: 'GET', key }, [404])
    return status === 404 ? undefined : text
  }

  /** Rejects when there is no such object, or it cannot be read now. @throws BlobDamagedError for another size */
  async read(key: string, { range, sizeBytes }: BytesWanted = {}): Promise<Readable> {
    const headers: Record<string, string> = range ? { range: `bytes=${range.start}-${range.end}` } : {}
    const toStream = (response: Response) => Promise.resolve(response)
    const response = await this.#request({ method: 'GET', key, headers }, [404, 416], toStream)
    const problem = findProblem(response, { store: this.name, key, sizeBytes })
    if (problem === undefined) return Readable.fromWeb(response.body as ReadableStream)
    // An unread body would hold its connection.
    await response.body?.cancel()
    throw problem
  }

  /** Rejects as `read` does. @throws HttpError SERVICE_UNAVAILABLE when the store breaks off */
  async measure(key: string): Promise<{ sha256: string; sizeBytes: number }> {
    return measureBytes(await this.read(key)).catch((error: unknown) => {
      throw this.#createError(`GET ${key}: ${describeFailure(error)}`)
    })
  }

  async remove(key: string): Promise<void> {
    await this.#ask({ method: 'DELETE', key }, [404])
  }

  /** Objects whose names begin with `beginning`, some hundred at a time, in the order of their names. */
  async *list(beginning = ''): AsyncIterable<ListedObject[]> {
    const { prefix } = this.#address
    let rest: Record<string, string> | undefined = {}
    while (rest) {
      const query = { 'list-type': '2', prefix: prefix + beginning, 'max-keys': String(LIST_SIZE), ...rest }
      const { text, headers } = await this.#ask({ method: 'GET', query }, [])
      const answeredAtMs = Date.parse(headers.get('date') ?? '')
      yield Array.from(text.matchAll(/<Contents>(.*?)<\/Contents>/gs), ([, object = '']) => ({
        name: decodeXml(readElement(object, 'Key')).slice(prefix.length),
        ageMs: answeredAtMs - Date.parse(readElement(object, 'LastModified')),
      }))
      const isMore = /<IsTruncated>true</.test(text)
      const [, token] = /<NextContinuationToken>([^<]+)</.exec(text) ?? []
      rest = isMore && token !== undefined ? { 'continuation-token': decodeXml(token) } : undefined
    }
  }

  #ask(ask: Ask, expected: readonly number[]): Promise<Answer> {
    return this.#request(ask, expected, async (response) => {
      const { status, headers } = response
      return { status, headers, text: await response.text() }
    })
  }

  /**
   * @param take takes what is wanted of a response, within the time that the request has
   * @throws HttpError SERVICE_UNAVAILABLE when the store does not answer, or with neither success nor one of `expected`
   */
  async #request<Taken>(
    ask: Ask,
    expected: readonly number[],
    take: (response: Response) => Promise<Taken>,
  ): Promise<Taken> {
    const takeExpected = async (response: Response) => {
      if (response.ok || expected.includes(response.status)) return { taken: await take(response) }
      return { status: response.status, problem: describeRefusal(response.status, await response.text()) }
    }
    for (let attempt = 1; ; attempt += 1) {
      const result = await this.#send(ask, takeExpected).catch((error: unknown) => ({
        status: undefined,
        problem: describeFailure(error),
      }))
      if ('taken' in result) return result.taken
      const isWorthATry = result.status === undefined || TRY_AGAIN.has(result.status)
      if (attempt === TRIES || !isWorthATry)
        throw this.#createError(`${ask.method} ${ask.key ?? 'bucket'}: ${result.problem}`)
      await sleep(FIRST_DELAY_MS * 2 ** attempt)
    }
  }

  #createError(problem: string): HttpError {
    const cause = new Error(problem)
    if (performance.now() - this.#loggedAtMs >= LOG_AGAIN_AFTER_MS) {
      this.#loggedAtMs = performance.now()
      this.#log?.error('The store of attachments cannot be used', cause)
    }
    const message = 'The store of attachments did not do what it was asked. Send it again in a moment.'
    return new HttpError('SERVICE_UNAVAILABLE', message, { retryAfterSeconds: 5, cause })
  }

  #locate(key?: string): URL {
    const { bucketUrl, prefix } = this.#address
    return new URL(key === undefined ? bucketUrl : `${bucketUrl}${prefix}${key}`)
  }

  async #send<Taken>(
    { method, key, query = {}, headers = {}, body, sizeBytes = 0 }: Ask,
    take: (response: Response) => Promise<Taken>,
  ): Promise<Taken> {
    const { region } = this.#address
    const url = this.#locate(key)
    url.search = new URLSearchParams(query).toString()
    const signer = new AwsV4Signer({
      ...(await this.#findCredentials()),
      url: url.href,
      method,
      headers,
      region,
      service: 's3',
    })
    const signed = await signer.sign()
    const late = new AbortController()
    const limitMs = this.#limitMs + sizeBytes / BYTES_PER_MS
    const timer = setTimeout(() => late.abort(new Error(`no answer within ${limitMs / 1000} s`)), limitMs)
    if (body !== undefined) signed.headers.set('content-length', String(sizeBytes))
    const content = body?.()
    try {
      const response = await fetch(signed.url, {
        method,
        headers: signed.headers,
        ...(content !== undefined && { body: content, duplex: 'half' }),
        signal: late.signal,
        // A redirect would send the signature to another host.
        redirect: 'manual',
      })
      return await take(response)
    } finally {
      clearTimeout(timer)
      // Also when the store responds before it has read the whole body.
      if (content instanceof Readable) content.destroy()
    }
  }
}

function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, cause } = error
  return cause instanceof Error ? `${message}: ${cause.message}` : message
}
