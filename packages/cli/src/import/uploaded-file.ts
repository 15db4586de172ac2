import type { Suite } from '@runledger/core'
import type { Importer, TabularMapping } from '@runledger/protocol'
import {
  findLineFormat,
  type ImportedRun,
  type LineFormat,
  readLineFile,
  readTabular,
} from '@runledger/readers'
import type { Format } from './formats'
import { readOpenHtfFile } from './openhtf-file'
import { ResultFileError, type Results } from './results'

export interface Upload {
  bytes: Buffer
  /** SHA-256 of the bytes. */
  hash: string
  importer: Importer | 'CSV'
  mapping: TabularMapping | undefined
  /** Of its first run. */
  procedureId: string | undefined
  procedureName: string | undefined
}

export interface UploadSettings {
  format?: Format | undefined
  mapping?: TabularMapping | undefined
  timeZone?: string | undefined
}

/** Undefined for a file that is read as suites. @throws ReadError, ResultFileError */
export async function readUploadedFile(
  bytes: Buffer,
  hash: string,
  settings: UploadSettings,
): Promise<(Results & { upload: Upload }) | undefined> {
  const { format, mapping } = settings
  if (mapping) return collect(readTabular(bytes, mapping), { bytes, hash, importer: 'CSV', mapping })
  const openHtf = await readOpenHtfFile(bytes, format)
  if (openHtf) return collect([openHtf], { bytes, hash, importer: 'OPENHTF', mapping })
  const importer = format === undefined ? findLineFormat(bytes) : toImporter(format)
  if (importer === undefined) return undefined
  return collect(readLineFile(importer, bytes, settings), { bytes, hash, importer, mapping })
}

const IMPORTERS: Partial<Record<Format, LineFormat>> = {
  wats: 'WATS',
  wsxf: 'WSXF',
  teststand: 'TESTSTAND',
  atml: 'ATML',
  stdf: 'STDF',
  atdf: 'ATDF',
}

function toImporter(format: Format): LineFormat | undefined {
  return IMPORTERS[format]
}

async function collect(
  runs: AsyncIterable<ImportedRun> | Iterable<ImportedRun>,
  file: Omit<Upload, 'procedureId' | 'procedureName'>,
): Promise<Results & { upload: Upload }> {
  const suites: Suite[] = []
  let first: ImportedRun | undefined
  for await (const imported of runs) {
    first ??= imported
    suites.push(toSuite(imported, `${file.hash} ${suites.length}`))
  }
  if (suites.length === 0) throw new ResultFileError('it has no results')
  const { procedureId, procedureName } = first ?? { procedureId: undefined, procedureName: undefined }
  return { framework: file.importer.toLowerCase(), suites, upload: { ...file, procedureId, procedureName } }
}

const OUTCOMES = { PASS: 'passed', FAIL: 'failed', ERROR: 'failed', SKIP: 'skipped' } as const

/** A run as the table of imported runs shows it: its unit and its phases. */
function toSuite({ run }: ImportedRun, submissionId: string): Suite {
  const startedAtMs = Date.parse(run.started_at)
  return {
    project: '',
    file: run.serial_number,
    startedAtMs,
    durationMs: Date.parse(run.ended_at) - startedAtMs,
    outcome: run.outcome === 'PASS' ? 'passed' : 'failed',
    tests: (run.phases ?? []).map(({ name, outcome }) => ({
      titles: [name],
      outcome: OUTCOMES[outcome],
      flaky: false,
      startedAtMs,
      durationMs: 0,
      attempts: [],
    })),
    problems: [],
    output: [],
    attachments: [],
    events: [],
    submissionId,
  }
}
