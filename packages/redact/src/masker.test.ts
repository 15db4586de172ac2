import { describe, expect, it } from 'vitest'
import { PLANTED_TOKENS, tellToken } from '../../../test/support/planted-secrets'
import { Masker } from './masker'
import { parsePatterns, PatternSearch } from './pattern-search'
import { listSecretValues, spellSecrets } from './secret-values'

function createMasker(env: Record<string, string> = {}, redact: (string | RegExp)[] = []): Masker {
  const { texts, patterns } = parsePatterns(redact)
  const search = patterns.length === 0 ? undefined : new PatternSearch(patterns, '***')
  return new Masker(spellSecrets(listSecretValues(env), texts), search)
}

function mask(masker: Masker, text: string): string {
  return masker.mask(text, () => undefined)
}

describe('known tokens', () => {
  it.each(Object.keys(PLANTED_TOKENS))('masks a %s, and once only', (kind) => {
    const found: string[] = []
    const masked = createMasker().mask(tellToken(kind), (secret) => found.push(secret))
    expect(masked).toBe(kind === 'bearer token' ? 'authorization: Bearer ***' : 'before *** after')
    expect(found).toContain(PLANTED_TOKENS[kind])
    expect(mask(createMasker(), masked)).toBe(masked)
  })

  it.each(Object.values(PLANTED_TOKENS))('keeps JSON that holds one whole: %s', (token) => {
    const record = { before: 1, secrets: [token, `\n${token}`], last: 'x "y" \\' }
    const masked = JSON.parse(
      mask(createMasker({ API_TOKEN: token }), JSON.stringify(record)),
    ) as typeof record
    expect(masked).toEqual({ before: 1, secrets: ['***', '\n***'], last: 'x "y" \\' })
  })

  it.each([
    ['postgres://app:s3cr!et@db:5432/x', 'postgres://app:***@db:5432/x'],
    ['https://user:p@ss@host/a?b=c@d', 'https://user:***@host/a?b=c@d'],
    ['-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKC', '***'],
    ['Authorization: Basic dXNlcjpwYXNzd29yZA==', 'Authorization: Basic ***'],
  ])('masks %s', (text, expected) => {
    expect(mask(createMasker(), text)).toBe(expected)
  })

  it.each([
    'http://localhost:3000/users/@me',
    'git@github.com:acme/widget.git and ssh://git@host/x',
    'see https://example.com/a:b/c@d',
    'basic authentication, bearer of news, Bearer internationalization-and-such',
    'sk_test_helpers and npm_config_registry and hf_models',
    'eyJust a word.eyJanother',
    'at Object.<anonymous> (/home/user/src/AKIA.test.ts:3:17)',
    'the PRIVATE KEY is missing',
    'curl-user-agent-header-is-sent.test.ts and kiosk_station_list_is_sorted',
    'disk_test_performance, helpdesk-admin-user-permissions-page and task-proj-is-created-and-deleted',
    'pnpm-0123456789abcdef0123456789abcdef01234567',
  ])('leaves %s', (text) => {
    expect(mask(createMasker(), text)).toBe(text)
  })
})

