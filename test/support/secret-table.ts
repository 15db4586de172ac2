/**
 * The one table of texts that are masked, and of texts that are not. `packages/redact/src/secret-table.test.ts` tries every line, and
 * `packages/core/src/delivery/secrets-stay-home.test.ts` every form in every place. The shapes of tokens are in `planted-secrets.ts`.
 */

const percent = (text: string): string =>
  Buffer.from(text).toString('hex').replaceAll(/../g, '%$&').toUpperCase()
const units = (text: string): string =>
  [...text].map((sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')
const html = (text: string): string => JSON.stringify(text).slice(1, -1).replaceAll(/[<>&]/g, units)
const base64 = (text: string): string => Buffer.from(text).toString('base64')

/** Every form in which a known secret is found, wherever it stands. */
export const FORMS: Record<string, (secret: string) => string> = {
  plain: (secret) => secret,
  'base64, first alignment': base64,
  'base64, second alignment': (secret) => base64(`u${secret}`),
  'base64, third alignment': (secret) => base64(`u:${secret}:x`),
  'base64url, first alignment': (secret) => Buffer.from(secret).toString('base64url'),
  'base64url, second alignment': (secret) => Buffer.from(`u${secret}x`).toString('base64url'),
  'base64url, third alignment': (secret) => Buffer.from(`u:${secret}`).toString('base64url'),
  'hexadecimal, lower case': (secret) => Buffer.from(secret).toString('hex'),
  'hexadecimal, upper case': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'percent, upper case': encodeURIComponent,
  'percent, lower case': (secret) =>
    encodeURIComponent(secret).replaceAll(/%../g, (code) => code.toLowerCase()),
  'percent of every byte, upper case': percent,
  'percent of every byte, lower case': (secret) => percent(secret).toLowerCase(),
  form: (secret) => new URLSearchParams({ secret }).toString().replace('secret=', ''),
  JSON: (secret) => JSON.stringify(secret),
  'JSON in JSON': (secret) => JSON.stringify(JSON.stringify(secret)),
  'JSON with \\/': (secret) => JSON.stringify(secret).replaceAll('/', String.raw`\/`),
  'JSON with \\u00XX for HTML': html,
  'JSON with \\u00XX for every sign, lower case': units,
  'JSON with \\u00XX for every sign, upper case': (secret) =>
    units(secret).replaceAll(/\\u..../g, (unit) => `\\u${unit.slice(2).toUpperCase()}`),
}

/** A value that each form writes in its own way. */
export const KNOWN_SECRET = `q>a/Zß?~"7&v\\K+x J'w`

const SIGNATURE = 'aZ09_-'.repeat(7) + 'b'

/** What a text itself calls a secret, as it is and masked. */
export const MASKED: readonly [text: string, masked: string][] = [
  ['aws_secret_access_key=wJalrXUtnFEMI/K7MDENG', 'aws_secret_access_key=***'],
  ['AWS_SECRET_ACCESS_KEY = wJalrXUtnFEMI/K7MDENG', 'AWS_SECRET_ACCESS_KEY = ***'],
  ['{"password":"hunter-two","user":"me"}', '{"password":"***","user":"me"}'],
  [String.raw`{"body":"{\"password\":\"hunter2!\"}"}`, String.raw`{"body":"{\"password\":\"***\"}"}`],
  ["{ password: 'hunter-two' }", "{ password: '***' }"],
  ['Server=db;Uid=sa;Password=hunter-two;Encrypt=true', 'Server=db;Uid=sa;Password=***;Encrypt=true'],
  ['Server=db;Uid=sa;Pwd=hunter2;Encrypt=true', 'Server=db;Uid=sa;Pwd=***;Encrypt=true'],
  ['export DB_PW=hunter2', 'export DB_PW=***'],
  ['password: hunter2', 'password: ***'],
  ['host=db user=app password=hunter-two', 'host=db user=app password=***'],
  [
    'jdbc:postgresql://db/app?user=app&password=hunter-two&ssl=true',
    'jdbc:postgresql://db/app?user=app&password=***&ssl=true',
  ],
  ['jdbc:oracle:thin:scott/tiger@db:1521/app', 'jdbc:oracle:thin:scott/***@db:1521/app'],
  ['app:hunter2@tcp(db:3306)/app', 'app:***@tcp(db:3306)/app'],
  ['mongodb://app:hunter2@one:27017,two:27017/app', 'mongodb://app:***@one:27017,two:27017/app'],
  ['https://blob.example/x?se=2026&sig=aB3%2Fd9Kq0Lm2Np4Rs6', 'https://blob.example/x?se=2026&sig=***'],
  ['https://s3.example/x?X-Amz-Signature=0a1b2c3d4e5f60718293', 'https://s3.example/x?X-Amz-Signature=***'],
  ['X-Api-Key: 0a1b2c3d', 'X-Api-Key: ***'],
  ["'x-api-key': '0a1b2c3d'", "'x-api-key': '***'"],
  ['Cookie: session=abcdef12; theme=dark', 'Cookie: ***'],
  ['Set-Cookie: session=abcdef12; Path=/', 'Set-Cookie: ***'],
  ['curl -s -u me:hunter2 https://host/', 'curl -s -u me:*** https://host/'],
  ['curl --user "me:hunter2" https://host/', 'curl --user "me:***" https://host/'],
  ['BASIC_AUTH=me:hunter-two', 'BASIC_AUTH=***'],
  ['AUTHORIZATION: BEARER o4pQo4pQo4pQo4pQo4pQ7', 'AUTHORIZATION: BEARER ***'],
  ['authorization: basic dXNlcjpwYXNzd29yZA==', 'authorization: basic ***'],
  ['Authorization: Token 0a1b2c3d4e5f', 'Authorization: Token ***'],
  ['access_token=0a1b2c3d4e', 'access_token=***'],
  [`bot110201543:AA${'Hd-5k'.repeat(6)}xyz`, 'bot110201543:***'],
  [`http://host:7357/sign-in?code=${SIGNATURE}`, 'http://host:7357/sign-in?code=***'],
  [
    `http://host/downloads/x?expires=1790000000&signature=${SIGNATURE}`,
    'http://host/downloads/x?expires=1790000000&signature=***',
  ],
]

/** What looks like a secret and is none. */
export const LOOK_ALIKES: readonly string[] = [
  'tokens_used=12 max_tokens=4096 token_count: 128000 total-tokens=123456',
  'Unexpected token: identifier, secret: undefined',
  'SyntaxError: Unexpected token } in JSON at position 12',
  'password: must not be empty, password: required, "password": "required"',
  'Invalid password: please try again',
  '    at setPassword (/home/me/src/password:1234:56)',
  'const token = createToken(user1); const password = readPassword1()',
  'input[type=password] and getByLabel("Password")',
  'password=$DB_PASSWORD1 token=${TOKEN_2} secret={{ vault.secret1 }} Password=%PASSWORD1%',
  'token=process.env.TOKEN_2 secret: /run/secrets/db1 secret=./secrets/db1.txt',
  'key=ArrowDown key: Enter1 primary_key=users_id_1 sort-key=name1234',
  'compass=northwest1 bypass=everything1 passed=12345678 keyboard: qwerty12',
  'signature=abc sig=SIGTERM sig: SIGKILL9',
  'auth=required auth: enabled author=somebody1 authority=host1234',
  'cookie: required; cookies=12 the cookie banner: shown',
  'docker run -u 1000:1000 image; curl -u "$USER:$PASSWORD" https://host/',
  'DEBUG=pw:api pw:browser pw:webserver',
  'PWD=/home/me/project1 OLDPWD=/home/me',
  'token: https://host/token1 secret=https://host/path1',
  'credentials: include1 mode: cors',
  'SKU0123456789 key-value key-12ab monkey-0123456789abcdef0123456789abcdef',
  'sbp_short vcp_short figd_short HRKU-short NRAK-short 12:AA pscale_pw_short',
  'time=2026-11-21T19:54:01.123Z level=info msg="request completed" duration_ms=1234567',
]
