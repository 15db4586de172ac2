import { replaceNamed } from './named-secrets'

/**
 * Shapes of well-known tokens, after the rules of gitleaks (https://github.com/gitleaks/gitleaks, MIT) that need no
 * words around them. Each has a fixed prefix and a maximum length, and none can begin again inside itself, so that a search takes
 * time in proportion to the text. In file names, frameworks replace `_` by `-`.
 */
const TOKENS = [
  // Ours.
  beginWith('rl[_-]') + String.raw`(?:user|station)[_-][\w-]{16,128}`,
  // GitHub, GitLab, npm, PyPI, Docker Hub.
  String.raw`gh[pousr][_-][A-Za-z0-9]{36,255}`,
  String.raw`github[_-]pat[_-][\w-]{22,255}`,
  String.raw`gl(?:pat|dt|rt|ptt|cbt|ft|soat|agent|imt|oas|ffct)-[\w-]{20,300}`,
  beginWith('npm[_-]') + String.raw`[A-Za-z0-9]{36,64}`,
  String.raw`pypi-AgEI[\w-]{50,1000}`,
  String.raw`dckr_(?:pat|oat)_[\w-]{20,64}`,
  // AWS, Google, Azure, DigitalOcean, Databricks, HashiCorp.
  String.raw`A(?:KIA|SIA|BIA|CCA)[A-Z0-9]{16}(?![A-Za-z0-9])`,
  String.raw`AIza[\w-]{35}(?![\w-])`,
  String.raw`GOCSPX-[\w-]{28}`,
  String.raw`ya29\.[\w-]{20,1000}`,
  String.raw`(?:Account|SharedAccess)Key=[A-Za-z0-9+/]{40,100}={0,2}`,
  String.raw`do[opr]_v1_[a-f0-9]{64}`,
  String.raw`dapi[a-f0-9]{32}(?![a-z0-9])`,
  String.raw`hv[sb]\.[\w-]{24,300}`,
  // Slack, Discord, Stripe, Shopify, SendGrid, Twilio, Sentry, Grafana, Linear, Atlassian, Postman.
  String.raw`xox[a-z]-[A-Za-z0-9-]{10,255}`,
  String.raw`xapp-\d-[A-Za-z0-9-]{10,255}`,
  String.raw`hooks\.slack\.com/(?:services|workflows|triggers)/[\w/+-]{20,120}`,
  String.raw`discord(?:app)?\.com/api/webhooks/\d{5,25}/[\w-]{20,120}`,
  beginWith('[sr]k[_-]') + String.raw`(?:test|live|prod)[_-][A-Za-z0-9]{10,255}`,
  String.raw`whsec_[A-Za-z0-9+/]{24,100}`,
  String.raw`shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}`,
  String.raw`SG\.[\w-]{16,32}\.[\w-]{32,64}`,
  String.raw`sntry[su]_[\w+/=-]{40,400}`,
  String.raw`gl(?:c|sa)_[A-Za-z0-9+/_]{32,400}`,
  String.raw`lin_api_[A-Za-z0-9]{40}`,
  String.raw`ATATT3[\w=-]{100,300}`,
  String.raw`PMAK-[a-f0-9]{24}-[a-f0-9]{34}`,
  // Telegram, Twilio, Mailgun, Heroku, Vercel, Supabase, PlanetScale, Figma, New Relic.
  String.raw`:AA(?<=\d{8,10}:AA)[\w-]{33}(?![\w-])`,
  beginWith('SK') + String.raw`[a-f0-9]{32}(?![A-Za-z0-9])`,
  beginWith('key-') + String.raw`[a-f0-9]{32}(?![A-Za-z0-9])`,
  String.raw`HRKU-[\w-]{36,80}`,
  beginWith('vc[pioark]_') + String.raw`[A-Za-z0-9]{40,80}`,
  String.raw`vercel_blob_rw_[A-Za-z0-9_]{40,80}`,
  beginWith('sbp_') + String.raw`(?:v0_)?[a-f0-9]{40}(?![A-Za-z0-9])`,
  beginWith('sb_secret_') + String.raw`[\w-]{20,80}`,
  String.raw`pscale_(?:tkn|pw|oauth)_[\w.=-]{32,64}`,
  beginWith('fig(?:d|dr|u|o)_') + String.raw`[\w-]{36,80}`,
  String.raw`NR(?:AK|AA|RA|II|IQ|JS)-[A-Za-z0-9_-]{19,64}`,
  // Services of models.
  beginWith('sk-') + String.raw`(?:ant|proj|svcacct|admin)-[\w-]{20,255}`,
  String.raw`sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}`,
  String.raw`hf_[A-Za-z]{34}(?![A-Za-z0-9])`,
  // Keys of age, and whatever goes by the name of a bearer's token.
  String.raw`AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{58,4096}`,
  String.raw`age-secret-key-(?:pq-)?1[a-z0-9]{58,4096}`,
  anyCase('bearer') + String.raw` (?=[\w.~+/-]{0,40}\d)[\w.~+/-]{20,4096}={0,2}`,
  anyCase('authorization') +
    String.raw`["']?: ?["']?(?:${anyCase('basic')}|${anyCase('token')}|${anyCase('apikey')}) [\w+/.~-]{8,1024}={0,2}`,
  // Sign-in links of ours; what signs our addresses has a name.
  String.raw`/sign-in\?code=[\w-]{43}`,
  // JSON Web Tokens. A line break in JSON text (\n) may stand right before it.
  String.raw`eyJ(?<=(?:^|[^\w-]|\\[nrt])eyJ)[\w-]{8,8192}[.-]eyJ[\w-]{8,8192}(?:\.[\w-]{0,2048})?`,
]

