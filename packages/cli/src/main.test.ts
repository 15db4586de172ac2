import { describe, expect, it } from 'vitest'
import { main } from './main'

async function run(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const written = { out: '', err: '' }
  const code = await main(argv, {
    out: (text) => void (written.out += `${text}\n`),
    err: (text) => void (written.err += `${text}\n`),
  })
  return { code, ...written }
}

describe('runledger', () => {
  it('prints its help and its version', async () => {
    expect(await run('--help')).toMatchObject({
      code: 0,
      out: expect.stringContaining('serve') as unknown,
      err: '',
    })
    expect(await run('--version')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
    })
    expect((await run('serve', '--help')).out).toContain('--max-attachment-bytes')
  })

  it('answers 2 and a hint to a command or an option that it does not know', async () => {
    expect(await run('sreve')).toMatchObject({
      code: 2,
      err: expect.stringContaining('Did you mean serve?') as unknown,
    })
    expect((await run('serve', '--prot', '1')).code).toBe(2)
    expect((await run()).code).toBe(2)
  })

  it('answers 2 and one line to a setting that makes no sense', async () => {
    const { code, err } = await run('serve', '--port', 'high')
    expect(code).toBe(2)
    expect(err).toBe(
      'runledger: --port (RUNLEDGER_PORT) must be a whole number from 0 to 65535, but is "high".\n',
    )
  })
})
