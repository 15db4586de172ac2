/** Secrets that a text names as such: `password=…`, `"api_key": "…"`, `Cookie: …`, `curl -u …`. */

type Replace = (secret: string) => string

/** A value must look like a secret (have a digit, or a length), so that `Unexpected token: identifier` stays. */
interface Rule {
  names: string
  isSecret: (value: string, isPlain: boolean) => boolean
}

const hasDigit = (value: string): boolean => /\d/.test(value)

const RULES: readonly Rule[] = [
  // `password: correct` may be part of a sentence.
  {
    names: 'passw(?:or)?d|passphrase|client[_-]?secret',
    isSecret: (value, isPlain) => !isPlain || hasDigit(value),
  },
  {
    names:
      'token|secret|(?:api|access|secret|private|account|signing|encryption|master|auth|session|shared|storage)[_-]?key',
    isSecret: hasDigit,
  },
  { names: String.raw`(?<![A-Za-z])(?:pass|pwd|pw)`, isSecret: hasDigit },
  { names: '(?<![A-Za-z])auth', isSecret: (value) => hasDigit(value) || /^[^:]+:./.test(value) },
  { names: '(?<![A-Za-z])(?:sig|signature)', isSecret: (value) => value.length >= 16 && hasDigit(value) },
]

const QUOTE = String.raw`\\{0,3}["'\x60]`
/** A name, the signs between it and the value, then the value with or without quotes. */
const NAMED = new RegExp(
  `(?:${RULES.map(({ names }) => `(${names})`).join('|')})` +
    String.raw`((?:${QUOTE})?(?: ?=>? ?|: {0,2}))` +
    String.raw`(?:(${QUOTE})([^\s"'\x60\\<>]{6,4096})|([^\s"'\x60\\,;&|<>(){}[\]]{6,4096}))`,
  'gi',
)

/** Values without a secret: names of types, paths, placeholders, numbers, dates, and masked texts. */
const ORDINARY =
  /^(?:\*\*\*|[$%/~{[]|\.{1,2}\/|process\.env|[a-z]:[\\/]|\w+:\/\/|[\d:.,_+-]{1,19}$|(.)\1*$|(?:required|undefined|disabled|enabled|optional|default|missing|invalid|password|secret|string|number|boolean|example|changeme|change-me|bearer|object)$)/is

const COOKIE =
  /(cookie(?:\\{0,3}["'])?(?: ?= ?|: ?)(?:\[\s{0,12})?(?:\\{0,3}["'])?)([\w.$-]{1,100}=[^\s"'\\;]{6,4096}(?:; ?[\w.$-]{1,100}=[^\s"'\\;]{1,4096}){0,50})/gi

const CURL_USER = /(\bcurl [^\r\n]{0,200}?(?:-u|--user)[ =]?["']?[^\s:"'$]{1,100}:)([^\s"'$*][^\s"']{0,255})/g

/** `user:password@tcp(host)/database`, `jdbc:oracle:thin:user/password@host`. */
const GO_USER = /([\w.-]{1,64}:)(?!\*\*\*@)([^\s:@"']{1,128})(?=@(?:tcp|unix)\()/g
const ORACLE_USER = /(jdbc:oracle:\w{1,10}:[^\s/"'@]{1,64}\/)(?!\*\*\*@)([^\s@"']{1,128})(?=@)/g

export function replaceNamed(text: string, replace: Replace): string {
  const replaceLast = (_: string, head: string, secret: string): string => head + replace(secret)
  let result = text.replace(NAMED, (...found: (string | undefined)[]) => replaceValue(found, replace))
  if (/cookie/i.test(result)) result = result.replace(COOKIE, replaceLast)
  if (result.includes('curl ')) result = result.replace(CURL_USER, replaceLast)
  if (result.includes('@tcp(') || result.includes('@unix(')) result = result.replace(GO_USER, replaceLast)
  if (result.includes('jdbc:oracle:')) result = result.replace(ORACLE_USER, replaceLast)
  return result
}

function replaceValue(found: readonly (string | undefined)[], replace: Replace): string {
  const [all = ''] = found
  const rule = RULES[found.slice(1, RULES.length + 1).findIndex((name) => name !== undefined)]
  const [between = '', quote, quoted, plain] = found.slice(RULES.length + 1)
  const [offset, text] = found.slice(-2) as unknown as [number, string]
  const value = quoted ?? plain ?? ''
  const isCall = quote === undefined && '([{'.includes(text[offset + all.length] ?? ' ')
  const isPlain = quote === undefined && between !== '='
  if (isCall || ORDINARY.test(value) || !rule?.isSecret(value, isPlain)) return all
  return all.slice(0, all.length - value.length) + replace(value)
}