describe('values of the environment', () => {
  const env = { DB_PASSWORD: 'hunter2', SERVICE_TOKEN: 'a"b\\c/d+e f1', DATABASE_URL: 'pg://u:w0rdpass@h/d' }

  it.each([
    ['login with hunter2!', 'login with ***!'],
    ['hunter23 is another', 'hunter23 is another'],
    ['plain a"b\\c/d+e f1', 'plain ***'],
    [`in JSON ${JSON.stringify('a"b\\c/d+e f1')}`, 'in JSON "***"'],
    [`in an address ?t=${encodeURIComponent('a"b\\c/d+e f1')}`, 'in an address ?t=***'],
    ['the password alone: w0rdpass', 'the password alone: ***'],
    ['coloured \u001b[31mhun\u001b[1mter2\u001b[0m.', 'coloured ***.'],
  ])('masks %j', (text, expected) => {
    expect(mask(createMasker(env), text)).toBe(expected)
  })

  it.each([
    [
      '\u001b]8;;https://host/?t=a"b\\c/d+e f1\u0007open\u001b]8;;\u0007',
      '\u001b]8;;https://host/?t=***\u0007open\u001b]8;;\u0007',
    ],
    ['\u001b]0;https://u:s3cr!et@host\u0007 ready', '\u001b]0;https://u:***@host\u0007 ready'],
  ])('masks what a terminal does not show: %j', (text, expected) => {
    expect(mask(createMasker(env), text)).toBe(expected)
  })

  it('masks a token behind an escape', () => {
    const token = 'sk_live_0123456789abcdef'
    expect(mask(createMasker(), `{"a":"x\\n${token}"} ?q=%20${token}`)).toBe('{"a":"x\\n***"} ?q=%20***')
  })

  it('masks base64 of a value', () => {
    const masked = mask(createMasker(env), Buffer.from('a"b\\c/d+e f1').toString('base64'))
    expect(masked).toMatch(/^\*\*\*.{0,2}$/)
  })

  it('masks what a key in several lines, or a JSON text, is made of', () => {
    const line = 'MIIEowIBAAKCMIIEowIBAAKC'
    const masker = createMasker({
      SIGNING_KEY: `-----BEGIN X-----\n${line}\n-----END X-----`,
      GCP_CREDENTIALS: '{"client_secret": "mem-ber-1", "region": "europe-west"}',
    })
    expect(mask(masker, `  | ${line}`)).toBe('  | ***')
    expect(mask(masker, 'mem-ber-1 in europe-west')).toBe('*** in europe-west')
  })

  it('says what it found, each as it is', () => {
    const found = new Set<string>()
    createMasker(env).maskAll(['hunter2', 'and hunter2', 'clean'], (secret) => found.add(secret))
    expect([...found]).toEqual(['hunter2'])
  })

  it('answers the very texts where there is nothing to mask', () => {
    const texts = ['one', '\u001b[31mtwo\u001b[0m']
    expect(createMasker(env).maskAll(texts, () => undefined)).toBe(texts)
  })
})

describe('what the user wants masked', () => {
  it('takes texts, patterns, and patterns in texts', () => {
    const masker = createMasker({}, ['Bob', /emp-\d+/, '/card \\w+/i'])
    expect(mask(masker, 'Bob Bobby EMP-1 emp-12 Card x9 bob')).toBe('*** ***by EMP-1 *** *** bob')
  })

  it('breaks off a pattern that takes for ever, and lets nothing out for it', () => {
    const slow = `${'a'.repeat(40)}!`
    const search = new PatternSearch(parsePatterns(['/(a+)+$/']).patterns, '***')
    const startedAtMs = performance.now()
    const masked = new Masker(spellSecrets([]), search).maskAll([slow, 'quick'], () => undefined)
    expect(masked).toEqual(['***', 'quick'])
    expect(search.hasTimedOut).toBe(true)
    expect(performance.now() - startedAtMs).toBeLessThan(3_000)
  })
})

describe('time', () => {
  const LENGTH = 10_000_000
  const LINE = '2026-11-21T19:54:01.123Z GET http://localhost:3000/users/7 200 (/home/me@x/a.test.ts:1:17)\n'
  const HOSTILE = [
    'ghp_',
    'eyJ',
    '.eyJaaaaaaaaa',
    '-----BEGIN PRIVATE KEY-----\n',
    '://a:',
    'Bearer ',
    'AccountKey=',
    'password="',
    'token=',
    'cookie: a=',
    'curl -u ',
    '0a1b2c3d',
    'a:b@tcp(',
    'jdbc:oracle:thin:a/',
    'NRAL',
    'a',
    ' ',
    '@',
  ]

  it.each([LINE, ...HOSTILE])('takes no quadratic time for 10 MB of %j', (part) => {
    const env = Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`S${n}_TOKEN`, `aB${n}x9Qz.${n}-q`]))
    const text = part.repeat(Math.ceil(LENGTH / part.length))
    const startedAtMs = performance.now()
    mask(createMasker(env), text)
    // Quadratic time would be hours; linear is under a second on an idle machine.
    expect(performance.now() - startedAtMs).toBeLessThan(15_000)
  })
})

describe('what a terminal does not show', () => {
  const masker = createMasker({ API_TOKEN: 'tr0ub4dor-key' })

  it.each([
    ['a colour', 'tr0ub4\u001B[31mdor-key'],
    ['a colour in one character', 'tr0ub4\u009B31mdor-key'],
    // Node 24 takes all of it for the address of a link.
    ['a sequence without an end, lines before', '\u001B]8;;\nse tr0ub4\u001B[31mdor-key\n\u0007'],
  ])('hides no secret: %s', (_, text) => {
    expect(mask(masker, text)).toContain('***')
  })

  it('hides none in another text either', () => {
    const texts = ['\u001B]8;;', 'tr0ub4\u001B[31mdor-key', '\u0007']
    expect(masker.maskAll(texts, () => undefined)).toEqual(['\u001B]8;;', '***', '\u0007'])
  })
})
