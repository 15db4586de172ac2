import { describe, expect, it } from 'vitest'
import { OutputText } from './decode-output'

const BYTES = Buffer.from('4,2 Ω')
const [HEAD, TAIL] = [BYTES.subarray(0, 5), BYTES.subarray(5)]

describe('OutputText', () => {
  it('joins a character that came in two chunks', () => {
    const text = new OutputText()
    const attempt = {}
    expect(text.decode(HEAD, 'stdout', attempt)).toBe('4,2 ')
    expect(text.decode(TAIL, 'stdout', attempt)).toBe('Ω')
  })

  it('mixes up neither streams nor sources', () => {
    const text = new OutputText()
    const attempt = {}
    text.decode(HEAD, 'stdout', attempt)
    expect(text.decode('err', 'stderr', attempt)).toBe('err')
    expect(text.decode(Buffer.from('ok'), 'stdout', {})).toBe('ok')
    expect(text.decode(Buffer.from('ok'), 'stdout')).toBe('ok')
    expect(text.decode(TAIL, 'stdout', attempt)).toBe('Ω')
  })
})
