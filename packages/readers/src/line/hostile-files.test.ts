import { readFileSync } from 'node:fs'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { ImportedRun } from '../imported-run'
import { findLineFormat } from './find-format'
import { type LineFormat, readLineFile } from './read-line-file'

const recording = (name: string) => readFileSync(path.join(import.meta.dirname, '../../recordings', name))

async function readAll(format: LineFormat, file: Uint8Array | string): Promise<ImportedRun[]> {
  const runs: ImportedRun[] = []
  for await (const run of readLineFile(format, Buffer.from(file))) runs.push(run)
  return runs
}

const wats = (change: object) =>
  JSON.stringify({
    sn: 'SN-1',
    pn: 'PCB',
    result: 'P',
    processName: 'Test',
    start: '2026-03-05T09:15:41Z',
    ...change,
  })

describe('a hostile file', { timeout: 10_000 }, () => {
  it.each([
    ['one name that never ends', `<${'a'.repeat(64 * 1024)}`],
    ['many tags that never end', '<a '.repeat(20_000)],
    ['an archive of such', gzipSync(`<${'a'.repeat(8_000_000)}`)],
  ])('has no format, which is found at once: %s', (_what, file) => {
    expect(findLineFormat(Buffer.from(file))).toBeUndefined()
  })

  it('of STDF cannot say that it has more results than it is long', async () => {
    const lot = recording('lot-little.stdf')
    // Test 9, head 1, site 1, no flags, no pins, 65535 results.
    const record = Buffer.from([0, 0, 15, 15, 9, 0, 0, 0, 1, 1, 0, 0, 0, 0, 255, 255])
    record.writeUInt16LE(record.length - 4)
    const pir = lot.indexOf(Buffer.from([2, 0, 5, 10, 1, 1]))
    const many = Array.from({ length: 50_000 }, () => record)
    const file = Buffer.concat([lot.subarray(0, pir + 6), ...many, lot.subarray(pir + 6)])
    const [first] = await readAll('STDF', file)
    expect(first?.run.phases?.[0]).toMatchObject({ name: 'Test 9', outcome: 'PASS' })
  })

  it('of many parts does not repeat a long text of its lot for each', async () => {
    const lot = recording('lot.atdf').toString()
    const part = lot.slice(lot.indexOf('PIR:'), lot.indexOf('PRR:')).split('\n')[0] ?? ''
    const end = /PRR:1\|1.*/.exec(lot)?.[0] ?? ''
    const parts = `${part}\n${end}\n`.repeat(3_000)
    const file = lot.replace('PIR:', `${parts}PIR:`).replace('Final test', 'n'.repeat(8_000_000))
    const runs = await readAll('ATDF', file)
    expect(runs).toHaveLength(3_004)
  })

  it('of WATS does not repeat a long name of a step for each value', async () => {
    const root = {
      name: 'n'.repeat(10_000),
      status: 'P',
      numericMeas: Array.from({ length: 20_000 }, () => ({})),
    }
    await expect(readAll('WATS', wats({ root }))).rejects.toThrow('names and units of more than')
  })

  it('of WATS is judged in one pass over the values of a step', async () => {
    const values = Array.from({ length: 50_000 }, () => ({ compOp: 'GE', lowLimit: 1, value: 2 }))
    const [read] = await readAll('WATS', wats({ root: { name: 'a', status: 'F', numericMeas: values } }))
    expect(new Set(read?.run.phases?.[0]?.measurements?.map(({ outcome }) => outcome))).toEqual(
      new Set(['PASS']),
    )
  })

  it('of WATS keeps metadata whose names are the same once they may be stored', async () => {
    const long = 'n'.repeat(10_000)
    const miscInfos = [
      { description: 'a', text: '1' },
      { description: 'a\0', text: '2' },
      { description: `${long}x`, text: '3' },
      { description: `${long}y`, text: '4' },
    ]
    const [read] = await readAll('WATS', wats({ miscInfos }))
    const added = read?.metadata.slice(1) ?? []
    expect(added.map(([name, value]) => [name.slice(0, 5), value])).toEqual([
      ['a', '1'],
      ['a (2)', '2'],
      ['nnnnn', '3'],
      ['nnnnn', '4'],
    ])
    expect(new Set(added.map(([name]) => name)).size).toBe(4)
    expect(Math.max(...added.map(([name]) => name.length))).toBeLessThanOrEqual(10_000)
  })
})
