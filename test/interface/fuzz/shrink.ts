import type { RawRequest } from './raw-client'

const MAX_TRIES = 150

/** A smaller request that fails in the same way: with fewer headers, pairs of the query and values of the body. */
export async function shrink(
  request: RawRequest,
  failsAlike: (smaller: RawRequest) => Promise<boolean>,
): Promise<RawRequest> {
  let current = request
  let tries = 0
  for (let again = true; again;) {
    again = false
    for (const smaller of listSmaller(current)) {
      if ((tries += 1) > MAX_TRIES) return current
      if (!(await failsAlike(smaller))) continue
      current = smaller
      again = true
      break
    }
  }
  return current
}

function* listSmaller(request: RawRequest): Generator<RawRequest> {
  const { headers, target, body } = request
  for (const [index] of headers.entries()) yield { ...request, headers: headers.toSpliced(index, 1) }
  const [path = '', query] = target.split(/\?(.*)/s)
  const pairs = query?.split('&') ?? []
  for (const [index] of pairs.entries()) {
    const left = pairs.toSpliced(index, 1).join('&')
    yield { ...request, target: left === '' ? path : `${path}?${left}` }
  }
  if (!body) return
  for (const value of listSmallerValues(parse(body))) {
    yield { ...request, body: Buffer.from(JSON.stringify(value)) }
  }
}

function* listSmallerValues(value: unknown): Generator<unknown> {
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, inner] of value.entries()) {
      yield value.toSpliced(index, 1)
      for (const smaller of listSmallerValues(inner)) yield value.with(index, smaller)
    }
    return
  }
  for (const [key, inner] of Object.entries(value)) {
    const { [key]: _left, ...rest } = value as Record<string, unknown>
    yield rest
    for (const smaller of listSmallerValues(inner)) yield { ...value, [key]: smaller }
  }
}

// A body that JSON.parse changes (duplicate keys, deep nesting) is left as it is.
function parse(body: Buffer): unknown {
  try {
    const value = JSON.parse(body.toString()) as unknown
    return JSON.stringify(value) === body.toString() ? value : undefined
  } catch {
    return undefined
  }
}
