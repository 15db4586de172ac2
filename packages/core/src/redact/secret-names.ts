/** Words that make the name of a variable look secret. */
const SECRET_WORDS = new Set(
  (
    'key keys token tokens secret secrets password passwords passwd pass passphrase pwd pat credential credentials ' +
    'creds auth private bearer jwt cookie'
  ).split(' '),
)

/** Words written together: `PGPASSWORD`, `apitoken`. */
const SECRET_ENDING = /(?:password|passwd|passphrase|token|secret|(?:api|access|secret|private)key)s?$/

/** What a name ends in when it only speaks of a secret: `SSH_AUTH_SOCK`, `TOKEN_TTL`, `AUTH_URL`, `KEY_FILE`. */
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

/** The environment is looked through again and again. Names of members of secret texts are as many as somebody likes. */
const judged = new Map<string, boolean>()
const MOST_JUDGED = 2_000

/** True for a name under which secrets are usually kept: `GITHUB_TOKEN`, `DB_PWD`, `npm_config__authToken`. */
export function isSecretName(name: string): boolean {
  const known = judged.get(name)
  if (known !== undefined) return known
  const isSecret = judge(name)
  if (judged.size < MOST_JUDGED) judged.set(name, isSecret)
  return isSecret
}

function judge(name: string): boolean {
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
