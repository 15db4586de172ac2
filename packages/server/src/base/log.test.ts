import { describe, expect, it } from 'vitest'
import { createLog, type LogLevel } from './log'

function collect(level: LogLevel, isTerminal = false) {
  const lines: string[] = []
  return { lines, log: createLog(level, { isTerminal, write: (line) => void lines.push(line) }) }
}

describe('createLog', () => {
  it('writes a line of JSON for each message, with its facts and the cause', () => {
    const { log, lines } = collect('info')
    log.error('It failed', new TypeError('because'), { request: 'r-1' })
    log.info('It went well', { ms: 12 })
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        level: 'error',
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        request: 'r-1',
        message: 'It failed',
        error: expect.objectContaining({ type: 'TypeError', message: 'because' }) as unknown,
      },
      expect.objectContaining({ level: 'info', message: 'It went well', ms: 12 }),
    ])
  })

  it('masks a secret within quotes and leaves the line JSON', () => {
    const { log, lines } = collect('warn')
    log.warn('sent "Authorization: Bearer abc" and "Basic de\\f"', { fact: '"bearer ghi"' })
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({
      message: 'sent "Authorization: Bearer …" and "Basic …"',
      fact: '"bearer …"',
    })
  })

  it('writes for people where they look', () => {
    const { log, lines } = collect('warn', true)
    log.warn('The disk is nearly full', { free: '1 GB' })
    log.error('It failed', new Error('because'))
    expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d warn {3}The disk is nearly full {2}free=1 GB\n$/)
    expect(lines[1]).toMatch(/^\d\d:\d\d:\d\d error {2}It failed\nError: because\n {4}at /)
  })

  it('leaves out what is below its level', () => {
    const { log, lines } = collect('error')
    log.warn('a')
    log.info('b')
    expect(lines).toEqual([])
    const silent = collect('silent')
    silent.log.error('c')
    expect(silent.lines).toEqual([])
  })

  it.each([true, false])('has no secret in it, wherever it comes from (terminal: %s)', (isTerminal) => {
    const { log, lines } = collect('info', isTerminal)
    const secrets = [
      'rl_user_abcDEF-123_456',
      'rl_station_abcDEF-123_456',
      'rl_project_abcDEF-123_456',
      'Bearer eyJhbGciOiJIUzI1NiJ9.e30.abc',
      '/uploads/1?expires=12&signature=SiGnAtUrE-_1',
      'http://127.0.0.1:1/sign-in?code=CoDe-_1',
      'runledger_session_7357=SeSsIoN',
      'postgres://user:PaSsWoRd@host/name',
      'postgres://user:p@PaSsWoRd@host/name',
      'postgres://user:12/PaSsWoRd@host/name',
      'postgresql://host/name?password=PaSsWoRd',
    ]
    for (const secret of secrets) {
      log.error(`about ${secret}`, new Error(secret, { cause: new Error(secret) }), { path: secret })
    }
    const all = lines.join('')
    for (const secret of ['abcDEF', 'eyJ', 'SiGnAtUrE', 'CoDe', 'SeSsIoN', 'PaSsWoRd'])
      expect(all).not.toContain(secret)
    expect(all).toContain('rl_user_…')
  })
})
