import { expect, it } from 'vitest'
import { linkAddress } from './terminal-link'

it('makes the address of a line a link, and leaves all else', () => {
  const url = 'https://ledger.example/runs/1?a=$&'
  expect(linkAddress(`Runledger: 1 run: ${url}\n`, url)).toBe(
    `Runledger: 1 run: \u001B]8;;${url}\u001B\\${url}\u001B]8;;\u001B\\\n`,
  )
  expect(linkAddress('Runledger: x\n', undefined)).toBe('Runledger: x\n')
  expect(linkAddress('x https://a\u0007b', 'https://a\u0007b')).toBe('x https://a\u0007b')
})
