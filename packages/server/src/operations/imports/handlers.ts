import type {
  CreateV2RunResponse,
  ImportStructuredRequest,
  ImportStructuredResponse,
  ImportTabularResponse,
} from '@runledger/protocol'
import { type ImportedRun, readLineFile, readOpenHtf, readTabular, toStandardJson } from '@runledger/readers'
import { withDirectUploads } from '../../record/files/attachments/direct-uploads'
import { SteadyPace } from '../../base/clock'
import type { Context } from '../call/context'
import { HttpError, notFound } from '../../base/errors'
import type { Call, Handlers } from '../call/handler'
import { readIdempotencyKey } from '../call/input'
import { parseJson } from '../../base/parse-json'
import type { Principal } from '../../record/access/keys/principal'
import { importRuns } from './import-runs'
import { joinSame } from './own-upload'

export const IMPORT_HANDLERS: Handlers<
  'importV1File' | 'getV1Streaming' | 'importStructuredFiles' | 'importTabularFile'
> = {
  importV1File: ({ context, principal, headers, body }) => {
    const { upload_id: uploadId, ...named } = body
    const idempotencyKey = readIdempotencyKey(headers)
    return joinSame(principal, [body, idempotencyKey], () =>
      importReport(context, principal, { ...named, uploadId, idempotencyKey }),
    )
  },
  getV1Streaming: () =>
    Promise.resolve({
      success: false,
      status_code: 404,
      warnings: ['The service shows no test while it runs; the run is on record when the test ends.'],
    }),
  importStructuredFiles: ({ context, principal, body }) =>
    joinSame(principal, body, () => importStructured(context, principal, body)),
  importTabularFile: (call) =>
    joinSame(call.principal, [call.body, readIdempotencyKey(call.headers)], () => importTabular(call)),
}

interface ReportImport {
  uploadId: string
  procedure_id?: string | undefined
  procedure_name?: string | undefined
  idempotencyKey?: string | undefined
}

/** The request's procedure takes precedence over the file's. */
async function importReport(
  context: Context,
  principal: Principal,
  { uploadId, idempotencyKey = `import of ${uploadId}`, procedure_id, procedure_name }: ReportImport,
): Promise<CreateV2RunResponse> {
  const { answer, warnings } = await importRuns(context, principal, {
    uploadId,
    idempotencyKey,
    read: readReport,
    nameProcedure: (imported) => ({
      procedure_id: procedure_id ?? imported.procedureId,
      procedure_name: procedure_name ?? imported.procedureName,
    }),
  })
  // Clients print the message, and their tests look for these words.
  return { ...answer, warnings, message: `Run imported successfully with ID: ${answer.id}` }
}

async function importTabular({
  context,
  principal,
  headers,
  body: { upload_id: uploadId, procedure_id, mapping, template_id: template },
}: Call<'importTabularFile'>): Promise<ImportTabularResponse> {
  if (mapping === undefined)
    throw notFound(`template "${template}"`, 'This service keeps none: send mapping.')
  const idempotencyKey = readIdempotencyKey(headers)
  const isWhole = mapping.runs === undefined || mapping.runs === 'file'
  const { runs, warnings } = await importRuns(context, principal, {
    uploadId,
    // A file's only run is known by its upload, like a report's.
    ...(isWhole && { idempotencyKey: idempotencyKey ?? `import of ${uploadId}` }),
    read: (bytes) => readTabular(bytes, mapping, new SteadyPace()),
    nameProcedure: ({ procedureName }) => ({ procedure_id, procedure_name: procedureName }),
  })
  const [{ id, url }] = runs
  return { id, file_import_id: uploadId, url, ...(!isWhole && { runs }), warnings }
}

/** @throws ReadError, HttpError */
async function* readReport(bytes: Buffer): AsyncGenerator<ImportedRun> {
  const pace = new SteadyPace()
  yield await readOpenHtf(await parseInPieces(await toStandardJson(bytes, pace)), pace)
}

function parseInPieces({ buffer, byteOffset, length }: Uint8Array): Promise<unknown> {
  return parseJson(Buffer.from(buffer, byteOffset, length), 'file')
}

async function importStructured(
  context: Context,
  principal: Principal,
  { items }: ImportStructuredRequest,
): Promise<ImportStructuredResponse> {
  const results: ImportStructuredResponse['results'] = []
  for (const item of items) {
    const { upload_id } = item
    try {
      const result = await withDirectUploads(context, () => importItem(context, principal, item))
      results.push({ upload_id, success: true, ...result })
    } catch (error) {
      // A failure of the service, such as a full disk, fails the request; the client can repeat it.
      if (!(error instanceof HttpError) || error.statusCode >= 500) throw error
      results.push({ upload_id, success: false, error: error.message })
    }
  }
  return { results }
}

type Item = ImportStructuredRequest['items'][number]

async function importItem(context: Context, principal: Principal, item: Item) {
  const { upload_id: uploadId, importer, procedure_id, part_number, time_zone: timeZone } = item
  if (importer === 'OPENHTF') {
    const { id, warnings } = await importReport(context, principal, { uploadId, procedure_id })
    return { id, warnings }
  }
  const { runs, warnings } = await importRuns(context, principal, {
    uploadId,
    partNumber: part_number,
    read: (bytes) =>
      readLineFile(importer, bytes, { timeZone, pace: new SteadyPace(), parseJson: parseInPieces }),
    nameProcedure: ({ procedureName }) => ({ procedure_id, procedure_name: procedureName }),
  })
  return { id: runs[0].id, runs, warnings }
}
