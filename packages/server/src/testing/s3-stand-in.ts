import { AwsV4Signer } from 'aws4fetch'
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import type { S3Credentials } from '../base/config/storage-config'

const CREDENTIALS: S3Credentials = { accessKeyId: 'TESTKEY', secretAccessKey: 'TESTSECRET-of-the-store' }
const REGION = 'eu-test-1'

/** What the service uses of an S3 store, in memory; signatures and digests are compared, and it misbehaves on order. */
export interface S3StandIn {
  endpoint: string
  credentials: S3Credentials
  /** What `--storage` takes for a bucket, which is there from the beginning. */
  addressOf(bucket: string): string
  /** Bytes by bucket and name, as `bucket/aa/…`. What a test puts in was stored long ago. */
  objects: Map<string, Buffer>
  /** Moves the store's clock forward. */
  advance(seconds: number): void
  /** `PUT /bucket/aa/…` and the like, in the order received. */
  requests: string[]
  /** Answers requests of a method with this status, so many times; a status of 0 breaks the connection. */
  refuse(method: string, status: number, times?: number): void
  /** Lets requests of a method wait until what it returns is called. */
  hold(method: string): () => void
  stop(): Promise<void>
}

interface Bucket {
  objects: Map<string, Buffer>
  storedAtMs: WeakMap<Buffer, number>
  mediaTypes: WeakMap<Buffer, string>
  nowMs(): number
}

interface Refusal {
  method: string
  status: number
  times: number
}

interface S3StandInOptions {
  /** Where the bytes are kept, when there are too many for the memory. */
  folder?: string
}

