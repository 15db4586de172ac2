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

const NUMBERS = `${'1,'.repeat(65_534)}1`

describe('a hostile file', { timeout: 30_000 }, () => {
  it.each([
    ['one name that never ends', `<${'a'.repeat(64 * 1024)}`],
    ['many tags that never end', '<a '.repeat(20_000)],
    ['an archive of such', gzipSync(`<${'a'.repeat(8_000_000)}`)],
  ])('has no format, which is found at once: %s', (_what, file) => {
    expect(findLineFormat(Buffer.from(file))).toBeUndefined()
  })

  it('of STDF cannot claim more results than its length allows', async () => {
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

  it.each([
    [
      'numbers in a field',
      (ptr: string) => ptr.replace('|0.002|', `|${'1,'.repeat(70_000)}1|`),
      '65535 numbers',
    ],
    [
      'results of a part',
      (ptr: string) => `${ptr}\n`.repeat(100_001),
      'brings the results of a part to more than 100000: leave out results of this part, or test it in several runs',
    ],
    [
      'numbers of a part',
      (ptr: string) => `${ptr.replace('|0.002|', `|${NUMBERS}|`)}\n`.repeat(2),
      'brings the results of a part to more than 100000',
    ],
  ])('of ATDF has no more %s than memory holds', async (_what, change, message) => {
    const file = recording('lot.atdf')
      .toString()
      .replace(/^PTR.*$/m, change)
    await expect(readAll('ATDF', file)).rejects.toThrow(message)
  })

  const partsOf = (order: (begin: string[], tests: string[], end: string[]) => string[]) => {
    const lot = recording('lot.atdf').toString()
    const sites = Array.from({ length: 8 }, (_, index) => index + 11)
    const parts = order(
      sites.map((site) => `PIR:1|${site}`),
      // The tester flagged these results as invalid, so they do not become measurements, which take time to store.
      sites.map((site) => `PTR:900|1|${site}|${NUMBERS}|P|A|Many`),
      sites.map((site) => `PRR:1|${site}|AMP-${site}|1|P|1|1|4|-7|||640||`),
    )
    return lot.replace('PIR:', `${parts.join('\n')}\nPIR:`)
  }

  it('of ATDF has no more results of parts that are tested together than memory holds', async () => {
    const file = partsOf((begin, tests, end) => [...begin, ...tests, ...end])
    await expect(readAll('ATDF', file)).rejects.toThrow(
      'the parts that are tested together to more than 500000: leave out results, or test fewer parts at once',
    )
  })

  it('of ATDF may have more results of parts that are tested one after another', async () => {
    const file = partsOf((begin, tests, end) =>
      begin.flatMap((one, index) => [one, tests[index] ?? '', end[index] ?? '']),
    )
    expect(await readAll('ATDF', file)).toHaveLength(12)
  })

  it('of WATS has no more measurements than memory holds', async () => {
    const root = { name: 'a', status: 'P', numericMeas: Array.from({ length: 100_001 }, () => ({})) }
    await expect(readAll('WATS', wats({ root }))).rejects.toThrow(
      'has more than 100000 measurements: leave out some, or test the unit in several runs',
    )
  })

  it('of WATS does not repeat a long name of a step for each value', async () => {
    const root = {
      name: 'n'.repeat(10_000),
      status: 'P',
      numericMeas: Array.from({ length: 20_000 }, () => ({})),
    }
    await expect(readAll('WATS', wats({ root }))).rejects.toThrow(
      'names and units of the report to more than',
    )
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
