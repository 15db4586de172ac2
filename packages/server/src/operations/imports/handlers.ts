import {
  type CreateV2RunResponse,
  type ImportStructuredRequest,
  type ImportStructuredResponse,
  type ImportTabularResponse,
  type Importer,
  VALIDATION_FAILED_MESSAGE,
} from '@runledger/protocol'
import { type ImportedRun, ReadError, readOpenHtf, readTabular, toStandardJson } from '@runledger/readers'
import { withDirectUploads } from '../../record/files/attachments/direct-uploads'
import { SteadyPace } from '../../base/clock'
import type { Context } from '../call/context'
import { HttpError, notFound } from '../../base/errors'
import type { Call, Handlers } from '../call/handler'
import { readIdempotencyKey } from '../call/input'
import { parseJson } from '../../base/parse-json'
import { type CheckedProcedure, type CheckedWrite, writeToProcedure } from '../call/subjects'
import type { Principal } from '../../record/access/keys/principal'
import { createRun } from '../runs/create-run'
import { mapImportedRun } from './map-imported-run'
import { inImportTurn, readOwnUpload } from './own-upload'

export const IMPORT_HANDLERS: Handlers<
  'importV1File' | 'getV1Streaming' | 'importStructuredFiles' | 'importTabularFile'
> = {
  importV1File: ({ context, principal, headers, body: { upload_id: uploadId, ...named } }) =>
    importReport(context, principal, { ...named, uploadId, idempotencyKey: readIdempotencyKey(headers) }),
  getV1Streaming: () =>
    Promise.resolve({
      success: false,
      status_code: 404,
      warnings: ['The service shows no test while it runs; the run is on record when the test ends.'],
    }),
  importStructuredFiles: ({ context, principal, body }) => importStructured(context, principal, body),
  importTabularFile: (call) => importTabular(call),
}

/** A report of OpenHTF to import, and what the request says of it. */
interface ReportImport {
  uploadId: string
  procedure_id?: string | undefined
  procedure_name?: string | undefined
  idempotencyKey?: string | undefined
}

/** The procedure of the request goes before that of the file. */
function importReport(
  context: Context,
  principal: Principal,
  { uploadId, idempotencyKey, procedure_id, procedure_name }: ReportImport,
): Promise<CreateV2RunResponse> {
  return importFile(context, principal, {
    uploadId,
    idempotencyKey,
    read: readReport,
    write: (imported) => {
      const named = {
        procedure_id: procedure_id ?? imported.procedureId,
        procedure_name: procedure_name ?? imported.procedureName,
      }
      if (named.procedure_id === undefined && named.procedure_name === undefined)
        throw missingProcedureError()
      return writeToProcedure(context, principal, named)
    },
  })
}

interface FileImport {
  uploadId: string
  idempotencyKey?: string | undefined
  read: (bytes: Buffer) => Promise<ImportedRun>
  write: (imported: ImportedRun) => CheckedWrite<CheckedProcedure>
}

/**
 * Creates a run from an upload and links the upload to it; the same upload again returns the same run. @throws HttpError as run
 * creation does, and BAD_REQUEST that says where the file cannot be read: then nothing is stored, and the file stays
 */
async function importFile(
  context: Context,
  principal: Principal,
  { read, write, idempotencyKey, ...asked }: FileImport,
): Promise<CreateV2RunResponse> {
  return inImportTurn(context, asked.uploadId, async () => {
    const { uploadId, bytes } = await readOwnUpload(context, principal, asked.uploadId)
    try {
      const imported = await read(bytes)
      const created = await createRun(context, await mapImportedRun(context, imported, uploadId), {
        principal,
        write: write(imported),
        strict: false,
        idempotencyKey: idempotencyKey ?? `import of ${uploadId}`,
      })
      // Clients print it, and their tests look for these words.
      return { ...created, message: `Run imported successfully with ID: ${created.id}` }
    } catch (error) {
      throw tellPlace(error)
    }
  })
}

async function importTabular({
  context,
  principal,
  headers,
  write,
  body: { upload_id: uploadId, mapping, template_id: template },
}: Call<'importTabularFile'>): Promise<ImportTabularResponse> {
  if (mapping === undefined)
    throw notFound(`template "${template}"`, 'This service keeps none: send mapping.')
  const { id, url, warnings } = await importFile(context, principal, {
    uploadId,
    idempotencyKey: readIdempotencyKey(headers),
    read: (bytes) => readTabular(bytes, mapping, new SteadyPace()),
    write: () => write,
  })
  return { id, file_import_id: uploadId, url, warnings }
}

/** JSON of OpenHTF. @throws ReadError, HttpError */
async function readReport(bytes: Buffer): Promise<ImportedRun> {
  const pace = new SteadyPace()
  const { buffer, byteOffset, length } = await toStandardJson(bytes, pace)
  return readOpenHtf(await parseJson(Buffer.from(buffer, byteOffset, length), 'file'), pace)
}

/** Formats that are read; the others are known by name alone. */
const READ: readonly Importer[] = ['OPENHTF']

async function importStructured(
  context: Context,
  principal: Principal,
  { items }: ImportStructuredRequest,
): Promise<ImportStructuredResponse> {
  const results: ImportStructuredResponse['results'] = []
  for (const { upload_id, importer } of items) {
    try {
      if (!READ.includes(importer)) throw unknownFormatError(importer)
      const { id, warnings } = await withDirectUploads(context, () =>
        importReport(context, principal, { uploadId: upload_id }),
      )
      results.push({ upload_id, success: true, id, warnings })
    } catch (error) {
      // A failure of the service, such as a full disk, fails the whole request; the client can send it again.
      if (!(error instanceof HttpError) || error.statusCode >= 500) throw error
      results.push({ upload_id, success: false, error: error.message })
    }
  }
  return { results }
}

function unknownFormatError(importer: Importer): HttpError {
  return new HttpError(
    'BAD_REQUEST',
    `Files of ${importer} are not read by this service: it reads ${READ.join(', ')}.`,
  )
}

function missingProcedureError(): HttpError {
  const message = 'is required: the file names no procedure; give procedure_id to openhtf.Test, or send it'
  return new HttpError('BAD_REQUEST', `procedure_id ${message}.`, {
    issues: [{ path: ['procedure_id'], message }],
  })
}

/** Clients of v1 show the message alone, so it says what the issues say. */
function tellPlace(error: unknown): unknown {
  if (error instanceof ReadError) {
    const issues = error.issues.map(({ path, message }) => ({ path: [...path], message }))
    return new HttpError('BAD_REQUEST', `The file cannot be imported: ${error.message}`, {
      issues,
      cause: error,
    })
  }
  if (!(error instanceof HttpError)) return error
  if (error.code === 'PARSE_ERROR' || error.code === 'PAYLOAD_TOO_LARGE')
    return new HttpError('BAD_REQUEST', error.message, { cause: error })
  if (error.message !== VALIDATION_FAILED_MESSAGE) return error
  const places = error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return Object.assign(error, { message: `The file cannot become a run: ${places.slice(0, 5).join('; ')}` })
}
