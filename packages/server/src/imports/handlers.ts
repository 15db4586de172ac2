import {
  type CreateV2RunResponse,
  type ImportStructuredRequest,
  type ImportStructuredResponse,
  type Importer,
  VALIDATION_FAILED_MESSAGE,
} from '@runledger/protocol'
import { type ImportedRun, ReadError, readOpenHtf, toStandardJson } from '@runledger/readers'
import { withDirectUploads } from '../attachments/direct-uploads'
import { SteadyPace } from '../clock'
import type { Context } from '../context'
import { HttpError } from '../errors'
import type { Handlers } from '../http/handler'
import { readIdempotencyKey } from '../http/input'
import { parseJson } from '../http/parse-json'
import { writeToProcedure } from '../http/subjects'
import type { Principal } from '../keys/principal'
import { createRun } from '../runs/create-run'
import { mapImportedRun } from './map-imported-run'
import { inImportTurn, readOwnUpload } from './own-upload'

export const IMPORT_HANDLERS: Handlers<'importV1File' | 'getV1Streaming' | 'importStructuredFiles'> = {
  importV1File: ({ context, principal, headers, body: { upload_id: uploadId, ...body } }) =>
    importFile(context, principal, {
      ...body,
      uploadId,
      idempotencyKey: readIdempotencyKey(headers),
      read: readReport,
    }),
  getV1Streaming: () =>
    Promise.resolve({
      success: false,
      status_code: 404,
      warnings: ['The service shows no test while it runs; the run is on record when the test ends.'],
    }),
  importStructuredFiles: ({ context, principal, body }) => importStructured(context, principal, body),
}

/** A file to import, and what the request says of it. */
export interface FileImport {
  uploadId: string
  procedure_id?: string | undefined
  procedure_name?: string | undefined
  idempotencyKey?: string | undefined
  read: (bytes: Buffer) => Promise<ImportedRun>
}

/**
 * Makes a run of an upload, which is linked to it; the same upload again answers the same run. @throws HttpError as run
 * creation, and BAD_REQUEST that says where the file cannot be read: nothing is stored then, and the file stays
 */
export async function importFile(
  context: Context,
  principal: Principal,
  { read, idempotencyKey, ...asked }: FileImport,
): Promise<CreateV2RunResponse> {
  return inImportTurn(context, asked.uploadId, async () => {
    const { uploadId, bytes } = await readOwnUpload(context, principal, asked.uploadId)
    try {
      const imported = await read(bytes)
      const named = {
        procedure_id: asked.procedure_id ?? imported.procedureId,
        procedure_name: asked.procedure_name ?? imported.procedureName,
      }
      if (named.procedure_id === undefined && named.procedure_name === undefined) throw noProcedure()
      const created = await createRun(context, await mapImportedRun(context, imported, uploadId), {
        principal,
        write: writeToProcedure(context, principal, named),
        strict: false,
        idempotencyKey: idempotencyKey ?? `import of ${uploadId}`,
      })
      // Clients print it; tests of theirs look for these words.
      return { ...created, message: `Run imported successfully with ID: ${created.id}` }
    } catch (error) {
      throw tellPlace(error)
    }
  })
}

/** JSON of OpenHTF. @throws ReadError, HttpError */
async function readReport(bytes: Buffer): Promise<ImportedRun> {
  const pace = new SteadyPace()
  const { buffer, byteOffset, length } = await toStandardJson(bytes, pace)
  return readOpenHtf(await parseJson(Buffer.from(buffer, byteOffset, length), 'file'), pace)
}

const READERS: Partial<Record<Importer, FileImport['read']>> = { OPENHTF: readReport }

async function importStructured(
  context: Context,
  principal: Principal,
  { items }: ImportStructuredRequest,
): Promise<ImportStructuredResponse> {
  const results: ImportStructuredResponse['results'] = []
  for (const { upload_id, importer } of items) {
    try {
      const read = READERS[importer] ?? refuseFormat(importer)
      const { id, warnings } = await withDirectUploads(context, () =>
        importFile(context, principal, { uploadId: upload_id, read }),
      )
      results.push({ upload_id, success: true, id, warnings })
    } catch (error) {
      // What fails by itself, a full disk say, fails for all: the request can be sent again.
      if (!(error instanceof HttpError) || error.statusCode >= 500) throw error
      results.push({ upload_id, success: false, error: error.message })
    }
  }
  return { results }
}

function refuseFormat(importer: Importer): never {
  throw new HttpError(
    'BAD_REQUEST',
    `Files of ${importer} are not read by this service: it reads ${Object.keys(READERS).join(', ')}.`,
  )
}

function noProcedure(): HttpError {
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
