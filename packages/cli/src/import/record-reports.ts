import { connectService, messageOf, resolveOptions, type Service } from '@runledger/core/tools'
import { CommandError } from '../command-error'
import { askPatiently } from './ask-patiently'
import type { ResultFile } from './read-file'
import { type Imported, type ImportSettings, listSuites } from './record-files'
import type { Upload } from './uploaded-file'

export type ReportFile = ResultFile & { upload: Upload }

export function isReportFile(file: ResultFile): file is ReportFile {
  return file.upload !== undefined
}

interface ReportSettings extends ImportSettings {
  /** Goes before the procedure that a report names. */
  procedure: string | undefined
  otherProcedure: string | undefined
  group: string | undefined
  /** The part of units whose part a file does not name. */
  partNumber: string | undefined
  /** The zone of times that have none. */
  timeZone: string | undefined
}

/** The service answers once every run of a file is stored, and ends a silent connection after two minutes. */
const IMPORT_TIMEOUT_MS = 115_000

/** Uploads reports and has the service import them: each once, however often it is sent. */
export async function recordReports(
  files: readonly ReportFile[],
  settings: ReportSettings,
): Promise<Imported[]> {
  if (files.length === 0) return []
  const { env, projectRoot } = settings
  const isTimeSet = (env['RUNLEDGER_REQUEST_TIMEOUT_MS'] ?? '').trim() !== ''
  const options = isTimeSet ? settings.options : { requestTimeoutMs: IMPORT_TIMEOUT_MS, ...settings.options }
  const { requestTimeoutMs } = resolveOptions(options, env, projectRoot)
  const service = await connectService({ options, env, projectRoot })
  try {
    const imported: Imported[] = []
    for (const file of files)
      imported.push(...(await recordReport(service, file, { ...settings, requestTimeoutMs })))
    return imported
  } finally {
    await service.close()
  }
}

async function recordReport(
  service: Service,
  file: ReportFile,
  settings: ReportSettings & { requestTimeoutMs: number },
): Promise<Imported[]> {
  const planned = listSuites([file])
  try {
    const uploadId = await upload(service, file)
    const runs = await askPatiently(() => importUpload(service, file, { ...settings, uploadId }), settings)
    for (const run of runs) await setGroup(service, run, settings.group)
    return planned.map((each, index) => describeRun(each, runs[index]))
  } catch (error) {
    return planned.map((each) => ({ ...each, status: 'failed', problems: [messageOf(error)] }))
  }
}

interface StoredRun {
  id: string
  url: string | undefined
  created: boolean
  warnings: string[]
}

function describeRun(planned: Imported, run: StoredRun | undefined): Imported {
  if (run === undefined) return { ...planned, status: 'failed', problems: ['the service did not read it'] }
  const { id, url, created, warnings } = run
  return created
    ? { ...planned, status: 'recorded', url, warnings }
    : { ...planned, status: 'known', runId: id }
}

async function upload(
  { client, putBytes }: Service,
  { name, upload: { bytes } }: ReportFile,
): Promise<string> {
  const { id, uploadUrl } = await client.initializeV1Upload({ body: { name } })
  await putBytes(uploadUrl, bytes, 'application/octet-stream')
  return id
}

type Asked = ReportSettings & { uploadId: string }

async function importUpload(service: Service, file: ReportFile, asked: Asked): Promise<StoredRun[]> {
  const { importer, mapping, procedureId: ownId, procedureName } = file.upload
  const procedureId = asked.procedure ?? ownId ?? (procedureName ? undefined : asked.otherProcedure)
  if (importer === 'OPENHTF') return [await importOpenHtf(service, file, { ...asked, procedureId })]
  const { client } = service
  const { uploadId, partNumber, timeZone } = asked
  if (importer === 'CSV') {
    const body = { upload_id: uploadId, procedure_id: procedureId, mapping }
    const key = `csv ${file.upload.hash} ${procedureId ?? ''}`.slice(0, 255)
    const stored = await client.importTabularFile({ body }, { headers: { 'idempotency-key': key } })
    const { id, url, warnings = [] } = stored
    const runs = stored.runs ?? [{ id, url, created: await hasUpload(service, id, uploadId) }]
    return withWarnings(runs, warnings)
  }
  const item = {
    upload_id: uploadId,
    importer,
    procedure_id: procedureId,
    part_number: partNumber,
    time_zone: timeZone,
  }
  const { results } = await client.importStructuredFiles({ body: { items: [item] } })
  const { success, error = 'no answer', runs = [], warnings = [] } = results[0] ?? { success: false }
  if (!success) throw new CommandError(error)
  return withWarnings(runs, warnings)
}

/** Adds the warnings to the first new run. */
function withWarnings(runs: readonly Omit<StoredRun, 'warnings'>[], warnings: string[]): StoredRun[] {
  const first = runs.findIndex(({ created }) => created)
  return runs.map((run, index) => ({ ...run, warnings: index === first ? warnings : [] }))
}

async function importOpenHtf(
  service: Service,
  { upload: { hash } }: ReportFile,
  { uploadId, procedureId }: Asked & { procedureId: string | undefined },
): Promise<StoredRun> {
  const body = { upload_id: uploadId, importer: 'OPENHTF' as const, procedure_id: procedureId }
  const key = `openhtf ${hash} ${procedureId ?? ''}`.slice(0, 255)
  const stored = await service.client.importV1File({ body }, { headers: { 'idempotency-key': key } })
  const { id = '', url, warnings = [] } = stored
  return { id, url, warnings, created: await hasUpload(service, id, uploadId) }
}

/** False if the run was made of another upload. */
async function hasUpload({ client }: Service, id: string, uploadId: string): Promise<boolean> {
  const { attachments } = await client.getRun({ params: { id } })
  return attachments.some((one) => one.id === uploadId)
}

/** A run that is on record stays in its build. */
async function setGroup({ client }: Service, { id }: StoredRun, group: string | undefined): Promise<void> {
  if (group === undefined) return
  const { metadata } = await client.getRun({ params: { id } })
  if (metadata['group'] === undefined)
    await client.updateRunMetadata({ params: { id }, body: { metadata: { group } } })
}
