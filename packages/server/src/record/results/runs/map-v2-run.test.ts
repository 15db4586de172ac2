import { CreateV2RunRequestSchema } from '@runledger/protocol'
import { describe, expect, it } from 'vitest'
import { mapV2Run } from './map-v2-run'

const RUN = {
  outcome: 'PASS',
  procedure_id: 'FVT1',
  serial_number: 'SN-1',
  started_at: '2026-11-20T09:30:00Z',
  ended_at: '2026-11-20T09:30:01Z',
}

const mapRun = (body: object) => mapV2Run(CreateV2RunRequestSchema.parse(body), 0)

describe('the period of a v2 run', () => {
  it('is from its start to its end, in microseconds', async () => {
    expect((await mapRun(RUN)).record.durationUs).toBe(1_000_000)
  })

  it('is refused when its length could not be stored exactly, for one such run would break every list', async () => {
    const early = '1685-01-01T00:00:00Z'
    const late = '2255-06-05T00:00:00Z'
    const period = { started_at: early, ended_at: late }

    await expect(mapRun({ ...RUN, ...period })).rejects.toThrow(
      expect.objectContaining({ code: 'BAD_REQUEST' }) as Error,
    )
    const phases = [{ ...RUN, name: 'long', ...period }]
    await expect(mapRun({ ...RUN, phases })).rejects.toThrow(
      expect.objectContaining({
        issues: [expect.objectContaining({ path: ['phases', 0, 'ended_at'] })],
      }) as Error,
    )
  })

  it('is refused when it ends before it starts', async () => {
    const ended_at = '2026-11-20T09:29:59Z'
    await expect(mapRun({ ...RUN, ended_at })).rejects.toThrow(
      expect.objectContaining({
        code: 'BAD_REQUEST',
        issues: [expect.objectContaining({ path: ['ended_at'] })],
      }) as Error,
    )
  })
})

describe('a measured value', () => {
  const parse = (value: string) =>
    CreateV2RunRequestSchema.safeParse({
      ...RUN,
      phases: [
        {
          ...RUN,
          name: 'one',
          measurements: [{ name: 'm', outcome: 'PASS', measured_value: JSON.parse(value) }],
        },
      ],
    }).success

  it.each(['1e999', '-1e999', '[1e999]', '{"a":[[1e999]]}'])(
    'is refused as %s: it would be lost',
    (value) => {
      expect(parse(value)).toBe(false)
    },
  )

  it.each(['1.7976931348623157e308', '[[null]]', '{"a":-0}', '[]'])('is taken as %s', (value) => {
    expect(parse(value)).toBe(true)
  })
})
