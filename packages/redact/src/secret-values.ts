import { existsSync } from 'node:fs'
import { listForms, SHORTEST_ENCODED } from './secret-forms'
import { listUrlPasswords } from './token-shapes'

/** A shorter value would be found everywhere. */
const SHORTEST = 6
const SHORTEST_LINE = 20
const LONGEST_NUMBER = 11

/** Values that are no secrets: masking them would take ordinary words out of logs. */
const ORDINARY = new Set(
  (
    'true false yes no on off null none undefined default enabled disabled required optional always never inherit auto ' +
    'production development staging testing test debug local localhost example sample dummy changeme change-me ' +
    'password passwd secret secrets token private public bearer basic digest oauth oauth2 admin administrator root user ' +
    'passed failed skipped pending success failure chromium chrome firefox webkit safari edge username guest anonymous postgres postgresql mysql mariadb mongodb redis github gitlab google azure amazon'
  ).split(' '),
)

/** Texts to be masked: those that may be part of a longer word, and those that stand alone. */
export interface SecretTexts {
  inside: SpelledSecret[]
  alone: string[]
}

export interface SpelledSecret {
  text: string
  secret: string
}

/** The secrets of an environment: values of variables whose names look secret, and passwords in addresses. */
export function listSecretValues(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value) return []
    const own = isSecretName(name) && isSecretValue(value.trim()) ? [value.trim(), ...listParts(value)] : []
    return [...own, ...listPasswords(name, value).filter(isSecretValue)]
  })
}

/**
 * Every form of secrets, longest first. Short values and those of small letters are masked only where they stand alone;
 * `anywhere` are texts that are masked inside words too.
 */
export function spellSecrets(values: readonly string[], anywhere: readonly string[] = []): SecretTexts {
  const all = [...new Set(values)].filter((value) => value !== '')
  const alone = all.filter((value) => value.length < SHORTEST_ENCODED || /^[a-z]+$/.test(value))
  const inside = [...all, ...anywhere].flatMap((secret) =>
    listForms(secret).map((text) => ({ text, secret })),
  )
  const isInside = ({ text }: SpelledSecret): boolean => !alone.includes(text) || anywhere.includes(text)
  return {
    inside: inside.filter(isInside).toSorted((a, b) => b.text.length - a.text.length),
    alone: alone.toSorted((a, b) => b.length - a.length),
  }
}

function isSecretValue(value: string): boolean {
  if (value.length < SHORTEST || ORDINARY.has(value.toLowerCase())) return false
  if (/^\d+$/.test(value) && value.length <= LONGEST_NUMBER) return false
  if (/^(.)\1*$/s.test(value)) return false
  // `GOOGLE_APPLICATION_CREDENTIALS` and their like say where a secret is.
  return !(/^([/~.]|[A-Za-z]:[\\/])/.test(value) && existsSync(value))
}

/** Lines of a key in several lines, and secret members of a JSON text: logs have them one by one. */
function listParts(value: string): string[] {
  const lines = value.includes('\n') ? value.split(/\r?\n/).map((line) => line.trim()) : []
  return [
    ...lines.filter((line) => line.length >= SHORTEST_LINE && !/\s|^-----/.test(line)),
    ...(value.trimStart().startsWith('{') ? listSecretsInJson(value) : []),
  ]
}

function listSecretsInJson(text: string): string[] {
  try {
    return listSecretMembers(JSON.parse(text))
  } catch {
    return []
  }
}

function listSecretMembers(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) => {
    if (typeof member !== 'string') return listSecretMembers(member)
    return isSecretName(name) && isSecretValue(member) ? [member] : []
  })
}

/** Passwords in addresses such as `postgres://user:password@one,two/db`, and in `BASIC_AUTH=user:password`. */
function listPasswords(name: string, value: string): string[] {
  const ofUser = /^[^\s:/]{1,256}:([^\s:]+)$/.exec(value)?.[1]
  const own = ofUser !== undefined && /(?:auth|credentials?|userpass)$/i.test(name) ? [ofUser] : []
  return [...own, ...listUrlPasswords(value).flatMap((password) => [password, decode(password)])]
}

function decode(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch {
    return password
  }
}

/** Words that make the name of a variable look secret. */
const SECRET_WORDS = new Set(
  (
    'key keys token tokens secret secrets password passwords passwd pass passphrase pwd pat credential credentials ' +
    'creds auth private bearer jwt cookie'
  ).split(' '),
)

/** Words written together: `PGPASSWORD`, `apitoken`. */
const SECRET_ENDING = /(?:password|passwd|passphrase|token|secret|(?:api|access|secret|private)key)s?$/

/** Endings of names that only speak of a secret: `SSH_AUTH_SOCK`, `TOKEN_TTL`, `AUTH_URL`, `KEY_FILE`. */
const HARMLESS_ENDINGS = new Set(
  (
    'sock socket path file dir folder home url uri endpoint host hostname server port domain region realm type kind mode ' +
    'method strategy provider algorithm alg format version enabled disabled required optional name user username email ' +
    'length size count limit ttl age expires expiry expiration timeout scope scopes issuer audience header prefix suffix ' +
    'layout repeat'
  ).split(' '),
)

/** The shell's own, which hold the current folder. */
const FOLDERS = new Set(['PWD', 'OLDPWD'])

/** True for a name under which secrets are usually kept: `GITHUB_TOKEN`, `DB_PWD`, `npm_config__authToken`. */
export function isSecretName(name: string): boolean {
  if (FOLDERS.has(name)) return false
  const words = splitWords(name)
  if (HARMLESS_ENDINGS.has(words.at(-1) ?? '')) return false
  return words.some((word, index) => isSecretWord(word) && words[index - 1] !== 'public')
}

function isSecretWord(word: string): boolean {
  return SECRET_WORDS.has(word) || SECRET_ENDING.test(word)
}

function splitWords(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
}