export async function startS3StandIn({ folder }: S3StandInOptions = {}): Promise<S3StandIn> {
  const objects = folder === undefined ? new Map<string, Buffer>() : new ObjectsInFolder(folder)
  const bucket: Bucket = {
    objects,
    storedAtMs: new WeakMap(),
    mediaTypes: new WeakMap(),
    nowMs: () => Date.now() + aheadMs,
  }
  let aheadMs = 0
  const held = new Map<string, Promise<void>>()
  const requests: string[] = []
  let refusals: Refusal[] = []
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`)
    const refusal = refusals.find(({ method, times }) => method === request.method && times > 0)
    if (refusal) {
      refusal.times -= 1
      return refuse(request, response, refusal.status)
    }
    response.setHeader('date', new Date(bucket.nowMs()).toUTCString())
    const answered = Promise.resolve(held.get(request.method ?? '')).then(() =>
      answer(request, response, bucket),
    )
    answered.catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    endpoint,
    credentials: CREDENTIALS,
    addressOf: (name) => `s3://${name}?${new URLSearchParams({ endpoint, region: REGION }).toString()}`,
    objects,
    advance: (seconds) => void (aheadMs += seconds * 1000),
    requests,
    refuse: (method, status, times = Infinity) => {
      refusals = [...refusals.filter((each) => each.method !== method), { method, status, times }]
    },
    hold: (method) => {
      let release = () => undefined
      held.set(method, new Promise((resolve) => (release = resolve as () => undefined)))
      return () => {
        held.delete(method)
        release()
      }
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The map has the names alone. */
class ObjectsInFolder extends Map<string, Buffer> {
  readonly #folder: string

  constructor(folder: string) {
    super()
    this.#folder = folder
    mkdirSync(folder, { recursive: true })
  }

  override get(name: string): Buffer | undefined {
    return this.has(name) ? readFileSync(this.#pathOf(name)) : undefined
  }

  override set(name: string, bytes: Buffer): this {
    writeFileSync(this.#pathOf(name), bytes)
    return super.set(name, Buffer.alloc(0))
  }

  override delete(name: string): boolean {
    rmSync(this.#pathOf(name), { force: true })
    return super.delete(name)
  }

  #pathOf(name: string): string {
    return join(this.#folder, encodeURIComponent(name))
  }
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  if (status === 0) return void request.socket.destroy()
  response.writeHead(status).end(errorXml('SlowDown'))
}

async function answer(request: IncomingMessage, response: ServerResponse, bucket: Bucket): Promise<void> {
  const { objects, mediaTypes } = bucket
  const { method = 'GET', headers } = request
  const url = new URL(request.url ?? '/', `http://${headers.host}`)
  const name = url.pathname.slice(1)
  const body = await buffer(request)
  const refusal = await findRefusal(request, url, bucket)
  if (refusal) return void response.writeHead(refusal[0]).end(errorXml(refusal[1]))
  if (method === 'PUT') return put({ name, body }, request, { response, bucket })
  if (method === 'DELETE') {
    objects.delete(name)
    return void response.writeHead(204).end()
  }
  if (!/[^/]\/[^/]/.test(name))
    return void response.writeHead(200).end(method === 'GET' ? list(url, bucket) : '')
  const found = objects.get(name)
  if (!found) return void response.writeHead(404).end(method === 'GET' ? errorXml('NoSuchKey') : '')
  const [, start, end] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
  const part = start === undefined ? found : found.subarray(Number(start), Number(end) + 1)
  if (start !== undefined) response.setHeader('content-range', `bytes ${start}-${end}/${found.length}`)
  response.writeHead(start === undefined ? 200 : 206, {
    'content-length': part.length,
    etag: createEtag(found),
    ...(mediaTypes.has(found) && { 'content-type': mediaTypes.get(found) }),
  })
  response.end(method === 'GET' ? part : undefined)
}

function put(
  { name, body }: { name: string; body: Buffer },
  { headers }: IncomingMessage,
  {
    response,
    bucket: { objects, storedAtMs, mediaTypes, nowMs },
  }: { response: ServerResponse; bucket: Bucket },
): void {
  const digest = createHash('sha256').update(body).digest('hex')
  const said = headers['x-amz-content-sha256'] ?? 'UNSIGNED-PAYLOAD'
  if (said !== 'UNSIGNED-PAYLOAD' && said !== digest)
    return void response.writeHead(400).end(errorXml('XAmzContentSHA256Mismatch'))
  if (headers['if-none-match'] === '*' && objects.has(name))
    return void response.writeHead(412).end(errorXml('PreconditionFailed'))
  const source = headers['x-amz-copy-source']
  const copied = typeof source === 'string' ? objects.get(source.slice(1)) : undefined
  if (source !== undefined && !copied) return void response.writeHead(404).end(errorXml('NoSuchKey'))
  const wanted = headers['x-amz-copy-source-if-match']
  if (copied && wanted !== undefined && wanted !== createEtag(copied))
    return void response.writeHead(412).end(errorXml('PreconditionFailed'))
  const stored = copied ? Buffer.from(copied) : body
  objects.set(name, stored)
  storedAtMs.set(stored, nowMs())
  mediaTypes.set(stored, headers['content-type'] ?? 'binary/octet-stream')
  response.writeHead(200).end(copied && '<CopyObjectResult></CopyObjectResult>')
}

function createEtag(bytes: Buffer): string {
  return `"${createHash('md5').update(bytes).digest('hex')}"`
}

/** Ten names at a time, whatever is asked for, so that lists have several pages. */
function list({ pathname, searchParams }: URL, { objects, storedAtMs }: Bucket): string {
  const bucket = `${pathname.slice(1).replace(/\/$/, '')}/`
  const [prefix, after] = [searchParams.get('prefix') ?? '', searchParams.get('continuation-token') ?? '']
  const names = [...objects.keys()]
    .filter((name) => name.startsWith(bucket + prefix))
    .map((name) => name.slice(bucket.length))
    .filter((name) => name > after)
    .toSorted()
  const keys = names.slice(0, 10).map((name) => {
    const modified = new Date(storedAtMs.get(objects.get(bucket + name) as Buffer) ?? 0).toISOString()
    return `<Contents><Key>${escapeXml(name)}</Key><LastModified>${modified}</LastModified></Contents>`
  })
  const next =
    names.length > 10 ? `<NextContinuationToken>${escapeXml(names[9] ?? '')}</NextContinuationToken>` : ''
  return `<ListBucketResult><IsTruncated>${names.length > 10}</IsTruncated>${next}${keys.join('')}</ListBucketResult>`
}

/** Status and code of the answer to what may not be done, or cannot. */
async function findRefusal(
  request: IncomingMessage,
  url: URL,
  { nowMs }: Bucket,
): Promise<[status: number, code: string] | undefined> {
  const { headers } = request
  const isPresigned = url.searchParams.has('X-Amz-Signature')
  if (isPresigned && headers.authorization !== undefined) return [400, 'InvalidArgument']
  if (headers['transfer-encoding'] !== undefined) return [411, 'MissingContentLength']
  if (!(await (isPresigned ? isPresignedBy(request, url) : isSigned(request, url))))
    return [403, 'SignatureDoesNotMatch']
  return isPresigned && nowMs() > expiryOf(url) ? [403, 'AccessDenied'] : undefined
}

async function isSigned({ method, headers }: IncomingMessage, url: URL): Promise<boolean> {
  const [, names = ''] = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '') ?? []
  const signer = new AwsV4Signer({
    ...CREDENTIALS,
    method: method as string,
    url: url.href,
    headers: pickHeaders(headers, names),
    datetime: headers['x-amz-date'] as string,
    region: REGION,
    service: 's3',
  })
  return (await signer.sign()).headers.get('authorization') === headers.authorization
}

async function isPresignedBy({ method, headers }: IncomingMessage, { href }: URL): Promise<boolean> {
  const url = new URL(href)
  const given = url.searchParams.get('X-Amz-Signature')
  const names = url.searchParams.get('X-Amz-SignedHeaders') ?? ''
  const isWhole = Object.keys(headers).every(
    (name) => !name.startsWith('x-amz-') || names.split(';').includes(name),
  )
  const datetime = url.searchParams.get('X-Amz-Date') ?? ''
  for (const name of ['Signature', 'SignedHeaders', 'Date', 'Algorithm', 'Credential'])
    url.searchParams.delete(`X-Amz-${name}`)
  const signer = new AwsV4Signer({
    ...CREDENTIALS,
    method: method as string,
    url: url.href,
    headers: pickHeaders(headers, names),
    datetime,
    region: REGION,
    service: 's3',
    signQuery: true,
  })
  return isWhole && (await signer.sign()).url.searchParams.get('X-Amz-Signature') === given
}

function pickHeaders(headers: IncomingMessage['headers'], names: string): Record<string, string> {
  const signed = names.split(';').filter((name) => name !== '' && name !== 'host')
  return Object.fromEntries(signed.map((name) => [name, String(headers[name])]))
}

function expiryOf({ searchParams }: URL): number {
  const signedAt = (searchParams.get('X-Amz-Date') ?? '').replace(
    /^(\d{4})(\d\d)(\d\dT\d\d)(\d\d)(\d\dZ)$/,
    '$1-$2-$3:$4:$5',
  )
  return Date.parse(signedAt) + Number(searchParams.get('X-Amz-Expires')) * 1000
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}

function errorXml(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code></Error>`
}