/**
 * Ordinary words end in these short prefixes (`curl-user-…`, `disk_test_…`), so a letter or digit may precede them only as part of
 * an escape (`\n`, `%20`).
 */
function beginWith(signs: string): string {
  return String.raw`${signs}(?<=(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-Fa-f]{2})${signs})`
}

function anyCase(word: string): string {
  return word.replaceAll(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)
}

/** The part of a match that is no secret, and stays as a label. */
const LABEL = /^(?:bearer |authorization["']?: ?["']?\w+ |\w+Key=|\/sign-in\?code=|:(?=AA))/i

/** A licence key of New Relic, which is known by its end. */
const NEW_RELIC = /\b[a-f0-9][a-z0-9]{31,35}(?:FFFF)?NRAL\b/g

/** A private key in PEM form, also one without its end. */
const PRIVATE_KEY = new RegExp(
  String.raw`-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----` +
    String.raw`(?:(?:[^-"]|-(?!-)){1,20000}?-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]{0,8000})`,
  'g',
)

/** The password of an address; `***` is one that was masked before. */
const PASSWORD_IN_URL = /(:\/\/[^\s:@/?#"'<>\\]{0,256}:)(?!\*\*\*@)([^\s/"'<>\\]{1,256})(?=@)/g

const TOKEN = new RegExp(TOKENS.join('|'), 'g')

export function listUrlPasswords(text: string): string[] {
  return [...text.matchAll(PASSWORD_IN_URL)].map(([, , password = '']) => password)
}

type Replace = (secret: string) => string

export function replaceTokens(text: string, replace: Replace): string {
  let result = text.replace(TOKEN, (found) => {
    const [label = ''] = LABEL.exec(found) ?? []
    return label + replace(found.slice(label.length))
  })
  if (result.includes('NRAL')) result = result.replace(NEW_RELIC, replace)
  if (result.includes('PRIVATE KEY')) result = result.replace(PRIVATE_KEY, replace)
  if (result.includes('://') && result.includes('@'))
    result = result.replace(PASSWORD_IN_URL, (_, head: string, password: string) => head + replace(password))
  return replaceNamed(result, replace)
}
