import { connectService, messageOf, type Service } from '@runledger/core/tools'
import type { OpenHtfReport } from './openhtf-file'
import type { ResultFile } from './read-file'
import { type Imported, type ImportSettings, listSuites } from './record-files'

export type ReportFile = ResultFile & { report: OpenHtfReport }

export function isReportFile(file: ResultFile): file is ReportFile {
  return file.report !== undefined
}

interface ReportSettings extends ImportSettings {
  /** Goes before the procedure that a report names. */
  procedure: string | undefined
  /** Default for reports that name none. */
  otherProcedure: string | undefined
  group: string | undefined
}

/** Uploads reports and has the service import them: each once, however often it is sent. */
export async function recordReports(
  files: readonly ReportFile[],
  settings: ReportSettings,
): Promise<Imported[]> {
  if (files.length === 0) return []
  const { options, env, projectRoot } = settings
  const service = await connectService({ options, env, projectRoot })
  try {
    const imported: Imported[] = []
    for (const file of files) imported.push(await recordReport(service, file, settings))
    return imported
  } finally {
    await service.close()
  }
}

async function recordReport(
  service: Service,
  file: ReportFile,
  { procedure, otherProcedure, group }: ReportSettings,
): Promise<Imported> {
  const [planned] = listSuites([file]) as [Imported]
  const { bytes, hash, imported } = file.report
  const procedureId =
    procedure ?? imported.procedureId ?? (imported.procedureName ? undefined : otherProcedure)
  try {
    const { client } = service
    const { id: uploadId, uploadUrl } = await client.initializeV1Upload({ body: { name: file.name } })
    await service.putBytes(uploadUrl, bytes, 'application/json')
    const body = { upload_id: uploadId, importer: 'OPENHTF' as const, procedure_id: procedureId }
    const key = `openhtf ${hash} ${procedureId ?? ''}`.slice(0, 255)
    const {
      id = '',
      url,
      warnings = [],
    } = await client.importV1File({ body }, { headers: { 'idempotency-key': key } })
    const { attachments, metadata } = await client.getRun({ params: { id } })
    // One that is on record stays in its build.
    if (group !== undefined && metadata['group'] === undefined)
      await client.updateRunMetadata({ params: { id }, body: { metadata: { group } } })
    // The upload belongs to the run only when the run was made of it.
    const isNew = attachments.some((one) => one.id === uploadId)
    return isNew
      ? { ...planned, status: 'recorded', url, warnings }
      : { ...planned, status: 'known', runId: id }
  } catch (error) {
    return { ...planned, status: 'failed', problems: [messageOf(error)] }
  }
}
