import type { OpenApiMethod, OpenApiOperation } from '../../../packages/protocol/src/index'
import {
  HOSTILE_HEADERS,
  HOSTILE_JSON,
  HOSTILE_KEYS,
  HOSTILE_PAIRS,
  HOSTILE_QUERY,
  HOSTILE_SEGMENTS,
  HOSTILE_TYPES,
  OTHER_METHODS,
} from './hostile'
import type { RawRequest } from './raw-client'
import { generateValid, pick, type ValueScope } from './valid-value'

export interface DescribedOperation {
  method: OpenApiMethod
  path: string
  operation: OpenApiOperation
}

export type Asker = 'user' | 'station' | 'other-station' | 'nobody'

/** A request with what is known of the response that it may get. */
export interface FuzzRequest {
  raw: RawRequest
  described: DescribedOperation
  as: Asker
  /** What was done to it, in words. */
  mutations: string[]
  /** It reaches its operation: the response is one of those that are declared. */
  isRouted: boolean
  /** It is HTTP from its first byte to its last: it gets a response. */
  isWhole: boolean
}

interface Draft extends FuzzRequest {
  segments: string
  query: string[]
  headers: [string, string][]
  bodyText: string | undefined
  bodyBytes: Buffer | undefined
}

interface Scope extends ValueScope {
  keys: Readonly<Record<Asker, string | undefined>>
  described: DescribedOperation
}

/** A request of this operation: fitting its description, or that with one to three things done to it. */
export function generateRequest(scope: Scope): FuzzRequest {
  const { random } = scope
  const draft = draftValid(scope)
  const count = random.pick([0, 0, 1, 1, 1, 2, 3])
  for (let index = 0; index < count; index += 1) mutate(scope, draft)
  return finish(draft)
}

function draftValid(scope: Scope): Draft {
  const { random, described, keys } = scope
  const { path, method, operation } = described
  const as = random.pick<Asker>([
    'user',
    'user',
    'user',
    'user',
    'user',
    'user',
    'station',
    'station',
    'other-station',
    'nobody',
  ])
  const key = keys[as]
  const address = pickAddress(scope)
  const [segments, query] = address ?? [fillPath(scope), generateQuery(scope)]
  const draft: Draft = {
    raw: { method: method.toUpperCase(), target: '', headers: [], body: undefined, framing: 'length' },
    described,
    as,
    mutations: [],
    isRouted: true,
    isWhole: true,
    segments: (random.chance(0.3) ? '/api' : '') + segments,
    query,
    headers: key === undefined ? [] : [['Authorization', `Bearer ${key}`]],
    bodyText: undefined,
    bodyBytes: undefined,
  }
  const content = operation.requestBody?.content
  const json = content?.['application/json']
  if (json) {
    draft.bodyText = JSON.stringify(generateValid({ ...scope, path }, json.schema))
    draft.headers.push(['Content-Type', 'application/json'])
  } else if (content) {
    draft.bodyBytes = Buffer.from('x'.repeat(random.pick([0, 1, 10, 5000])))
    if (random.chance(0.7))
      draft.headers.push(['Content-Type', random.pick(['text/plain', 'image/png', '', 'None'])])
  }
  return draft
}

/** Most requests of signed addresses go to one that the service signed. */
function pickAddress({ random, pool, described }: Scope): [string, string[]] | undefined {
  const purpose = /^\/(uploads|downloads|images)\//.exec(described.path)?.[1]
  const address = purpose && random.chance(0.8) ? pool.pickKey(random, `${purpose}.address`) : undefined
  if (address === undefined) return undefined
  const { pathname, search } = new URL(address)
  return [pathname, search.slice(1).split('&')]
}

function fillPath(scope: Scope): string {
  const { random, pool, described } = scope
  return described.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => {
    const known = random.chance(0.8) ? pool.pick(random, described.path, name) : undefined
    return encodeURIComponent(
      known ?? random.pick(['none-such', '00000000-0000-4000-8000-000000000000', 'A', 'Ü 1']),
    )
  })
}

