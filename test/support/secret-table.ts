/**
 * What is masked, and what is not: the one table. `packages/redact/src/secret-table.test.ts` tries every line, and
 * `packages/core/src/redact/places.test.ts` every form in every place. The shapes of tokens are in `planted-secrets.ts`.
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
