import { BlobDamagedError } from './blob-store'

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

/** Empty without such an element. */
export function readElement(xml: string, name: string): string {
  return new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1] ?? ''
}

export function decodeXml(text: string): string {
  return text.replaceAll(/&(\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole)
}

/** Leaves out the rest of the response, which may name keys. */
export function describeRefusal(status: number, text: string): string {
  const [, code = ''] = /<Code>(\w+)<\/Code>/.exec(text) ?? []
  return `the store answered ${status} ${code}`.trim()
}

/** Undefined if the response has an object of the recorded size. */
export function findProblem(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  { store, key, sizeBytes }: { store: string; key: string; sizeBytes: number | undefined },
): Error | undefined {
  if (status === 404)
    return Object.assign(new Error(`${store} has no ${key}, which is on record`), { code: 'ENOENT' })
  // `bytes 0-9/100`, or `bytes */100` if the range begins after the end.
  const [, total] = headers.get('content-range')?.split('/') ?? []
  const found = Number(total ?? headers.get('content-length') ?? sizeBytes)
  const isOfSize = status !== 416 && (sizeBytes === undefined || found === sizeBytes)
  return isOfSize ? undefined : new BlobDamagedError(key, found, sizeBytes ?? NaN)
}
