import { describe, expect, it } from 'vitest'
import { FORMS, KNOWN_SECRET, LOOK_ALIKES, MASKED } from '../../../test/support/secret-table'
import { Masker } from './masker'
import { listSecretValues, spellSecrets } from './secret-values'

const maskKnown = (value: string, text: string): string =>
  new Masker(spellSecrets(listSecretValues({ API_TOKEN: value })), undefined).mask(text, () => undefined)

describe.each(Object.entries(FORMS))('%s', (_, write) => {
  it.each([KNOWN_SECRET, 'Tr0ub4dor7', 'correcthorsebattery', 'https://a/b?c=d&e=f#ü'])(
    'a known secret is masked: %s',
    (secret) => {
      const written = write(secret)
      const masked = maskKnown(secret, `before ${written} after`)
      // At the ends of base64 is what the secret shares with its neighbours.
      expect(masked).toMatch(/^before \S{0,4}\*\*\*\S{0,6} after$/)
    },
  )
})

const maskUnknown = (text: string): string =>
  new Masker(spellSecrets([]), undefined).mask(text, () => undefined)

it.each(MASKED)('what a text calls a secret is masked, once: %s', (text, expected) => {
  expect(maskUnknown(text)).toBe(expected)
  expect(maskUnknown(expected)).toBe(expected)
})

it.each(LOOK_ALIKES)('a look-alike stays: %s', (text) => {
  expect(maskUnknown(text)).toBe(text)
})
