import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../support/project'
import { REPOSITORY } from '../support/repository'
import { startService, type Service } from '../support/service'

// examples/line: three stations, 60 boards, a batch from which a voltage drifts, and a station that measures differently.

let service: Service
/** Has the command `runledger`, as an installed package does. */
let programs: string

beforeAll(async () => {
  service = await startService()
  programs = await mkdtemp(path.join(tmpdir(), 'runledger-programs-'))
  const cli = path.join(REPOSITORY, 'packages/cli/dist/bin.js')
  await writeFile(path.join(programs, 'runledger'), `#!/bin/sh\nexec '${process.execPath}' '${cli}' "$@"\n`, {
    mode: 0o755,
  })
})
afterAll(async () => {
  await service.stop()
  await rm(programs, { recursive: true })
})

interface Measurement {
  n: number
  in_control: boolean
  drifts: { mean_before: number; mean_after: number; began_with: string[] }[]
}

const read = async <Answer>(query: string) =>
  (await (await service.get(`/v2/line/${query}`)).json()) as Answer
const readMeasurement = (name: string, filter = '') =>
  read<Measurement & { mean: number }>(
    `measurement?procedure_id=FINAL-TEST&phase=${encodeURIComponent(`supply › ${name}`)}${filter}`,
  )

test('the simulated line shows which batch drifts and which station measures differently', async () => {
  const dir = path.join(REPOSITORY, 'examples/line')
  const { exitCode, stdout, stderr } = await runCommand(process.execPath, ['simulate.js'], {
    dir,
    service,
    env: { PATH: `${programs}:${process.env['PATH']}` },
  })
  expect([exitCode, stdout + stderr]).toEqual([0, expect.stringContaining('60 boards tested')])

  const drifting = await readMeasurement('5 V rail')
  expect(drifting).toMatchObject({ n: 60, in_control: false })
  expect(drifting.drifts).toHaveLength(1)
  expect(drifting.drifts[0]?.began_with).toContain('batch LOT-3')
  expect(drifting.drifts[0]?.mean_before).toBeCloseTo(5, 2)
  expect(drifting.drifts[0]?.mean_after).toBeCloseTo(5.06, 2)

  const means = await Promise.all(
    [1, 2, 3].map(async (bench) => (await readMeasurement('3.3 V rail', `&stations=Bench%20${bench}`)).mean),
  )
  expect(means[1]).toBeCloseTo(3.27, 2)
  expect(Math.abs((means[0] ?? 0) - (means[2] ?? 0))).toBeLessThan(0.005)

  const { data } = await read<{ data: { key: string; runs: { of: number } }[] }>(
    'yields?procedure_id=FINAL-TEST&by=station',
  )
  expect(data.map(({ key }) => key)).toEqual(['Bench 1', 'Bench 2', 'Bench 3'])
  expect(data.reduce((sum, { runs }) => sum + runs.of, 0)).toBe(60)
})