function generateQuery(scope: Scope): string[] {
  const { random, described } = scope
  const parameters = (described.operation.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const chance = parameters.length > 8 ? 0.15 : 0.4
  return parameters
    .filter(({ required }) => required || random.chance(chance))
    .flatMap(({ name, schema }) => {
      const value = generateValid(scope, schema, name)
      return (Array.isArray(value) ? (value as unknown[]) : [value]).map(
        (one) =>
          `${encodeURIComponent(name)}=${encodeURIComponent(typeof one === 'string' ? one : JSON.stringify(one))}`,
      )
    })
}

type Mutation = (scope: Scope, draft: Draft) => string | undefined

function mutate(scope: Scope, draft: Draft): void {
  const { random } = scope
  const body = draft.bodyText !== undefined
  const kinds: readonly Mutation[] = [
    ...(body
      ? [
          replaceInBody,
          replaceInBody,
          replaceInBody,
          replaceInBody,
          addToBody,
          garbleBody,
          garbleBody,
          changeType,
        ]
      : []),
    ...(draft.described.operation.parameters?.some((parameter) => parameter.in === 'query')
      ? [changeQuery, changeQuery]
      : []),
    ...(draft.described.path.includes('{') ? [changePath, changePath] : []),
    changeQuery,
    changeHeaders,
    changeKey,
    changeMethod,
    changeTransport,
    addBody,
  ]
  const done = pick(random, kinds)?.(scope, draft)
  if (done !== undefined) draft.mutations.push(done)
}

/** Puts something else in place of a value, or leaves it out. */
const replaceInBody: Mutation = ({ random }, draft) => {
  const places = findValues(draft.bodyText ?? '')
  const place = pick(random, places)
  if (!place) return undefined
  const [start, end] = place
  const hostile = pick(random, HOSTILE_JSON) ?? ''
  const text = draft.bodyText ?? ''
  draft.bodyText = text.slice(0, start) + hostile + text.slice(end)
  return `value at ${start} is ${hostile.slice(0, 60)}`
}

/** A key beside others, or a second time. */
const addToBody: Mutation = ({ random }, draft) => {
  const text = draft.bodyText ?? ''
  const braces = [...text.matchAll(/\{/g)].map(({ index }) => index)
  const at = pick(random, braces)
  if (at === undefined) return undefined
  const own = [...text.matchAll(/"[^"\\]*"(?=:)/g)].map(([key]) => key)
  const key = pick(random, random.chance(0.5) && own.length > 0 ? own : HOSTILE_KEYS) ?? '"x"'
  const comma = /^\{\s*\}/.test(text.slice(at)) ? '' : ','
  const member = `${key}:${pick(random, HOSTILE_JSON)}`
  draft.bodyText = `${text.slice(0, at + 1)}${member}${comma}${text.slice(at + 1)}`
  return `has the key ${key.slice(0, 60)}`
}

const garbleBody: Mutation = ({ random }, draft) => {
  const text = draft.bodyText ?? ''
  const cut = random.between(0, text.length)
  const ways: readonly (readonly [string, () => Buffer | string])[] = [
    ['cut', () => text.slice(0, cut)],
    ['empty', () => ''],
    ['blank', () => ' \n '],
    ['a value alone', () => pick(random, HOSTILE_JSON) ?? ''],
    ['a list of it', () => `[${text}]`],
    ['byte order mark', () => `\ufeff${text}`],
    ['UTF-16', () => Buffer.from(text, 'utf16le')],
    [
      'bytes that are no UTF-8',
      () =>
        Buffer.concat([
          Buffer.from(text.slice(0, cut)),
          Buffer.from([0xff, 0xc3, 0x28]),
          Buffer.from(text.slice(cut)),
        ]),
    ],
    ['a control character', () => `${text.slice(0, cut)}\u0001${text.slice(cut)}`],
    ['more behind it', () => `${text}${text}`],
    ['a comma too many', () => text.replace(/\}$/, ',}')],
    ['a comment', () => `/* x */${text}`],
    ['single quotes', () => text.replaceAll('"', "'")],
    [
      'words for numbers',
      () =>
        text.replaceAll(/(?<=:)-?\d[\d.]*/g, () =>
          random.pick(['NaN', 'Infinity', '01', '+1', '.5', '1.', '0x1']),
        ),
    ],
  ]
  const [name, make] = pick(random, ways) as (typeof ways)[number]
  const made = make()
  if (typeof made === 'string') draft.bodyText = made
  else draft.bodyBytes = made
  return `body: ${name}`
}

const changeType: Mutation = ({ random }, draft) => {
  draft.headers = draft.headers.filter(([name]) => name !== 'Content-Type')
  if (random.chance(0.2)) return 'no Content-Type'
  const type = pick(random, HOSTILE_TYPES) ?? ''
  draft.headers.push(['Content-Type', type])
  return `Content-Type: ${type.slice(0, 60)}`
}

const changeQuery: Mutation = ({ random, described: { operation } }, draft) => {
  const names = (operation.parameters ?? []).flatMap((parameter) =>
    parameter.in === 'query' ? [parameter.name] : [],
  )
  const name = pick(random, names)
  const pair =
    name !== undefined && random.chance(0.75)
      ? `${name}=${pick(random, HOSTILE_QUERY)}`
      : (pick(random, HOSTILE_PAIRS) ?? '')
  if (draft.query.length > 0 && random.chance(0.3))
    draft.query.splice(random.between(0, draft.query.length - 1), 1, pair)
  else draft.query.push(pair)
  return `query has ${pair.slice(0, 60)}`
}

const changePath: Mutation = ({ random }, draft) => {
  const parts = draft.segments.split('/')
  const segment = pick(random, HOSTILE_SEGMENTS) ?? ''
  const at = random.between(2, Math.max(2, parts.length - 1))
  parts[at] = segment
  draft.segments = parts.join('/')
  draft.isRouted = false
  return `path has ${segment.slice(0, 60)}`
}

const changeMethod: Mutation = ({ random }, draft) => {
  draft.raw.method = random.pick(OTHER_METHODS)
  draft.isRouted = false
  return `method ${draft.raw.method}`
}

const changeHeaders: Mutation = ({ random }, draft) => {
  if (random.chance(0.1)) {
    draft.headers.push(['X-Huge', 'h'.repeat(20_000)])
    draft.isRouted = false
    return 'huge header'
  }
  if (random.chance(0.1)) {
    for (let index = 0; index < 1500; index += 1) draft.headers.push([`X-${index}`, ''])
    draft.isRouted = false
    return 'many headers'
  }
  const header = pick(random, HOSTILE_HEADERS) as [string, string]
  draft.headers.push(header)
  return `${header[0]}: ${header[1].slice(0, 60)}`
}

const changeKey: Mutation = ({ random, keys }, draft) => {
  const value = pick(random, [
    '',
    'Bearer',
    'Bearer ',
    `bearer  ${keys.user}`,
    `BEARER ${keys.user} `,
    `Bearer ${keys.user}x`,
    `Bearer ${keys.user?.toUpperCase()}`,
    `${keys.user}`,
    `Basic ${keys.user}`,
    'Bearer rl_user_',
    `Bearer ${'x'.repeat(5000)}`,
    'Bearer \u00e9\u00ff',
    `Bearer ${keys.user}, Bearer ${keys.station}`,
  ]) as string
  draft.headers = [...draft.headers.filter(([name]) => name !== 'Authorization'), ['Authorization', value]]
  return `Authorization: ${value.slice(0, 20)}`
}

const changeTransport: Mutation = ({ random }, draft) => {
  const way = random.pick([
    'chunked',
    'chunked',
    'cut',
    'length too large',
    'length too small',
    'length no number',
    'both framings',
  ])
  if (way === 'chunked') {
    draft.raw.framing = 'chunked'
    return way
  }
  draft.isRouted = false
  draft.isWhole = false
  if (way === 'cut') draft.raw.framing = 'cut'
  else if (way === 'length too large') draft.headers.push(['Content-Length', '1000000000'])
  else if (way === 'length too small') draft.headers.push(['Content-Length', '1'])
  else if (way === 'length no number') draft.headers.push(['Content-Length', '-1'])
  else draft.headers.push(['Transfer-Encoding', 'chunked'])
  return way
}

/** A body where none is expected. */
const addBody: Mutation = ({ random }, draft) => {
  if (draft.bodyText !== undefined || draft.bodyBytes) return undefined
  const text = random.pick(['{}', '{"a":1}', '{', 'x=1', '', 'null'])
  draft.bodyText = text
  if (random.chance(0.8))
    draft.headers.push(['Content-Type', random.pick(['application/json', 'text/plain', ''])])
  return `body ${text}`
}

function finish(draft: Draft): FuzzRequest {
  const { raw, described: operation, as, mutations, isRouted, isWhole } = draft
  const query = draft.query.join('&')
  const target = toWire(draft.segments + (query === '' ? '' : `?${query}`))
  // Node takes 16 KiB of headers, the first line among them.
  const size =
    target.length + draft.headers.reduce((sum, [name, value]) => sum + name.length + value.length + 4, 0)
  const body = draft.bodyBytes ?? (draft.bodyText === undefined ? undefined : Buffer.from(draft.bodyText))
  return {
    raw: { ...raw, target, headers: draft.headers, body },
    described: operation,
    as,
    mutations,
    isRouted: isRouted && size < 15_000,
    isWhole,
  }
}

/** No blank and no line break may stand in a request's first line. */
function toWire(target: string): string {
  return target.replaceAll(/[\0-\x20]/g, (character) => encodeURIComponent(character))
}

const VALUE = /"(?:[^"\\]|\\.)*"(?!\s*:)|-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|true|false|null|\[\]|\{\}/gi

/** Where the values of a JSON text begin and end. */
function findValues(text: string): [number, number][] {
  return [...text.slice(0, 20_000).matchAll(VALUE)].map((match) => [
    match.index,
    match.index + match[0].length,
  ])
}
