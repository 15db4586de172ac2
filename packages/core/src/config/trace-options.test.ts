import { expect, it } from 'vitest'
import { traceOptions } from './trace-options'

function trace(options: object, env: Record<string, string>) {
  const traces = traceOptions(options, env, '/nowhere')
  return Object.fromEntries(traces.map(({ name, value, from }) => [name, [value, from]]))
}

it('reports each option where its value is from', () => {
  const env = { RUNLEDGER_RUN_PER: 'project', RUNLEDGER_MAX_RETRIES: '1', RUNLEDGER_SERIAL_NUMBER: 'SN-1' }
  expect(trace({ maxRetries: 2, procedureId: () => 'FVT1' }, env)).toMatchObject({
    maxRetries: ['2', 'option'],
    runPer: ['project', 'RUNLEDGER_RUN_PER'],
    concurrency: ['32', 'default'],
    procedureId: ['a function', 'option'],
    serialNumber: ['SN-1', 'RUNLEDGER_SERIAL_NUMBER'],
    group: [null, 'default'],
    shard: [null, 'default'],
  })
})

it('shows nothing that may be secret', () => {
  const env = {
    RUNLEDGER_API_KEY: 'secret-key',
    RUNLEDGER_REDACT: 'secret-word',
    RUNLEDGER_URL: 'http://me:secret@host',
  }
  const options = { reportVariables: { token: 'secret-token' }, clientKeyFile: '-----BEGIN secret' }
  const shown = trace(options, env)
  expect(JSON.stringify(shown)).not.toContain('secret')
  expect(shown).toMatchObject({
    apiKey: ['set', 'RUNLEDGER_API_KEY'],
    url: ['http://…@host', 'RUNLEDGER_URL'],
  })
})

it('shows the other options too where reporters are switched off', () => {
  expect(trace({}, { RUNLEDGER_DISABLED: '1', RUNLEDGER_CONCURRENCY: '3' })).toMatchObject({
    disabled: ['true', 'RUNLEDGER_DISABLED'],
    concurrency: ['3', 'RUNLEDGER_CONCURRENCY'],
  })
})
